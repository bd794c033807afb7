/**
 * Throughput and latency of scoring and committing an order, without HTTP and through it, against single-row
 * commits on the same PostgreSQL server.
 */
import { createKeys } from '../src/modules/keys/index.ts'
import {
  addOrganizations,
  addWorker,
  type Bed,
  type Context,
  openBenchStores,
  startBed,
  startService,
} from './bed.ts'
import type { HttpLoadResult } from './http-load.ts'
import { CUSTOMERS } from './order-requests.ts'
import type { OrdersCoreJob } from './orders-core.ts'
import { type Findings, latencyAim, megabytes, ratioAim } from './report.ts'
import { compare, measure, type Row, WARM_SECONDS } from './rounds.ts'
import { createServiceLoad, HALF_LOAD, type ServiceLoad } from './service-load.ts'

const CORE = 'core'
const HTTP = 'POST /orders'
const LIMIT = 'INSERT'
const FIRST_WARM = { clients: 32, seconds: 4 }
/** Latency is measured at half of the rates that these numbers of clients reach. */
const HALF_LOAD_CLIENTS = [32, 128]
const AIMED = '32 clients'
const AIM_CORE_RATIO = 0.6
const AIM_HTTP_RATIO = 0.45
const AIM_P99_MS = 20
const KEYS_TOGETHER = 50

/** Neither side waits for states that the other one writes, because their organizations differ. */
type Organizations = { keys: string[]; org_ids: string[] }

type Orders = {
  bed: Bed
  load: ServiceLoad
  measureCore: (job: Pick<OrdersCoreJob, 'clients' | 'org_ids'>) => ReturnType<typeof measure>
}

export async function benchOrders(context: Context): Promise<Findings> {
  const { options, onProgress } = context
  const bed = await startBed(context)
  const service = await startService(bed, { settings: { VIGIL_RATE_LIMIT_ORDER: '900000000/10' } })
  const ready = await service.metrics()
  const scored = { orders: 0, flagged: 0 }
  const onResult = ({ units, marked }: HttpLoadResult) => {
    scored.orders += units
    scored.flagged += marked
  }
  const load = createServiceLoad(bed, { service, kind: 'orders', keys: [service.key], onResult })
  const core = addWorker<OrdersCoreJob, HttpLoadResult>(bed, 'orders-core', true)
  const usual = { data_dir: bed.data_dir, seconds: options.seconds, warm_seconds: WARM_SECONDS }
  const measureCore: Orders['measureCore'] = async (job) =>
    await measure(bed, {
      parties: { load: core.pid, postgres: bed.postgres },
      run: async () => {
        const result = await core.run({ ...usual, ...job })
        onResult(result)
        return result
      },
    })
  const rows: Row[] = []
  for (const count of options.organizations) {
    onProgress(`adding organizations for ${count}, warming up`)
    const organizations = await prepareOrganizations(bed, count)
    await load.send({ ...FIRST_WARM, keys: organizations.keys })
    await core.run({ ...usual, ...FIRST_WARM, org_ids: organizations.org_ids })
    const orders = { bed, load, measureCore }
    rows.push(...(await measureOrganizations(orders, organizations)))
  }
  const isHalfLoad = ({ subject }: Row) => subject.startsWith(HALF_LOAD)
  return {
    unit: `orders with 2 items of ${CUSTOMERS} customers`,
    rows,
    notes: [
      `flagged: ${((100 * scored.flagged) / scored.orders).toFixed(2)} % of the orders`,
      `memory of the service when started: ${megabytes(ready)} MB`,
    ],
    aims: [
      ...rows
        .filter(({ scenario }) => scenario.startsWith(AIMED))
        .flatMap((row) => ratioAim(row, row.subject === CORE ? AIM_CORE_RATIO : AIM_HTTP_RATIO)),
      ...rows.filter(isHalfLoad).map((row) => latencyAim(row, AIM_P99_MS)),
    ],
  }
}

async function prepareOrganizations(bed: Bed, count: number): Promise<Organizations> {
  const stores = await openBenchStores(bed.data_dir)
  try {
    const { db, newId, clock } = stores
    const keys = createKeys({ db, newId, clock })
    const org_ids = await addOrganizations(stores, count)
    const served = await addOrganizations(stores, count)
    const texts: string[] = []
    for (let from = 0; from < count; from += KEYS_TOGETHER) {
      const some = served.slice(from, from + KEYS_TOGETHER)
      const created = await Promise.all(some.map((id) => keys.create(id, 'live_secret')))
      texts.push(...created.map((one) => one?.key ?? ''))
    }
    return { keys: texts, org_ids }
  } finally {
    await stores.close()
  }
}

async function measureOrganizations(
  { bed, load, measureCore }: Orders,
  { keys, org_ids }: Organizations,
): Promise<Row[]> {
  const rows: Row[] = []
  const noun = keys.length === 1 ? 'organization' : 'organizations'
  for (const clients of bed.options.clients) {
    const scenario = `${clients} clients, ${keys.length} ${noun}`
    const comparison = { scenario, subjects: [CORE, HTTP], limit: LIMIT }
    const measured = await compare(bed, comparison, async (name) => {
      if (name === CORE) return await measureCore({ clients, org_ids })
      if (name === HTTP) return await load.measureHttp({ clients, keys })
      return await load.measureInserts({ clients, table: 'rows' })
    })
    rows.push(...measured)
    const http = measured.find(({ subject }) => subject === HTTP)
    if (http && HALF_LOAD_CLIENTS.includes(clients)) {
      const { half, inserts } = await load.measureHalfLoad(scenario, http.per_second, keys)
      rows.push(half, inserts)
    }
  }
  return rows
}
