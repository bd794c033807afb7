/**
 * The handle through which everything asks the analytics engine: ClickHouse's HTTP interface, be it
 * a server or the embedded engine. Every call has one deadline around all of it, and fails as
 * EngineAway or EngineRefusal.
 */
import { addAbortSignal, Readable } from 'node:stream'
import {
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  type ExecParams,
  type ExecResult,
} from '@clickhouse/client'
import type { Log } from '../log.ts'
import { EngineAway, type EngineRefusal, engineError } from './errors.ts'

type Client = ReturnType<typeof createClient>

export type ClickHouse = {
  /**
   * Rows of a SELECT (without FORMAT). Placeholders `{name:Type}` in the SQL, values in `params`.
   * 64-bit integers arrive as numbers.
   */
  query<Row>(
    sql: string,
    params?: Readonly<Record<string, unknown>>,
    options?: { timeout_ms?: number },
  ): Promise<Row[]>
  /** DDL and the like, which may take minutes. */
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * One block of NDJSON, up to 64 MB and a million rows; resolves when it is durable. A token that
   * was used lately inserts nothing. `table` is taken as SQL.
   */
  insert(table: string, lines: readonly Buffer[], token: string, signal: AbortSignal): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

export type ClickHouseAddress = {
  url: string
  username: string
  password: string
  database: string
}

export type ClickHouseOptions = {
  /** Where it is now; asked before each request. May wait, and throws EngineAway when it is gone. */
  address: () => Promise<ClickHouseAddress>
  /** Of a query that names no time of its own, everything included. */
  timeout_ms: number
  log: Log
  /** Told when the engine did not answer. */
  onAway?: () => void
}

const COMMAND_TIMEOUT_MS = 600_000
const PING_TIMEOUT_MS = 3000
/** Requests of one process at the same time; more wait for a connection, within their deadline. */
const CONNECTIONS_MAX = 32
/** An answer is read into memory. */
const ANSWER_MAX_BYTES = 268_435_456
const CHUNK_BYTES = 262_144

/** A refusal must not come in the middle of an answer that has begun. */
const READ_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
}

/**
 * Everything that is sent is one block, cut the same way when it is sent again: a token stands for
 * a block, so that of a cut one the second part would be taken for a repetition of the first.
 */
const INSERT_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  async_insert: 0,
  insert_deduplicate: 1,
  distributed_foreground_insert: 1,
  input_format_parallel_parsing: 0,
  input_format_skip_unknown_fields: 0,
  date_time_input_format: 'best_effort',
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: '1073741824',
}

export function createClickHouse(options: ClickHouseOptions): ClickHouse {
  const connections = createConnections(options.address)
  const ask = createAsk(options, connections.current)
  return {
    query: async <Row>(
      sql: string,
      params: Readonly<Record<string, unknown>> = {},
      { timeout_ms = options.timeout_ms }: { timeout_ms?: number } = {},
    ): Promise<Row[]> => {
      const text = await ask('query', AbortSignal.timeout(timeout_ms), {
        query: `${sql}\nFORMAT JSONEachRow`,
        query_params: { ...params },
        clickhouse_settings: { ...READ_SETTINGS, max_execution_time: timeout_ms / 1000 },
      })
      return rowsOf<Row>(text)
    },
    command: async (sql, params = {}) => {
      await ask('command', AbortSignal.timeout(COMMAND_TIMEOUT_MS), {
        query: sql,
        query_params: { ...params },
        clickhouse_settings: READ_SETTINGS,
      })
    },
    insert: async (table, lines, token, signal) => {
      await ask('insert', signal, {
        query: `INSERT INTO ${table} FORMAT JSONEachRow`,
        clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: token },
        lines,
      })
    },
    ping: async () => {
      const request = { query: 'SELECT 1', clickhouse_settings: {} }
      return await ask('query', AbortSignal.timeout(PING_TIMEOUT_MS), request).then(
        () => true,
        () => false,
      )
    },
    close: connections.close,
  }
}

type Asked = 'query' | 'command' | 'insert'
type Request = ExecParams & {
  /** Rows to insert. */
  lines?: readonly Buffer[]
}
type Ask = (asked: Asked, signal: AbortSignal, request: Request) => Promise<string>

/** One request from the address to the last byte of its answer, all within the signal. */
function createAsk(options: ClickHouseOptions, current: () => Promise<Client>): Ask {
  return async (asked, signal, { lines, ...request }) => {
    const start = performance.now()
    let failed: EngineAway | EngineRefusal | undefined
    try {
      return await orAborted(signal, async () => {
        const client = await current()
        const values = lines && Readable.from(inChunks(lines), { objectMode: false })
        const all = { ...request, ...(values && { values }), abort_signal: signal }
        return await readText(await client.exec(all), signal)
      })
    } catch (cause) {
      failed = engineError(cause, asked)
      if (failed instanceof EngineAway) options.onAway?.()
      throw failed
    } finally {
      const duration_ms = Math.round(performance.now() - start)
      options.log.debug({ asked, duration_ms, failed: failed?.message }, 'analytics engine')
    }
  }
}

/** One client for as long as the address stays the same. */
function createConnections(address: () => Promise<ClickHouseAddress>) {
  let held: { key: string; client: Client } | undefined
  const close = async () => {
    const client = held?.client
    held = undefined
    await client?.close()
  }
  const current = async (): Promise<Client> => {
    const { url, username, password, database } = await address()
    const key = JSON.stringify([url, username, password, database])
    if (held?.key === key) return held.client
    void close()
    const client = createClient({
      url,
      username,
      password,
      database,
      application: 'vigil',
      request_timeout: COMMAND_TIMEOUT_MS,
      max_open_connections: CONNECTIONS_MAX,
      keep_alive: { enabled: true, idle_socket_ttl: 2500 },
      log: { level: ClickHouseLogLevel.OFF },
    })
    held = { key, client }
    return client
  }
  return { current, close }
}

/** The library listens to the signal only until the answer begins, and not while it connects. */
async function orAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const done = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const options = { once: true, signal: done.signal }
    signal.addEventListener('abort', () => reject(signal.reason as Error), options)
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    done.abort()
  }
}

async function readText({ stream }: ExecResult<Readable>, signal: AbortSignal): Promise<string> {
  addAbortSignal(signal, stream)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > ANSWER_MAX_BYTES) throw new EngineAway('The answer of the engine is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Each piece of the stream costs a system call on both sides, so that small ones are joined. */
function* inChunks(lines: readonly Buffer[]): Generator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for (const line of lines) {
    waiting.push(line)
    size += line.length
    if (size < CHUNK_BYTES) continue
    yield waiting.length === 1 ? line : Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

const rowsOf = <Row>(text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
