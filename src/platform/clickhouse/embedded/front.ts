/**
 * The part of ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http) that its
 * client uses, in front of the embedded engine. It has no sessions, no compression in ClickHouse's
 * own format and no streaming: a response is complete before it is sent, so that an error always has
 * its status.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CODE } from '../errors.ts'
import { readBody } from './body.ts'
import type { Connection, Done, Work } from './connections.ts'
import type { MemoryGuard } from './memory.ts'
import { withParameters } from './parameters.ts'
import {
  type Credentials,
  isInsert,
  isSame,
  type Request,
  readRawInsert,
  readRequest,
  refuseSeveral,
} from './request.ts'
import { faultAnswer, RequestFault } from './request-fault.ts'
import { createSlots, type Slots } from './slots.ts'

export type FrontOptions = {
  credentials: Credentials
  version: string
  /** One query at a time runs on each of them. */
  queries: readonly Connection[]
  /** Inserts have separate connections, so that slow queries do not delay them. */
  inserts: readonly Connection[]
  memory: MemoryGuard
  /** Called after an error from which the engine cannot recover. */
  onBroken: (reason: string) => void
}

export type Front = {
  server: Server
  /** Number of requests that are running. */
  busy(): number
  /**
   * Number of requests to finish before the engine stops: inserts, and queries whose client is still
   * connected.
   */
  unfinished(): number
}

const WAITING_MAX = 100
const INSERT_MAX_BYTES = 67_108_864
const SQL_MAX_BYTES = 16_777_216
/** Parameters are part of the URL; this is the limit of a ClickHouse server. */
const HEADERS_MAX_BYTES = 1_048_576
const KEEP_ALIVE_MS = 30_000

type Job = { request: Request; message: IncomingMessage; isWanted: () => boolean }

export function createFront(options: FrontOptions): Front {
  const crowded = `Too many simultaneous queries. ${WAITING_MAX} are waiting`
  const whenFull = () => new RequestFault(CODE.too_many_queries, crowded)
  const slots = (items: readonly Connection[]): Slots<Connection> =>
    createSlots({ items, waiting_max: WAITING_MAX, whenFull })
  const queries = slots(options.queries)
  const inserts = slots(options.inserts)

  const work = async ({ request, message, isWanted }: Job): Promise<Done | undefined> => {
    await options.memory.admit()
    if (isInsert(request.query)) {
      // The body is read only now, so that waiting inserts stay in the memory of their clients.
      return await inserts.use(isWanted, async (connection) => {
        const body = await readBody(message, INSERT_MAX_BYTES)
        return isWanted() ? await connection.run(insertOf(request, body)) : undefined
      })
    }
    const body = (await readBody(message, SQL_MAX_BYTES)).toString('utf8')
    const sql = request.query === '' ? body : `${request.query}\n${body}`
    const run = async (connection: Connection) => await connection.run(queryOf(request, sql))
    return await (isInsert(sql) ? inserts : queries).use(isWanted, run)
  }

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = readRequest(message.url ?? '/', message.headers)
    const isKnown = isSame(request.credentials, options.credentials)
    const isPing = request.path === '/ping'
    if (!isKnown && !(isPing && request.credentials === undefined)) throw authenticationFault()
    if (isPing) return void response.end('Ok.\n')
    const done = await work({ request, message, isWanted: () => !response.destroyed })
    if (done) await send(response, request, done)
  }

  const open = new Set<ServerResponse>()
  const server = createServer(
    { maxHeaderSize: HEADERS_MAX_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    (message, response) => {
      open.add(response)
      response.once('close', () => open.delete(response))
      response.setHeader('X-ClickHouse-Server-Display-Name', 'vigil-embedded')
      answer(message, response).catch((error: unknown) => {
        const fault = faultAnswer(error, options.version)
        if (fault.code === ABORTED) options.onBroken(fault.body.trim())
        sendFault(message, response, fault)
      })
    },
  )
  return {
    server,
    busy: () => queries.busy() + inserts.busy(),
    unfinished: () => open.size + inserts.busy(),
  }
}

/** The engine "is shutting down due to a fatal error" and will answer nothing else. */
const ABORTED = 236

const authenticationFault = (): RequestFault =>
  new RequestFault(
    CODE.authentication_failed,
    'Authentication failed: password is incorrect, or there is no user with such name.',
  )

function insertOf(request: Request, body: Buffer): Work {
  const { database, settings } = request
  const raw = body.length > 0 ? readRawInsert(request.query) : undefined
  if (raw) return { database, settings, ...raw, rows: body }
  const sql = body.length > 0 ? `${request.query}\n${body.toString('utf8')}` : request.query
  return queryOf(request, sql)
}

function queryOf({ database, settings, parameters, default_format }: Request, sql: string): Work {
  // An insert may be followed by rows, which are not SQL.
  if (!isInsert(sql)) refuseSeveral(sql)
  return { database, settings, sql: withParameters(sql, parameters), format: default_format }
}

const pack = promisify(gzip)

async function send(response: ServerResponse, request: Request, done: Done): Promise<void> {
  const body = request.wants_gzip ? await pack(done.bytes) : done.bytes
  const summary = {
    read_rows: String(done.read_rows),
    read_bytes: String(done.read_bytes),
    written_rows: String(done.written_rows),
  }
  response.writeHead(200, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': body.length,
    'X-ClickHouse-Query-Id': request.query_id ?? randomUUID(),
    'X-ClickHouse-Summary': JSON.stringify(summary),
    ...(request.wants_gzip && { 'Content-Encoding': 'gzip' }),
  })
  response.end(body)
}

function sendFault(
  message: IncomingMessage,
  response: ServerResponse,
  { status, code, body }: ReturnType<typeof faultAnswer>,
): void {
  if (response.headersSent || response.destroyed) return
  // Closing the connection avoids reading the rest of the body.
  if (!message.complete) response.setHeader('Connection', 'close')
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': code,
  })
  response.end(body)
}
