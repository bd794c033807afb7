/**
 * The product without HTTP, in a process of its own: callers that each await the score of an order,
 * on the PostgreSQL server that the benchmarked service uses too.
 */
import { createServices } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { OrderRequest } from '../src/modules/orders/schema.ts'
import type { Owner } from '../src/modules/orders/service.ts'
import { createLog } from '../src/platform/log.ts'
import { openStores, type Stores } from '../src/stores.ts'
import { type LoadResult, type LoopJob, runClosedLoop } from './loop.ts'
import { createOrders, type OrderShape } from './order-requests.ts'
import { serveJobs } from './worker.ts'

export type CoreJob = LoopJob & { data_dir: string; shape: OrderShape; callers: number }

export type CoreResult = LoadResult & { flagged: number }

export async function serveCore(): Promise<void> {
  let core: Promise<Core> | undefined
  let orders = 0
  await serveJobs<CoreJob, CoreResult>(async (job) => {
    core ??= openCore(job.data_dir, job.shape)
    const { score, make } = await core
    let flagged = 0
    const scoreNext = async () => {
      if (await score(make((orders += 1)))) flagged += 1
    }
    const callers = Array.from({ length: job.callers }, () => scoreNext)
    return { ...(await runClosedLoop(job, callers)), flagged }
  })
}

type Core = { score: Score; make: (number: number) => OrderRequest }

async function openCore(data_dir: string, shape: OrderShape): Promise<Core> {
  const stores = await openBenchStores(data_dir)
  const owner = await addOrganization(stores)
  return { score: await createScore(stores, owner), make: createOrders(shape, stores.clock.now()) }
}

/** @returns whether the order is flagged. @throws Error when the answer is to another order */
export type Score = (request: OrderRequest) => Promise<boolean>

/** With services of its own, which remember nothing of what others do. */
export async function createScore(stores: Stores, owner: Owner): Promise<Score> {
  const { orders } = await createServices(stores, readConfig({}))
  return async (request) => {
    const { order, risk } = await orders.score(owner, request)
    if (order.external_order_id !== request.external_order_id) {
      throw new Error(`asked about ${request.external_order_id}, told of ${JSON.stringify(order)}`)
    }
    return risk.flagged_for_review
  }
}

export async function openBenchStores(data_dir: string): Promise<Stores> {
  return await openStores({
    config: readConfig({ VIGIL_DATA_DIR: data_dir }),
    log: createLog('warn'),
    working_folder: data_dir,
    progress: () => {},
  })
}

/** Apart from that of the service, so that neither waits for the other's states. */
export async function addOrganization({ db, newId, clock }: Stores): Promise<Owner> {
  const org_id = newId(clock.now())
  await db
    .insertInto('organizations')
    .values({ id: org_id, name: 'Bench', plan: 'business' })
    .execute()
  return { org_id, mode: 'live' }
}
