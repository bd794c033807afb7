/** What the HTTP/2 emulators are asked and answer, whichever version of HTTP it came by. */
import type { IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Timers } from './timers.ts'

export type WireRequest = {
  readonly method: string
  /** Path with query, as sent. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came: a name that came twice is here twice. */
  readonly raw_headers: readonly string[]
  readonly body: Buffer
  /** Undefined over HTTP/1.1. */
  readonly connection: Connection | undefined
}

/**
 * `hang`: no answer, ever. `reset_stream`: RST_STREAM with INTERNAL_ERROR. `refuse_stream`: RST_STREAM with
 * REFUSED_STREAM, which promises that nothing was done. `reset_connection`: TCP reset, with all its streams.
 */
export type WireFault = 'hang' | 'reset_stream' | 'refuse_stream' | 'reset_connection'

export type WireReply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
  readonly latency_ms?: number
  readonly fault?: WireFault | undefined
}

/** One connection of HTTP/2. */
export type Connection = {
  /** Announced by SETTINGS. */
  allowStreams: (max: number) => void
}

export type Handle = (request: WireRequest) => WireReply | Promise<WireReply>

export type Wire = {
  readonly handle: Handle
  readonly timers: Timers
  /** Tears the connection down by a TCP reset. */
  readonly reset: (socket: Socket | undefined) => void
}

const MAX_BODY_BYTES = 1_048_576
const NOTHING = Buffer.alloc(0)

/** Hands over the body once it is whole; one that is far too long ends the stream. */
export function collect(readable: Readable, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  readable.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) readable.destroy()
  })
  readable.on('end', () =>
    done(chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks)),
  )
}

/** A promise only where the handler makes one: thousands a second come through here. */
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
