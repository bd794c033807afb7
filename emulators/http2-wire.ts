/** Requests and replies of the HTTP/2 emulators, independent of the HTTP version of the client. */
import type { IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Timers } from './timers.ts'

export type WireRequest = {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values alternately, as received: a repeated header is listed twice. */
  readonly raw_headers: readonly string[]
  readonly body: Buffer
  /** Undefined over HTTP/1.1. */
  readonly connection: Connection | undefined
}

/**
 * `hang` never answers, `reset_stream` sends RST_STREAM with INTERNAL_ERROR, `refuse_stream` sends
 * RST_STREAM with REFUSED_STREAM, which guarantees that the request was not processed, and
 * `reset_connection` resets the TCP connection with all its streams.
 */
export type WireFault = 'hang' | 'reset_stream' | 'refuse_stream' | 'reset_connection'

export type WireReply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly latency_ms?: number
  readonly fault?: WireFault | undefined
}

export type Connection = {
  /** Changes the limit of concurrent streams, announced by SETTINGS. */
  allowStreams: (max: number) => void
}

export type Handle = (request: WireRequest) => WireReply | Promise<WireReply>

export type Wire = {
  readonly handle: Handle
  readonly timers: Timers
  readonly reset: (socket: Socket | undefined) => void
}

const MAX_BODY_BYTES = 1_048_576
const EMPTY = Buffer.alloc(0)

/** Collects a body and passes it on when it is complete. A body that is too long ends the stream. */
export function collect(readable: Readable, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  readable.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) readable.destroy()
  })
  readable.on('end', () => done(chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks)))
}

/**
 * Answers a request. It creates no promise unless the handler returns one, because it serves
 * thousands of requests a second.
 */
export function reply(
  { handle, timers }: Wire,
  request: WireRequest,
  send: (answer: WireReply) => void,
): void {
  const deliver = (answer: WireReply) => {
    const { latency_ms = 0 } = answer
    if (latency_ms === 0) send(answer)
    else timers.later(latency_ms, () => send(answer))
  }
  const fail = (error: unknown) => send({ status: 500, text: String(error) })
  try {
    const answer = handle(request)
    if (answer instanceof Promise) answer.then(deliver, fail)
    else deliver(answer)
  } catch (error) {
    fail(error)
  }
}

export const jsonReply = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireReply => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
  text: JSON.stringify(body),
})
