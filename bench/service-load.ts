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
  /** @param fullPerSecond rate at full load, in requests */
  measureHalfLoad(scenario: string, fullPerSecond: number, keys?: string[]): Promise<Row>
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
  return {
    send,
    measureHttp,
    measureInserts: createInserts(bed, units),
    measureHalfLoad: async (scenario, fullPerSecond, ownKeys = keys) => {
      const per_second = fullPerSecond / 2
      const job = { clients: HALF_LOAD_CLIENTS, seconds: seconds * HALF_LOAD_LENGTH, per_second }
      const samples = await repeat(
        bed,
        `${scenario}, half load`,
        async () => await measureHttp({ ...job, keys: ownKeys }),
      )
      const subject = `half load, ${(per_second * units).toFixed(0)}/s due`
      return { scenario, subject, ...combine(samples) }
    },
  }
}
