/**
 * A system of several processes: PostgreSQL behind PgBouncer, Redis, three API and two worker processes, and two cells.
 * PgBouncer and Redis are those of the machine, and left out where they are not installed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/server.ts'
import { pgBouncerProgram, startPgBouncer } from '../support/pgbouncer.ts'
import { startRelay } from '../support/relay.ts'
import { freePort } from './free-port.ts'
import { killPostgres, untilRestarted } from './processes.ts'
import {
  launch,
  pause,
  type Running,
  type RunOptions,
  runJson,
  type Service,
  serve,
  useRoom,
  waitFor,
} from './program.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const APIS = 3
const WORKERS = 2
const MASTER_KEY = Buffer.alloc(32, 9).toString('base64')
const CLOCK_LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const DISK_MB = 2048
const DISK_FULL_MS = 4000
const SESSIONS = { pool_mode: 'session', max_client_conn: '500', default_pool_size: '90' }

export type ChaosSystem = Awaited<ReturnType<typeof startSystem>>

export const hasClockLibrary = existsSync(CLOCK_LIBRARY)
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
export const hasPooler = pgBouncerProgram !== undefined

/** @returns starts a system; its disk is removed after the test, before the folder that contains it */
export function useSystem(): () => Promise<ChaosSystem> {
  const newRoom = useRoom()
  const disks: (SmallDisk | undefined)[] = []
  afterEach(() => {
    for (const disk of disks.splice(0)) disk?.close()
  })
  return async () => {
    const { folder } = newRoom()
    const data_dir = join(folder, 'data')
    mkdirSync(data_dir)
    const disk = mountSmallDisk(data_dir, DISK_MB)
    disks.push(disk)
    return await startSystem(folder, data_dir, disk)
  }
}

async function startSystem(folder: string, data_dir: string, disk: SmallDisk | undefined) {
  const postgres = await startEmbeddedPostgres({ data_dir, progress: () => undefined })
  const { user, database } = postgres.address
  const relay = await startRelay(postgres.address)
  relay.open()
  const port = hasPooler ? await freePort() : relay.port
  const settings = { ...SESSIONS, listen_port: String(port) }
  const openPooler = async () =>
    hasPooler ? await startPgBouncer(settings, postgres.address) : undefined
  let pooler = await openPooler()
  const redisPort = await freePort()
  const openRedis = () => (hasRedis ? startRedis(redisPort, folder) : undefined)
  let redis = openRedis()
  const env: Record<string, string> = {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${port}/${database}`,
    VIGIL_MASTER_KEY: MASTER_KEY,
    VIGIL_POSTGRES_POOL_SIZE: '5',
    VIGIL_BILLING_INTERVAL_SECONDS: '1',
    VIGIL_RATE_LIMIT_ORDER: '1000000/1',
    VIGIL_RATE_LIMIT_CHECK: '1000000/1',
    ...(hasRedis && { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
  }
  const options: RunOptions = { cwd: folder, env }
  // A node that starts again listens at the same address, as behind a load balancer.
  const ports = await Promise.all(Array.from({ length: APIS }, freePort))
  const startApi = async (index: number, more: Record<string, string> = {}): Promise<Service> => {
    const own = { VIGIL_PORT: String(ports[index]), ...more }
    return await serve({ cwd: folder, env: { ...env, ...own }, args: ['--role', 'api'] })
  }
  const startWorker = async (): Promise<Running> => {
    const worker = launch(['serve', '--role', 'worker', '--json'], options)
    await waitFor(worker, () => /^\{.*\}$/m.exec(worker.stdout())?.[0])
    return worker
  }
  const first = await startApi(0)
  const { org_id = '', keys } = first.ready.first_run ?? {}
  await runJson(['cell', 'add', 'east', '--schema', 'east'], options)
  await first.stop()
  const apis: Service[] = []
  while (apis.length < APIS) apis.push(await startApi(apis.length))
  const workers: Running[] = []
  while (workers.length < WORKERS) workers.push(await startWorker())
  await runJson(['cell', 'drain', 'east', '--undo'], options)

  return {
    data_dir,
    options,
    org_id,
    keys: { live: keys?.live_secret ?? '', test: keys?.test_secret ?? '' },
    apis,
    workers,
    urls: () => apis.map(({ ready }) => ready.url),
    killApi: async (index: number, clock?: string) => {
      await apis[index]?.stop('SIGKILL')
      const later =
        clock === undefined
          ? {}
          : { LD_PRELOAD: CLOCK_LIBRARY, FAKETIME: clock, DONT_FAKE_MONOTONIC: '1' }
      apis[index] = await startApi(index, later)
    },
    killWorker: async (index: number) => {
      workers[index]?.child.kill('SIGKILL')
      await workers[index]?.ended
      workers[index] = await startWorker()
    },
    hasDisk: disk !== undefined,
    fillDisk: async () => {
      disk?.fill()
      await pause(DISK_FULL_MS)
      disk?.free()
    },
    killDatabase: async () => await untilRestarted(data_dir, killPostgres(data_dir)),
    killPooler: async () => {
      await pooler?.stop()
      pooler = await openPooler()
    },
    killRedis: async () => {
      redis?.kill('SIGKILL')
      if (redis) await once(redis, 'exit')
      redis = openRedis()
    },
    stop: async () => {
      for (const each of [...apis, ...workers]) each.child.kill('SIGTERM')
      await Promise.all([...apis, ...workers].map(async ({ ended }) => await ended))
      redis?.kill('SIGKILL')
      await pooler?.stop()
      relay.close()
      postgres.release()
      await postgres.stopped()
    },
  }
}

const startRedis = (port: number, folder: string): ChildProcess =>
  spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    cwd: folder,
    stdio: 'ignore',
  })
