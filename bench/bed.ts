/**
 * The surroundings of every benchmark: a temporary folder with an embedded PostgreSQL as shipped, the real
 * service and helpers as processes of their own, and the removal of all of it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStores, type Stores } from '../src/app/stores.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/platform/log.ts'
import type { PostgresAddress } from '../src/platform/postgres/embedded/place.ts'
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded/server.ts'
import type { Cleanup } from './cleanup.ts'
import type { BenchOptions } from './options.ts'
import { type Service, type ServiceOptions, spawnService } from './service.ts'
import { startWorker, type Worker } from './worker.ts'

export type Context = {
  options: BenchOptions
  cleanup: Cleanup
  onProgress: (step: string) => void
}

export type Bed = Context & {
  data_dir: string
  address: PostgresAddress
  /** Process id of the server. */
  postgres: number
  /** Process ids of everything else that the benchmark runs. */
  pids: Set<number>
}

/** The superuser reserve, the pool of the service and this program. */
const SPARE_CONNECTIONS = 80
const WAIT_MAX_MS = 180_000

/** Durability and memory are as shipped; only the clients of the limit need more connections. */
export async function startBed(context: Context): Promise<Bed> {
  const { cleanup, options, onProgress } = context
  onProgress('starting PostgreSQL')
  const data_dir = mkdtempSync(join(tmpdir(), 'vigil-bench-'))
  cleanup.add(() => {
    rmSync(data_dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  const server = await startEmbeddedPostgres({
    data_dir,
    progress: onProgress,
    settings: [`max_connections=${Math.max(...options.clients) + SPARE_CONNECTIONS}`],
  })
  cleanup.add(async () => {
    server.release()
    await server.stopped()
  })
  const pidFile = readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8')
  return {
    ...context,
    data_dir,
    address: server.address,
    postgres: Number(pidFile.split('\n')[0]),
    pids: new Set([process.pid]),
  }
}

export async function startService(
  { data_dir, cleanup, options, onProgress, pids }: Bed,
  serviceOptions: ServiceOptions,
): Promise<Service> {
  onProgress('starting the service')
  const { profile_folder } = options
  const service = await spawnService(cleanup, { data_dir, profile_folder, ...serviceOptions })
  pids.add(service.pid)
  return service
}

/** @param isProfiled whether the helper is part of what is measured */
export function addWorker<Job extends object, Result>(
  { cleanup, options, pids }: Bed,
  name: string,
  isProfiled = false,
): Worker<Job, Result> {
  const worker = startWorker<Job, Result>(name, isProfiled ? options.profile_folder : undefined)
  cleanup.add(worker.stop)
  pids.add(worker.pid)
  return worker
}

/** @returns the file in which the service finds the authority of emulated providers and receivers */
export function writeAuthority({ data_dir }: Bed, cert: string): string {
  const file = join(data_dir, 'bench-ca.pem')
  writeFileSync(file, cert)
  return file
}

/** Opens the same stores as the service does, on the server that is already running. */
export const openBenchStores = async (data_dir: string): Promise<Stores> =>
  await openStores({
    config: readConfig({ VIGIL_DATA_DIR: data_dir }),
    log: createLog('warn'),
    data_dir,
    progress: () => undefined,
    // Some benchmarks start no service, which would migrate the empty database.
    migrates: true,
  })

/** @returns the ids of new organizations */
export async function addOrganizations(stores: Stores, count: number): Promise<string[]> {
  const { db, newId, clock } = stores
  const ids = Array.from({ length: count }, () => newId(clock.now()))
  const organizations = ids.map((id) => ({ id, name: 'Bench', plan: 'business' as const }))
  await db.insertInto('organizations').values(organizations).execute()
  return ids
}

/** @throws Error when the condition does not hold within three minutes */
export async function waitUntil(
  condition: string,
  everyMs: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${condition}`)
    await sleep(everyMs)
  }
}
