/**
 * Client of the analytics engine over ClickHouse's HTTP interface, for a server and for the embedded
 * engine. Every call has one deadline for all of its work and fails with EngineUnavailable or
 * EngineRefusal.
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
import { readUpTo } from '../read-up-to.ts'
import { type EngineRefusal, EngineUnavailable, engineError, type Operation } from './errors.ts'

type Client = ReturnType<typeof createClient>

export type ClickHouse = {
  /**
   * Returns the rows of a SELECT without FORMAT. The SQL has parameters as `{name:Type}`, with their
   * values in `params`. 64-bit integers are returned as numbers.
   */
  query<Row>(
    sql: string,
    params?: Readonly<Record<string, unknown>>,
    options?: { timeout_ms?: number },
  ): Promise<Row[]>
  /** Returns the rows of a SELECT as lines of JSON that `insert` accepts. */
  read(sql: string, params: Readonly<Record<string, unknown>>): Promise<Buffer>
  /** Runs DDL and other statements without rows, which can take minutes. */
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Inserts one block of rows, up to 64 MB and a million of them, and resolves when it is durable.
   * A token that was used recently inserts nothing. `table` becomes part of the SQL and is not quoted;
   * binary rows need its columns in parentheses after the name.
   * @param format of the rows; default: lines of JSON
   */
  insert(
    table: string,
    rows: readonly Buffer[],
    token: string,
    signal: AbortSignal,
    format?: RowsFormat,
  ): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}

export type RowsFormat = 'JSONEachRow' | 'RowBinary'

export type ClickHouseAddress = {
  url: string
  username: string
  password: string
  database: string
}

export type ClickHouseOptions = {
  /** Called before each request. May wait, and throws EngineUnavailable if the engine is down. */
  address: () => Promise<ClickHouseAddress>
  /** Default time limit of a query, including the connection. */
  timeout_ms: number
  log: Log
  /** Number of replicas that must have the rows of an insert, or `auto` for a majority. */
  insert_quorum?: string | undefined
  /** Called when the engine did not answer. */
  onUnavailable?: () => void
}

const COMMAND_TIMEOUT_MS = 600_000
const PING_TIMEOUT_MS = 3000
/** Maximum concurrent requests of a process; others wait for a connection, within their deadline. */
const CONNECTIONS_MAX = 32
/** Responses are read into memory as a whole. */
const RESPONSE_MAX_BYTES = 268_435_456
const CHUNK_BYTES = 262_144

/** The setting exists since ClickHouse 26.4, the oldest version that Vigil accepts. */
const SHORTEST_PART_CHARS = '2'

/** The engine must not report an error in the middle of a response that has begun. */
const READ_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
  // A part of a word is searched in the dictionary of a text index. By default, parts of two or three
  // letters are searched in all rows, which takes 4 to 35 times as long, even if the part is frequent.
  text_index_like_min_pattern_length: SHORTEST_PART_CHARS,
  // On a cluster, a query with the organization in its condition uses the shard of this organization only.
  optimize_skip_unused_shards: 1,
}

/** The value by which ClickHouse counts a quota that is keyed by client key. */
const quotaOf = ({ org_id }: Readonly<Record<string, unknown>>) =>
  typeof org_id === 'string' ? { http_headers: { 'X-ClickHouse-Quota': org_id } } : {}

/**
 * An insert must be a single block. A deduplication token identifies one block, so if an insert were
 * split, its second block would be discarded as a repetition of the first.
 */
const INSERT_SETTINGS: ClickHouseSettings = {
  wait_end_of_query: 1,
  async_insert: 0,
  insert_deduplicate: 1,
  distributed_foreground_insert: 1,
  input_format_parallel_parsing: 0,
  max_insert_threads: '1',
  input_format_skip_unknown_fields: 0,
  date_time_input_format: 'best_effort',
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: '1073741824',
}

