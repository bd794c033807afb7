/**
 * The HTTP server of several emulators: it records every request and sends the reply late or broken
 * when the scenario demands it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { headersOf, readBody } from './http-message.ts'
import { listen } from './listen.ts'
import type { HttpFault } from './scenario.ts'
import { createTimers, type Timers } from './timers.ts'

export type HttpRequest = {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type HttpReply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; undefined sends no body. */
  readonly body?: unknown
  /** Sent unchanged instead of `body`; `headers` must then include the content type. */
  readonly text?: string
  readonly latency_ms?: number | undefined
  readonly fault?: HttpFault | undefined
}

export type HttpEmulator = {
  /** `http://127.0.0.1:8080`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** The last thousand requests, oldest first. */
  readonly requests: HttpRequest[]
  close: () => Promise<void>
}

const MAX_REQUESTS = 1_000
const MAX_BODY_BYTES = 1_048_576
const DRIP_INTERVAL_MS = 10

/** Starts a server. For the faults `429` and `500`, `handle` returns the reply of its protocol. */
export async function startHttp(options: {
  port: number
  host: string
  handle: (request: HttpRequest) => HttpReply | Promise<HttpReply>
}): Promise<HttpEmulator> {
  const requests: HttpRequest[] = []
  const timers = createTimers()
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming)
    requests.push(request)
    if (requests.length > MAX_REQUESTS) requests.shift()
    const reply = await options.handle(request)
    const deliver = () => send(response, reply, timers)
    if (reply.latency_ms === undefined || reply.latency_ms === 0) deliver()
    else timers.later(reply.latency_ms, deliver)
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  const { port, address } = await listen(server, options)
  return {
    url: `http://${address}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        timers.clear()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const readRequest = async (incoming: IncomingMessage): Promise<HttpRequest> => ({
  method: incoming.method ?? 'GET',
  path: incoming.url ?? '/',
  headers: headersOf(incoming),
  body: (await readBody(incoming, MAX_BODY_BYTES)).toString('utf8'),
})

function send(response: ServerResponse, reply: HttpReply, timers: Timers): void {
  switch (reply.fault) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'drip':
      response.writeHead(200, reply.headers)
      drip(response, timers)
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

function drip(response: ServerResponse, timers: Timers): void {
  if (response.destroyed) return
  response.write(' ')
  timers.later(DRIP_INTERVAL_MS, () => drip(response, timers))
}

function sendWhole(response: ServerResponse, { status, headers, body, text }: HttpReply): void {
  const usual =
    body === undefined ? { 'content-length': '0' } : { 'content-type': 'application/json' }
  response.writeHead(status, text === undefined ? { ...usual, ...headers } : headers)
  response.end(text ?? JSON.stringify(body))
}
