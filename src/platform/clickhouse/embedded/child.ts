/**
 * The process of the embedded analytics engine: chDB behind ClickHouse's HTTP interface on
 * loopback. It is a separate process because a crash of the engine takes its process down.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { constants, getPriority, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from 'chdb'
import { reasonOf } from '../../operator-error.ts'
import { querySettings, serverConfig } from './chdb-config.ts'
import {
  type ChildOptions,
  EXIT,
  INSERT_CONNECTIONS,
  QUERY_CONNECTIONS,
  USERNAME,
} from './child-options.ts'
import { type Connection, createConnection } from './connections.ts'
import { createFront, type Front } from './front.ts'
import { createMemoryGuard, type MemoryGuard } from './memory.ts'
import { createSlots, type Slots } from './slots.ts'
import { removeState, writeState } from './state-file.ts'

/** Memory of the program and its library, measured as 250 MB, plus responses being sent. */
const OWN_MEMORY_MB = 768
const STOP_DEADLINE_MS = 5000
const MAINTENANCE_INTERVAL_MS = 5000
/** An engine that has not answered its own process for this long never will. */
const STUCK_MS = 60_000
/** An idle process that exceeds its memory in this many consecutive checks has leaked memory. */
const FULL_CHECKS_MAX = 6
/**
 * Requests are acknowledged without the engine, so where processor time is scarce it gets a third of
 * that of the service and of PostgreSQL. Otherwise each block that it inserts delays acknowledgements.
 */
const NICE_ADDED = 5

function end(status: number, reason: string): never {
  // The supervisor finds this line in the log by its prefix, see log-file.ts.
  process.stderr.write(`FATAL: ${reason}\n`)
  process.exit(status)
}

/** Must precede the engine, because on Linux a thread takes the priority of the one that starts it. */
function yieldToRequests(): void {
  setPriority(Math.min(getPriority() + NICE_ADDED, constants.priority.PRIORITY_LOW))
}

async function main(options: ChildOptions): Promise<void> {
  yieldToRequests()
  let isStopRequested = false
  let stop = () => {
    isStopRequested = true
  }
  // The watchdog repeats the signal until the process has ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop())

  const open = await sessionOpener(options)
  const base = querySettings(options)
  const folder = dirname(options.config_file)
  const connect = (): Connection => createConnection(open, base, folder)
  const whenFull = () => new Error('maintenance queries do not finish')
  const maintenance = createSlots({ items: [connect()], waiting_max: 10, whenFull })
  const version = await readVersion(maintenance)
  const memory = createMemoryGuard({
    max_bytes: (options.memory_mb + OWN_MEMORY_MB) * 1_048_576,
    resident: () => process.memoryUsage.rss(),
    purge: async () => void (await runMaintenance(maintenance, 'SYSTEM JEMALLOC PURGE')),
  })
  const password = randomBytes(24).toString('base64url')
  const front = createFront({
    credentials: { username: USERNAME, password },
    version,
    queries: Array.from({ length: QUERY_CONNECTIONS }, connect),
    inserts: Array.from({ length: INSERT_CONNECTIONS }, connect),
    memory,
    onBroken: (reason) => end(EXIT.broken, reason),
  })
  await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve))
  const { port } = front.server.address() as AddressInfo
  stop = once(() => void close(front, options))
  if (isStopRequested) return stop()
  writeState(options.state_file, { pid: process.pid, port, username: USERNAME, password, version })
  void maintain(maintenance, memory, front)
}

async function sessionOpener(options: ChildOptions): Promise<() => Session> {
  const { Session } = await import('chdb').catch((error: unknown) =>
    end(EXIT.no_package, reasonOf(error).split('\n')[0] ?? ''),
  )
  // The engine opens nothing if it cannot resolve its working folder, which may be in a closed folder.
  process.chdir('/')
  writeFileSync(options.config_file, serverConfig(options, options.backup_folder), { mode: 0o600 })
  const connectionArgs = [`--config-file=${options.config_file}`]
  return () => {
    try {
      return new Session(options.directory, { connectionArgs })
    } catch (error) {
      end(EXIT.not_opened, reasonOf(error))
    }
  }
}

async function runMaintenance(maintenance: Slots<Connection>, sql: string): Promise<string> {
  const work = { database: 'default', settings: new Map(), sql, format: 'TabSeparated' }
  const done = await maintenance.use(
    () => true,
    async (connection) => await connection.run(work),
  )
  return Buffer.from(done?.bytes ?? []).toString('utf8')
}

async function readVersion(maintenance: Slots<Connection>): Promise<string> {
  try {
    return (await runMaintenance(maintenance, 'SELECT version()')).trim()
  } catch (error) {
    end(EXIT.not_opened, reasonOf(error))
  }
}

async function maintain(
  maintenance: Slots<Connection>,
  memory: MemoryGuard,
  front: Front,
): Promise<void> {
  let fullChecks = 0
  for (;;) {
    await sleep(MAINTENANCE_INTERVAL_MS, undefined, { ref: false })
    const stuck = setTimeout(end, STUCK_MS, EXIT.broken, 'the engine has stopped answering')
    const state = await memory.tidy().catch(() => 'fine')
    await runMaintenance(maintenance, 'SELECT 1').catch((error: unknown) =>
      end(EXIT.broken, reasonOf(error)),
    )
    clearTimeout(stuck)
    fullChecks = state === 'full' && front.busy() === 0 ? fullChecks + 1 : 0
    if (fullChecks === FULL_CHECKS_MAX)
      end(EXIT.broken, 'the process has leaked memory and is being replaced')
  }
}

/** Finishes inserts and the queries of connected clients, until the deadline. */
async function close(front: Front, { state_file }: ChildOptions): Promise<void> {
  removeState(state_file, process.pid)
  front.server.close()
  front.server.closeIdleConnections()
  const deadline = performance.now() + STOP_DEADLINE_MS
  while (front.unfinished() > 0 && performance.now() < deadline) await sleep(20)
  // An orderly exit of the engine was seen to crash or hang, and it has no benefit: everything that
  // was acknowledged is on disk.
  process.kill(process.pid, 'SIGKILL')
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

await main(JSON.parse(process.argv[2] ?? '{}') as ChildOptions)
