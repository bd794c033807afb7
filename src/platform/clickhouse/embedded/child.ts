/**
 * The process of the embedded analytics engine: chDB with ClickHouse's HTTP interface in front, on
 * loopback. It is a process of its own because an engine that fails takes its process with it.
 * Started by the watchdog with one argument (ChildOptions as JSON); says where it is by a file.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
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

/** What the program itself and its library take, measured 250 MB, and answers on their way. */
const OWN_MEMORY_MB = 768
const STOP_DEADLINE_MS = 5000
const UPKEEP_INTERVAL_MS = 5000
/** An engine that does not answer a question of its own process for so long never will. */
const STUCK_MS = 60_000
/** So many looks in a row at a process that nobody uses and that is full all the same. */
const FULL_LOOKS_MAX = 6

function end(status: number, reason: string): never {
  // Where the supervisor reads it, see log-file.ts.
  process.stderr.write(`FATAL: ${reason}\n`)
  process.exit(status)
}

async function main(options: ChildOptions): Promise<void> {
  let isStopRequested = false
  let stop = () => {
    isStopRequested = true
  }
  // The watchdog repeats itself until the process is gone.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop())

  const open = await opener(options)
  const base = querySettings(options)
  const connect = (): Connection => createConnection(open, base)
  const whenFull = () => new Error('upkeep does not come to an end')
  const upkeep = createSlots({ things: [connect()], waiting_max: 10, whenFull })
  const version = await askVersion(upkeep)
  const memory = createMemoryGuard({
    max_bytes: (options.memory_mb + OWN_MEMORY_MB) * 1_048_576,
    resident: () => process.memoryUsage.rss(),
    purge: async () => void (await ask(upkeep, 'SYSTEM JEMALLOC PURGE')),
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
  void keepUp(upkeep, memory, front)
}

async function opener(options: ChildOptions): Promise<() => Session> {
  const { Session } = await import('chdb').catch((error: unknown) =>
    end(EXIT.no_package, reasonOf(error).split('\n')[0] ?? ''),
  )
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

async function ask(upkeep: Slots<Connection>, sql: string): Promise<string> {
  const work = { database: 'default', settings: new Map(), sql, format: 'TabSeparated' }
  const done = await upkeep.use(
    () => true,
    async (connection) => await connection.run(work),
  )
  return Buffer.from(done?.bytes ?? []).toString('utf8')
}

async function askVersion(upkeep: Slots<Connection>): Promise<string> {
  try {
    return (await ask(upkeep, 'SELECT version()')).trim()
  } catch (error) {
    end(EXIT.not_opened, reasonOf(error))
  }
}

async function keepUp(upkeep: Slots<Connection>, memory: MemoryGuard, front: Front): Promise<void> {
  let fullLooks = 0
  for (;;) {
    await sleep(UPKEEP_INTERVAL_MS, undefined, { ref: false })
    const stuck = setTimeout(end, STUCK_MS, EXIT.broken, 'the engine does not answer any more')
    const state = await memory.tidy().catch(() => 'fine')
    await ask(upkeep, 'SELECT 1').catch((error: unknown) => end(EXIT.broken, reasonOf(error)))
    clearTimeout(stuck)
    fullLooks = state === 'full' && front.busy() === 0 ? fullLooks + 1 : 0
    if (fullLooks === FULL_LOOKS_MAX) end(EXIT.broken, 'memory was lost; a new process begins')
  }
}

/** Inserts, and what somebody waits for, are finished, but not for longer than the deadline. */
async function close(front: Front, { state_file }: ChildOptions): Promise<void> {
  removeState(state_file, process.pid)
  front.server.close()
  front.server.closeIdleConnections()
  const deadline = performance.now() + STOP_DEADLINE_MS
  while (front.owed() > 0 && performance.now() < deadline) await sleep(20)
  // The engine was seen to crash or to hang on an orderly exit, and has nothing to gain from one: what
  // it acknowledged is in its files.
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
