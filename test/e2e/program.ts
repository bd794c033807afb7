/**
 * Runs the built program as its users do: as a process with its own environment and folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { killProcessesOf, processesOf } from './processes.ts'

/** `E2E_MAIN` makes the tests use another build. */
export const MAIN = process.env['E2E_MAIN'] ?? join(packageRoot(), 'dist', 'src', 'main.js')

/** Whether the tests can switch to another account and inspect processes of other users. */
export const isRoot = process.getuid?.() === 0
export const isLinux = process.platform === 'linux'
/** An unprivileged account, which need not have a name. */
export const NOBODY = { uid: 65_534, gid: 65_534 }

export type Account = { uid: number; gid: number }

export type RunOptions = {
  cwd: string
  env?: Record<string, string>
  account?: Account | undefined
  /** Program to run instead of Vigil, with the same `args`. */
  program?: string
  /** Whether to start a separate process group, as a terminal does. */
  detached?: boolean
}

export type Ended = { status: number | null; signal: string | null; stdout: string; stderr: string }

export type Running = {
  child: ChildProcess
  pid: number
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
}

const START_TIMEOUT_MS = 60_000
const POLL_MS = 20

/** Look-ups stay on this machine and fail immediately, because nothing listens at their address. */
const BASE_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: tmpdir(),
  VIGIL_PORT: '0',
  VIGIL_DNS_SERVERS: '127.0.0.1:1',
  VIGIL_RDAP_ENABLED: 'false',
  VIGIL_DRAIN_SECONDS: '0',
}

export function launch(args: string[], options: RunOptions): Running {
  const { cwd, env = {}, account, program, detached = false } = options
  const command = program === undefined ? [process.execPath, MAIN, ...args] : [program, ...args]
  const [file = '', ...rest] = command
  const child = spawn(file, rest, {
    cwd,
    env: { ...BASE_ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    ...account,
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve({ status, signal, stdout, stderr }))
  })
  return { child, pid: child.pid ?? 0, stdout: () => stdout, stderr: () => stderr, ended }
}

export const run = async (args: string[], options: RunOptions): Promise<Ended> =>
  await launch(args, options).ended

/** Returns the JSON object that a command prints with `--json`. */
export async function runJson<T>(args: string[], options: RunOptions): Promise<T> {
  const { status, stdout, stderr } = await run([...args, '--json'], options)
  if (status !== 0) throw new Error(`vigil ${args.join(' ')} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as T
}

export type Ready = {
  url: string
  data_dir: string
  /** The password and the keys, which are not printed. */
  credentials_file?: string
  first_run?: {
    org_id: string
    email: string
    password: string
    keys: Record<'live_secret' | 'test_secret' | 'live_public' | 'test_public', string>
  }
}

export type Service = Running & {
  ready: Ready
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** Starts `vigil serve` and waits until it reports that it is ready. */
export async function serve(options: RunOptions & { args?: string[] }): Promise<Service> {
  const running = launch(['serve', '--json', ...(options.args ?? [])], options)
  const line = await waitFor(running, () => /^\{.*\}$/m.exec(running.stdout())?.[0])
  return {
    ...running,
    ready: withCredentials(JSON.parse(line) as Ready),
    stop: async (signal = 'SIGTERM') => {
      running.child.kill(signal)
      return await running.ended
    },
  }
}

/** Tests use the credentials of a first start as its operator does, from the file. */
export function withCredentials(ready: Ready): Ready {
  if (!ready.first_run || ready.credentials_file === undefined) return ready
  const stored = JSON.parse(readFileSync(ready.credentials_file, 'utf8')) as Ready['first_run']
  return stored ? { ...ready, first_run: stored } : ready
}

/** @throws Error when the program ends or the time is up before `find` returns a value */
export async function waitFor<T>(running: Running, find: () => T | undefined): Promise<T> {
  const deadline = Date.now() + START_TIMEOUT_MS
  let end: Ended | undefined
  running.ended.then(
    (result) => {
      end = result
    },
    () => undefined,
  )
  while (Date.now() < deadline) {
    const found = find()
    if (found !== undefined) return found
    if (end) break
    await pause(POLL_MS)
  }
  throw new Error(`The program is not ready. Its output: ${running.stdout()}\n${running.stderr()}`)
}

export type Room = {
  /** A fresh folder, also the home of the default data directory `data`. */
  folder: string
  /**
   * Resolves when no process uses the folder.
   *
   * @throws Error naming the processes that remain
   */
  empty(): Promise<void>
  close(): Promise<void>
}

const EMPTY_TIMEOUT_MS = 15_000

export function createRoom(account?: Account): Room {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-e2e-'))
  // Other users may enter the folder, as with a usual project folder.
  chmodSync(folder, 0o755)
  if (account) chownSync(folder, account.uid, account.gid)
  const empty = async () => {
    const deadline = Date.now() + EMPTY_TIMEOUT_MS
    while (processesOf(folder).length > 0) {
      if (Date.now() > deadline) {
        throw new Error(
          `still running: ${processesOf(folder)
            .map(({ text }) => text)
            .join('; ')}`,
        )
      }
      await pause(POLL_MS)
    }
  }
  return {
    folder,
    empty,
    close: async () => {
      killProcessesOf(folder)
      await empty()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** @returns creates a room that is closed after the test */
export function useRoom(): typeof createRoom {
  const rooms: Room[] = []
  afterEach(async () => {
    for (const room of rooms.splice(0)) await room.close()
  })
  return (account) => {
    const room = createRoom(account)
    rooms.push(room)
    return room
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
