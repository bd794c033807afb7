/**
 * Orders without HTTP, in a process of its own: callers that each await the score of one order at a time, on
 * the PostgreSQL server that the service uses too.
 */

import { openCore } from '../src/app/index.ts'
import { createScoring } from '../src/app/scoring.ts'
import { readConfig } from '../src/config.ts'
import { createBilling } from '../src/modules/billing/index.ts'
import { openBenchStores } from './bed.ts'
import type { HttpLoadResult } from './http-load.ts'
import { type LoadJob, runLoad } from './loads.ts'
import { createOrders } from './order-requests.ts'
import { serveJobs } from './worker.ts'

export type OrdersCoreJob = LoadJob & { data_dir: string; org_ids: string[]; clients: number }

export async function serveOrdersCore(): Promise<void> {
  let services: ReturnType<typeof openServices> | undefined
  let numbers = 0
  await serveJobs<OrdersCoreJob, HttpLoadResult>(async (job) => {
    const { data_dir, org_ids, clients } = job
    services ??= openServices(data_dir)
    const { orders, now } = await services
    const makeOrder = createOrders(now, org_ids.length)
    let marked = 0
    const score = async () => {
      const { order, organization } = makeOrder((numbers += 1))
      const owner = { org_id: org_ids[organization] ?? '', mode: 'live' as const }
      const answer = await orders.score(owner, order)
      if (answer.order.external_order_id !== order.external_order_id) {
        throw new Error(`${order.external_order_id} got the answer ${JSON.stringify(answer.order)}`)
      }
      if (answer.risk.flagged_for_review) marked += 1
    }
    const result = await runLoad(job, Array<typeof score>(clients).fill(score))
    return { ...result, marked }
  })
}

async function openServices(data_dir: string) {
  const stores = await openBenchStores(data_dir)
  const core = await openCore(stores, readConfig({}))
  const { db, newId, clock } = stores
  const { orders } = createScoring(core, { billing: createBilling({ db, newId, clock }) })
  return { orders, now: stores.clock.now() }
}
