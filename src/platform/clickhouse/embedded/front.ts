/**
 * The part of ClickHouse's HTTP interface that its client uses, in front of the embedded engine:
 * https://clickhouse.com/docs/interfaces/http. Sessions, compression in ClickHouse's own format and
 * streamed answers are not here; an answer is made whole, so that a fault always has its status.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CODE } from '../errors.ts'
import { readBody } from './body.ts'
import type { Connection, Done, Work } from './connections.ts'
import { faultAnswer, RequestFault } from './fault.ts'
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
import { createSlots, type Slots } from './slots.ts'

export type FrontOptions = {
  credentials: Credentials
  version: string
  /** As many queries run side by side. */
  queries: readonly Connection[]
  /** Inserts have connections of their own, so that slow queries do not hold them up. */
  inserts: readonly Connection[]
  memory: MemoryGuard
  /** Told of a fault after which the engine does nothing any more. */
  onBroken: (reason: string) => void
}

export type Front = {
  server: Server
  /** How many requests are being worked on. */
  busy(): number
  /**
   * How many are to be finished before the engine stops: inserts, and what somebody waits for. With a
   * query whose sender has gone it goes on all the same.
   */
  owed(): number
}

const WAITING_MAX = 100
const INSERT_MAX_BYTES = 67_108_864
const SQL_MAX_BYTES = 16_777_216
/** Parameters come in the address; the limit of a ClickHouse server. */
const HEADERS_MAX_BYTES = 1_048_576
const KEEP_ALIVE_MS = 30_000

type Asked = { request: Request; message: IncomingMessage; isWanted: () => boolean }

export function createFront(options: FrontOptions): Front {
  const whenFull = () =>
    new RequestFault(CODE.too_many_queries, `Too many simultaneous queries. ${WAITING_MAX} wait`)
  const slots = (things: readonly Connection[]): Slots<Connection> =>
    createSlots({ things, waiting_max: WAITING_MAX, whenFull })
  const queries = slots(options.queries)
  const inserts = slots(options.inserts)

  const work = async (asked: Asked): Promise<Done | undefined> => {
    const { request, message, isWanted } = asked
    await options.memory.admit()
    if (isInsert(request.query)) {
      // Read in its turn: what waits stays with its sender.
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
    if (!isKnown && !(isPing && request.credentials === undefined)) throw refusedEntry()
    if (isPing) return void response.end('Ok.\n')
    const done = await work({ request, message, isWanted: () => !response.destroyed })
    if (done) await send(response, request, done)
  }

  const awaited = new Set<ServerResponse>()
  const server = createServer(
    { maxHeaderSize: HEADERS_MAX_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    (message, response) => {
      awaited.add(response)
      response.once('close', () => awaited.delete(response))
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
    owed: () => awaited.size + inserts.busy(),
  }
}

/** The engine "is shutting down due to a fatal error": it answers nothing else from then on. */
const ABORTED = 236

const refusedEntry = (): RequestFault =>
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
  // Rows may follow an insert, and are no SQL.
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
  // What is left of the body is not worth reading.
  if (!message.complete) response.setHeader('Connection', 'close')
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': code,
  })
  response.end(body)
}
