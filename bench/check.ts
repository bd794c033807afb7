/** Throughput and latency of POST /check against single-row commits on the same PostgreSQL server. */
import { type Context, startBed, startService } from './bed.ts'
import { type Findings, latencyAim, megabytes, ratioAim } from './report.ts'
import { compare, type Row } from './rounds.ts'
import { createServiceLoad } from './service-load.ts'
import { DOMAINS, startWorld } from './world.ts'

const UNIT = `checks of addresses at ${DOMAINS} known domains`
const SUBJECT = 'POST /check'
const LIMIT = 'INSERT'
/** A first run, after which hot functions are compiled. */
const FIRST_WARM = { clients: 32, seconds: 4 }
const AIMED = '32 clients'
const AIM_RATIO = 0.5
const AIM_P99_MS = 10

/** @throws Error when a run needs a look-up outside the service, which must not be measured */
export async function benchCheck(context: Context): Promise<Findings> {
  const { options, cleanup, onProgress } = context
  const world = await startWorld()
  cleanup.add(world.close)
  const bed = await startBed(context)
  const settings = { ...world.settings, VIGIL_RATE_LIMIT_CHECK: '900000000/10' }
  const service = await startService(bed, { settings })
  const load = createServiceLoad(bed, { service, kind: 'checks', keys: [service.key] })
  const ready = await service.metrics()
  onProgress('warming up')
  await load.send({ clients: 4, seconds: 30, count: DOMAINS * 2 })
  await load.send(FIRST_WARM)
  const lookups = async () => (await service.metrics())('vigil_lookups_total')
  const lookupsBefore = await lookups()

  const rows: Row[] = []
  for (const clients of options.clients) {
    const comparison = { scenario: `${clients} clients`, subjects: [SUBJECT], limit: LIMIT }
    const measured = await compare(bed, comparison, async (name) =>
      name === LIMIT
        ? await load.measureInserts({ clients, table: 'rows' })
        : await load.measureHttp({ clients }),
    )
    rows.push(...measured)
  }
  const checks = rows.filter(({ subject }) => subject === SUBJECT)
  const best = Math.max(...checks.map(({ per_second }) => per_second))
  if (options.main_path_only) return { unit: UNIT, rows, notes: [], aims: [] }
  const { half, inserts } = await load.measureHalfLoad('half of the best rate', best)
  const lookupsMade = (await lookups()) - lookupsBefore
  if (lookupsMade > 0) throw new Error(`${lookupsMade} look-ups were not answered from the cache`)
  return {
    unit: UNIT,
    rows: [...rows, half, inserts],
    notes: [`memory of the service when started: ${megabytes(ready)} MB`],
    aims: [
      ...checks
        .filter(({ scenario }) => scenario === AIMED)
        .flatMap((row) => ratioAim(row, AIM_RATIO)),
      latencyAim(half, AIM_P99_MS),
    ],
  }
}
