/** The requests of the load generator by name, because processes exchange names and not functions. */
import { createFloodBatches } from './flood-requests.ts'
import type { LoadRequest } from './load-request.ts'
import { createLogBatches, createTillBatches } from './log-requests.ts'
import { createOrders } from './order-requests.ts'
import { registrationRequest } from './registration-requests.ts'
import { emailAddress } from './world.ts'

export type RequestKind = 'checks' | 'orders' | 'logs' | 'till-logs' | 'rum-flood' | 'registrations'

/** @param now time at which the load generator was started */
export function createRequests(
  kind: RequestKind,
  now: Date,
  organizations: number,
): (number: number) => LoadRequest {
  if (kind === 'checks') return checkRequest
  if (kind === 'registrations') return registrationRequest
  if (kind === 'logs') return createLogBatches(now)
  if (kind === 'till-logs') return createTillBatches(now)
  if (kind === 'rum-flood') return createFloodBatches(now)
  const makeOrder = createOrders(now, organizations)
  return (number) => {
    const { order, organization } = makeOrder(number)
    return {
      path: '/v1/orders',
      body: JSON.stringify(order),
      echo: `"external_order_id":"${order.external_order_id}"`,
      mark: '"flagged_for_review":true',
      organization,
    }
  }
}

function checkRequest(number: number): LoadRequest {
  const email = emailAddress(number)
  const body = `{"email":"${email}","event_type":"signup"}`
  return { path: '/v1/check', body, echo: `"email":"${email}"`, organization: 0 }
}
