/**
 * The HTTP side that the emulators share: it listens on an ephemeral port, keeps what was asked,
 * and delivers the reply late or broken when the scenario says so.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { HttpFault } from './scenario.ts'
import { createTimers } from './timers.ts'

export type HttpRequest = {
  readonly method: string
  /** Path with query, as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type HttpReply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is undefined. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`; its `content-type` is among the headers. */
  readonly text?: string
  readonly latency_ms?: number | undefined
  readonly fault?: HttpFault | undefined
}

export type HttpEmulator = {
  /** `http://127.0.0.1:8080`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** What was asked so far, oldest first; the last thousand. */
  readonly requests: HttpRequest[]
  close: () => Promise<void>
}

const MAX_REQUESTS = 1_000
const MAX_BODY_BYTES = 1_048_576
const DRIP_INTERVAL_MS = 10

/** `handle` may answer with the two faults that are statuses in its protocol's own words. */
export async function startHttp(options: {
  port: number
  host: string
  handle: (request: HttpRequest) => HttpReply | Promise<HttpReply>
}): Promise<HttpEmulator> {
  const requests: HttpRequest[] = []
  const { later, clear } = createTimers()
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming)
    requests.push(request)
    if (requests.length > MAX_REQUESTS) requests.shift()
    const reply = await options.handle(request)
    const deliver = () => send(response, reply, later)
    if (reply.latency_ms === undefined || reply.latency_ms === 0) deliver()
    else later(reply.latency_ms, deliver)
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        clear()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('request body too large')
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function send(
  response: ServerResponse,
  reply: HttpReply,
  later: (delayMs: number, work: () => void) => void,
): void {
  switch (reply.fault) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'drip':
      response.writeHead(200, reply.headers)
      drip(response, later)
      return
    case 'invalid_json':
      response.writeHead(200, { 'content-type': 'application/json', ...reply.headers })
      response.end('{"broken": [1, 2')
      return
    case '429':
    case '500':
    case undefined:
      sendWhole(response, reply)
  }
}

function drip(response: ServerResponse, later: (delayMs: number, work: () => void) => void): void {
  if (response.destroyed) return
  response.write(' ')
  later(DRIP_INTERVAL_MS, () => drip(response, later))
}

function sendWhole(response: ServerResponse, reply: HttpReply): void {
  if (reply.text !== undefined) {
    response.writeHead(reply.status, reply.headers)
    response.end(reply.text)
    return
  }
  if (reply.body === undefined) {
    response.writeHead(reply.status, { 'content-length': '0', ...reply.headers })
    response.end()
    return
  }
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(JSON.stringify(reply.body))
}
