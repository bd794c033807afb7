/**
 * `npm run bench -- mdm`: how fast devices that enrol are taken in, how long pages of a large fleet
 * take, and what a report about all of it takes of memory.
 */
import type { Stores } from '../src/stores.ts'
import type { Cleanup } from './cleanup.ts'
import { openBenchStores } from './core.ts'
import type { InsertJob } from './insert-load.ts'
import type { LoadResult } from './loop.ts'
import { measureEnrolment } from './mdm-enrolment.ts'
import { measureReadings } from './mdm-readings.ts'
import type { MdmReport } from './mdm-report.ts'
import type { BenchOptions } from './options.ts'
import { machineName } from './rounds.ts'
import { type BenchPostgres, startPostgres } from './service.ts'
import { startWorker, type Worker } from './worker.ts'

export type MdmBed = {
  postgres: BenchPostgres
  stores: Stores
  inserts: Worker<InsertJob, LoadResult>
  tell: (step: string) => void
}

const CONNECTIONS_MAX = 60

export async function benchMdm(
  options: BenchOptions,
  cleanup: Cleanup,
  tell: (step: string) => void,
): Promise<MdmReport> {
  tell('starting PostgreSQL')
  const postgres = await startPostgres(cleanup, CONNECTIONS_MAX, tell)
  const stores = await openBenchStores(postgres.data_dir)
  cleanup.add(stores.close)
  const inserts: MdmBed['inserts'] = startWorker('insert-load')
  cleanup.add(inserts.stop)
  const bed = { postgres, stores, inserts, tell }
  const enrolment = await measureEnrolment(bed, options, cleanup)
  const readings = await measureReadings(bed, options, cleanup)
  return { machine: machineName(), seconds: options.seconds, enrolment, ...readings }
}