export function createClickHouse(options: ClickHouseOptions): ClickHouse {
  const connections = createConnections(options.address)
  const send = createSender(options, connections.current)
  return {
    query: async <Row>(
      sql: string,
      params: Readonly<Record<string, unknown>> = {},
      { timeout_ms = options.timeout_ms }: { timeout_ms?: number } = {},
    ): Promise<Row[]> => {
      const text = await send('query', AbortSignal.timeout(timeout_ms), {
        query: `${sql}\nFORMAT JSONEachRow`,
        query_params: { ...params },
        clickhouse_settings: { ...READ_SETTINGS, max_execution_time: timeout_ms / 1000 },
        ...quotaOf(params),
      })
      return rowsOf<Row>(text.toString('utf8'))
    },
    read: async (sql, params) =>
      await send('query', AbortSignal.timeout(COMMAND_TIMEOUT_MS), {
        query: `${sql}\nFORMAT JSONEachRow`,
        query_params: { ...params },
        clickhouse_settings: { ...READ_SETTINGS, output_format_json_quote_denormals: 1 },
      }),
    command: async (sql, params = {}) => {
      await send('command', AbortSignal.timeout(COMMAND_TIMEOUT_MS), {
        query: sql,
        query_params: { ...params },
        clickhouse_settings: READ_SETTINGS,
      })
    },
    insert: async (table, rows, token, signal, format = 'JSONEachRow') => {
      await send('insert', signal, {
        query: `INSERT INTO ${table} FORMAT ${format}`,
        clickhouse_settings: {
          ...INSERT_SETTINGS,
          insert_deduplication_token: token,
          ...(options.insert_quorum !== undefined && { insert_quorum: options.insert_quorum }),
        },
        rows,
      })
    },
    ping: async () => {
      const request = { query: 'SELECT 1', clickhouse_settings: {} }
      return await send('query', AbortSignal.timeout(PING_TIMEOUT_MS), request).then(
        () => true,
        () => false,
      )
    },
    close: connections.close,
  }
}

type Request = ExecParams & { rows?: readonly Buffer[] }
type Send = (operation: Operation, signal: AbortSignal, request: Request) => Promise<Buffer>

/** Sends requests; the signal covers everything from the address to the last byte of the response. */
function createSender(options: ClickHouseOptions, current: () => Promise<Client>): Send {
  return async (operation, signal, { rows, ...request }) => {
    const start = performance.now()
    let failed: EngineUnavailable | EngineRefusal | undefined
    try {
      return await orAborted(signal, async () => {
        const client = await current()
        const values = rows && Readable.from(inChunks(rows), { objectMode: false })
        const all = { ...request, ...(values && { values }), abort_signal: signal }
        return await readBytes(await client.exec(all), signal)
      })
    } catch (cause) {
      failed = engineError(cause, operation)
      if (failed instanceof EngineUnavailable) options.onUnavailable?.()
      throw failed
    } finally {
      const duration_ms = Math.round(performance.now() - start)
      const fields = { asked: operation, duration_ms, failed: failed?.message }
      options.log.debug(fields, 'analytics engine')
    }
  }
}

/** Holds one client as long as the address stays the same. */
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

/** The client library ignores the signal while it connects and after the response has begun. */
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

async function readBytes({ stream }: ExecResult<Readable>, signal: AbortSignal): Promise<Buffer> {
  addAbortSignal(signal, stream)
  const bytes = await readUpTo(stream, RESPONSE_MAX_BYTES)
  if (!bytes) throw new EngineUnavailable('The response of the engine is too large')
  return bytes
}

/** Joins small pieces, because each piece of a stream costs a system call on both sides. */
function* inChunks(rows: readonly Buffer[]): Generator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for (const piece of rows) {
    waiting.push(piece)
    size += piece.length
    if (size < CHUNK_BYTES) continue
    yield waiting.length === 1 ? piece : Buffer.concat(waiting)
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
