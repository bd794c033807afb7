/**
 * The real service for a benchmark: `vigil serve` in a child process on a temporary data directory
 * with its embedded PostgreSQL, durability as shipped. The benchmark holds the server too, because
 * it needs connections of its own on the same one.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type PostgresAddress,
  startEmbeddedPostgres,
} from '../src/platform/postgres/embedded/server.ts'
import type { Cleanup } from './cleanup.ts'
import { profileFlags } from './worker.ts'

export type BenchPostgres = { address: PostgresAddress; data_dir: string; cluster: string }

export type Service = {
  port: number
  /** The live secret key of the first run. */
  key: string
  /** The organisation of that key. */
  org_id: string
  /** Its owner; only told by the first service of a data folder. */
  owner: { email: string; password: string } | undefined
  metrics(): Promise<Metrics>
  /** Before the benchmark ends, which stops it anyhow. */
  stop(): Promise<void>
}

/** Sum of the samples of each metric, whatever their labels. */
export type Metrics = (name: string) => number

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 15_000
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url))

/**
 * The shipped settings, but for room for the connections of the inserting clients.
 * @param settings more of them, `name=value`
 */
export async function startPostgres(
  cleanup: Cleanup,
  connectionsMax: number,
  tell: (step: string) => void,
  settings: string[] = [],
): Promise<BenchPostgres> {
  const data_dir = mkdtempSync(join(tmpdir(), 'vigil-bench-'))
  const cluster = join(data_dir, 'postgres')
  cleanup.add(async () => {
    await serverEnd(cluster)
    rmSync(data_dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  const server = await startEmbeddedPostgres({
    data_dir,
    progress: tell,
    settings: [`max_connections=${connectionsMax}`, ...settings],
  })
  cleanup.add(() => server.release())
  return { address: server.address, data_dir, cluster }
}

export async function startService(
  cleanup: Cleanup,
  options: {
    data_dir: string
    settings: Record<string, string>
    /** Where a CPU profile is left when the service ends. */
    profile_folder?: string | undefined
    main?: string
    role?: 'all' | 'api'
  },
): Promise<Service> {
  const { data_dir, settings, profile_folder, main = MAIN, role = 'all' } = options
  const flags = profileFlags(profile_folder)
  const child = spawn(process.execPath, [...flags, main, 'serve', '--json', '--role', role], {
    cwd: data_dir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // The service then ends with its parent, also when that is killed.
      npm_lifecycle_event: 'start',
      VIGIL_DATA_DIR: data_dir,
      VIGIL_PORT: '0',
      VIGIL_LOG_LEVEL: 'warn',
      VIGIL_RATE_LIMIT_CHECK: '900000000/10',
      VIGIL_RATE_LIMIT_ORDER: '900000000/10',
      ...settings,
    },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    await exited
    clearTimeout(killer)
  }
  cleanup.add(stop)
  const line = await Promise.race([
    firstLine(child.stdout),
    exited.then(() => undefined),
    sleep(START_DEADLINE_MS, undefined, { ref: false }),
  ])
  if (line === undefined) throw new Error('the service did not start')
  const ready = JSON.parse(line) as {
    url: string
    first_run?: { org_id: string; email: string; password: string; keys: { live_secret: string } }
  }
  return {
    port: Number(new URL(ready.url).port),
    key: ready.first_run?.keys.live_secret ?? '',
    org_id: ready.first_run?.org_id ?? '',
    owner: ready.first_run,
    stop,
    metrics: async () => await readMetrics(new URL('/metrics', ready.url)),
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line
  return undefined
}

async function readMetrics(url: URL): Promise<Metrics> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(STOP_DEADLINE_MS) })
  const sums = new Map<string, number>()
  for (const line of (await answer.text()).split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? []
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value))
  }
  return (name) => sums.get(name) ?? 0
}

/** The server stops on its own once nobody holds it, and takes its pid file along. */
async function serverEnd(cluster: string): Promise<void> {
  const deadline = Date.now() + STOP_DEADLINE_MS
  while (existsSync(join(cluster, 'postmaster.pid')) && Date.now() < deadline) await sleep(50)
}
