/**
 * What the load generator can ask, by name: names travel between processes, functions do not. Each
 * number gives another request.
 */
import { createLogBatches, isLogBatch, type LogBatchKind } from './logs-requests.ts'
import { createOrders, type OrderShape } from './order-requests.ts'
import { emailAddress } from './world.ts'

export type Asked = {
  path: string
  body: string
  /** What a right answer to this very request names. */
  echo: string
  /** Answers with this text in them are counted. */
  noticed?: string
  /** Lines of the head besides those that every request has. */
  headers?: string
}

export type RequestKind = 'checks' | `${OrderShape}_orders` | LogBatchKind

/** @param now when the load generator was started */
export function createRequests(kind: RequestKind, now: Date): (number: number) => Asked {
  if (kind === 'checks') return checkRequest
  if (isLogBatch(kind)) return createLogBatches(kind, now)
  const order = createOrders(kind === 'online_orders' ? 'online' : 'in_store', now)
  return (number) => {
    const request = order(number)
    return {
      path: '/v1/orders',
      body: JSON.stringify(request),
      echo: `"external_order_id":"${request.external_order_id}"`,
      noticed: '"flagged_for_review":true',
    }
  }
}

function checkRequest(number: number): Asked {
  const email = emailAddress(number)
  const body = `{"email":"${email}","event_type":"signup"}`
  return { path: '/v1/check', body, echo: `"email":"${email}"` }
}
