/** The real service: `vigil serve` in a child process. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'
import { profileFlags } from './worker.ts'

export type Service = {
  pid: number
  port: number
  /** Live secret key of the first organization, and the organization; empty after the first start. */
  key: string
  org_id: string
  metrics(): Promise<Metrics>
  /** Stops the service before the benchmark ends, which stops it in any case. */
  stop(): Promise<void>
}

export type ServiceOptions = {
  settings: Record<string, string>
  role?: 'all' | 'api'
}

/** @returns the sum of the samples of a metric over its labels */
export type Metrics = (name: string) => number

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 15_000
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url))

export async function spawnService(
  cleanup: Cleanup,
  options: ServiceOptions & { data_dir: string; profile_folder: string | undefined },
): Promise<Service> {
  const { data_dir, settings, profile_folder, role = 'all' } = options
  const flags = profileFlags(profile_folder)
  const child = spawn(process.execPath, [...flags, MAIN, 'serve', '--json', '--role', role], {
    cwd: data_dir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // Lets the service end with its parent, even when that is killed.
      npm_lifecycle_event: 'start',
      VIGIL_DATA_DIR: data_dir,
      VIGIL_PORT: '0',
      VIGIL_LOG_LEVEL: 'warn',
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
    first_run?: object
    credentials_file?: string
  }
  const first = readFirstRun(ready)
  return {
    pid: child.pid ?? 0,
    port: Number(new URL(ready.url).port),
    key: first?.keys.live_secret ?? '',
    org_id: first?.org_id ?? '',
    stop,
    metrics: async () => await readMetrics(new URL('/metrics', ready.url)),
  }
}

type FirstRun = { org_id: string; keys: { live_secret: string } }

function readFirstRun(ready: {
  first_run?: object
  credentials_file?: string
}): FirstRun | undefined {
  if (!ready.first_run || ready.credentials_file === undefined) return undefined
  return JSON.parse(readFileSync(ready.credentials_file, 'utf8')) as FirstRun
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line
  return undefined
}

async function readMetrics(url: URL): Promise<Metrics> {
  const response = await fetch(url, { signal: AbortSignal.timeout(STOP_DEADLINE_MS) })
  const sums = new Map<string, number>()
  for (const line of (await response.text()).split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? []
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value))
  }
  return (name) => sums.get(name) ?? 0
}

/** @returns `content` of a 200, for requests outside of the measured runs */
export async function request<Content>(
  { port, key }: Service,
  path: string,
  body: object,
): Promise<Content> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text.slice(0, 300)}`)
  return (JSON.parse(text) as { content: Content }).content
}
