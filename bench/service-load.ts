/** Load on the service and its limit on the same PostgreSQL server, at full and at half rate. */
import { addWorker, type Bed } from './bed.ts'
import type { HttpLoadJob, HttpLoadResult } from './http-load.ts'
import type { InsertJob } from './insert-load.ts'
import type { LoadJob, LoadResult } from './loads.ts'
import { combine, measure, type Row, repeat, type Sample, WARM_SECONDS } from './rounds.ts'
import type { Service } from './service.ts'

/** Omitted members take the values of a usual measured run. */
type HttpJob = Pick<HttpLoadJob, 'clients'> & Partial<HttpLoadJob>

export type ServiceLoad = {
  send(job: HttpJob): Promise<HttpLoadResult>
  measureHttp(job: HttpJob): Promise<Sample>
  measureInserts: ReturnType<typeof createInserts>
  /**
   * Measures latency at half load, in turns with that of bare inserts that are due as often.
   * @param fullPerSecond rate at full load, in requests
   */
  measureHalfLoad(
    scenario: string,
    fullPerSecond: number,
    keys?: string[],
  ): Promise<{ half: Row; inserts: Row }>
}

type Options = {
  service: Service
  kind: HttpLoadJob['kind']
  keys: string[]
  /** Units of work in each request, 1 unless given. */
  units?: number
  /** Sees the result of every measured run. */
  onResult?: (result: HttpLoadResult) => void
}

/** Start of the subjects that are requests at half load. */
export const HALF_LOAD = 'half load'
/** Enough for half load; a request that waits for a free client counts this wait as latency. */
const HALF_LOAD_CLIENTS = 64
/** A run at half load has fewer latencies, so it lasts longer. */
const HALF_LOAD_LENGTH = 2

const inUnits = (result: LoadResult, units: number): LoadResult => ({
  ...result,
  units: result.units * units,
  per_second: result.per_second * units,
})

const usualJob = ({ options }: Bed) => ({ seconds: options.seconds, warm_seconds: WARM_SECONDS })

/** @returns a function that measures single-row commits */
export function createInserts(bed: Bed, units = 1) {
  const { postgres, address } = bed
  const inserts = addWorker<InsertJob, LoadResult>(bed, 'insert-load')
  return async (job: Pick<InsertJob, 'clients' | 'table'> & Partial<LoadJob>): Promise<Sample> =>
    await measure(bed, {
      parties: { load: inserts.pid, postgres },
      run: async () => inUnits(await inserts.run({ ...usualJob(bed), address, ...job }), units),
    })
}

export function createServiceLoad(bed: Bed, options: Options): ServiceLoad {
  const { service, kind, keys, units = 1, onResult } = options
  const { seconds } = bed.options
  const http = addWorker<HttpLoadJob, HttpLoadResult>(bed, 'http-load')
  const send: ServiceLoad['send'] = async (job) =>
    await http.run({ ...usualJob(bed), port: service.port, kind, keys, ...job })
  const measureHttp: ServiceLoad['measureHttp'] = async (job) =>
    await measure(bed, {
      parties: { load: http.pid, service: service.pid, postgres: bed.postgres },
      service,
      run: async () => {
        const result = await send(job)
        onResult?.(result)
        return inUnits(result, units)
      },
    })
  const measureInserts = createInserts(bed, units)
  return {
    send,
    measureHttp,
    measureInserts,
    measureHalfLoad: async (scenario, fullPerSecond, ownKeys = keys) => {
      const per_second = fullPerSecond / 2
      const job = { clients: HALF_LOAD_CLIENTS, seconds: seconds * HALF_LOAD_LENGTH, per_second }
      const insert = { ...job, table: 'rows' as const }
      const rounds = await repeat(bed, `${scenario}, half load`, async () => ({
        half: await measureHttp({ ...job, keys: ownKeys }),
        inserts: await measureInserts(insert),
      }))
      const due = `${(per_second * units).toFixed(0)}/s due`
      const rowOf = (subject: string, samples: Sample[]): Row => ({
        scenario,
        subject: `${subject}, ${due}`,
        ...combine(samples),
      })
      return {
        half: rowOf(
          HALF_LOAD,
          rounds.map(({ half }) => half),
        ),
        inserts: rowOf(
          'INSERT',
          rounds.map(({ inserts }) => inserts),
        ),
      }
    },
  }
}
