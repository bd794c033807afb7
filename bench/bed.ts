/** What runs while measurements are taken, whatever is measured: PostgreSQL, service and loads. */
import type { Cleanup } from './cleanup.ts'
import type { HttpLoadJob, HttpLoadResult } from './http-load.ts'
import type { InsertJob } from './insert-load.ts'
import type { LoadResult } from './loop.ts'
import type { BenchOptions } from './options.ts'
import type { RequestKind } from './requests.ts'
import { type BenchPostgres, type Service, startPostgres, startService } from './service.ts'
import { startWorker, type Worker } from './worker.ts'

export type Bed = {
  service: Service
  postgres: BenchPostgres
  inserts: Worker<InsertJob, LoadResult>
  /** A load on the service, filled up with what all loads have in common. */
  load(
    job: Pick<HttpLoadJob, 'clients' | 'seconds'> & Partial<HttpLoadJob>,
    onProgress?: (answered: number) => void,
  ): Promise<HttpLoadResult>
  tell: (step: string) => void
}

export const WARM_SECONDS = 0.5
/** Connections that neither clients nor the service use: superuser reserve and this program. */
const SPARE_CONNECTIONS = 60

export async function prepareBed(
  { options, kind, settings }: BedOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<Bed> {
  tell('starting PostgreSQL, the service and its surroundings')
  const connections = Math.max(...options.clients) + SPARE_CONNECTIONS
  const postgres = await startPostgres(cleanup, connections, tell)
  const service = await startService(cleanup, {
    data_dir: postgres.data_dir,
    settings,
    profile_folder: options.profile_folder,
  })
  const loads = startWorker<HttpLoadJob, HttpLoadResult, number>('http-load')
  cleanup.add(loads.stop)
  const inserts = startWorker<InsertJob, LoadResult>('insert-load')
  cleanup.add(inserts.stop)
  const common = {
    port: service.port,
    key: service.key,
    kind,
    warm_seconds: WARM_SECONDS,
    must_echo: true,
  }
  const load: Bed['load'] = async (job, onProgress) =>
    await loads.run({ ...common, ...job }, onProgress)
  return { service, postgres, inserts, load, tell }
}

type BedOptions = {
  options: BenchOptions
  /** What the load asks. */
  kind: RequestKind
  /** Of the service, by the names of their environment variables. */
  settings: Record<string, string>
}
