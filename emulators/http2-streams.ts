/** Connections and streams of the HTTP/2 emulators: their limits, their counts and their end. */
import {
  constants,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { type Connection, collect, reply, type Wire, type WireReply } from './http2-wire.ts'

/** After this number of streams, a connection sends GOAWAY and closes when they are answered. */
export type GoawayPlan = { readonly after_streams: number; readonly debug?: string }

export type Traffic = {
  readonly connections_open: number
  readonly connections_total: number
  readonly streams_open: number
  /** Highest number of concurrent streams of one connection. */
  readonly streams_open_max: number
  readonly goaways: number
}

export const NO_TRAFFIC: Traffic = {
  connections_open: 0,
  connections_total: 0,
  streams_open: 0,
  streams_open_max: 0,
  goaways: 0,
}

type StreamOptions = {
  readonly streams_max: () => number
  readonly goaway: () => GoawayPlan | undefined
}
type Session = {
  streams_total: number
  streams_open: number
  /** The last stream that is served, once GOAWAY was sent. */
  last_stream: number | undefined
  readonly connection: Connection
}
/** The types of Node.js lack the fourth argument: the headers as received. */
type StreamEvent = [ServerHttp2Stream, IncomingHttpHeaders, number, string[]]
type Counts = { -readonly [Key in keyof Traffic]: Traffic[Key] }

const EMPTY = Buffer.alloc(0)

/** @returns the counts of the traffic, and the sessions that are open */
export function serveStreams(server: Http2SecureServer, options: StreamOptions, wire: Wire) {
  const sessions = new Map<Http2Session, Session>()
  const initialMax = options.streams_max()
  const counts: Counts = { ...NO_TRAFFIC }
  server.on('session', (session) => {
    sessions.set(session, openSession(session, initialMax, options.streams_max()))
    counts.connections_open += 1
    counts.connections_total += 1
    session.once('close', () => {
      sessions.delete(session)
      counts.connections_open -= 1
    })
  })
  const serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: string[]) => {
    stream.on('error', () => undefined)
    const session = stream.session
    const known = session === undefined ? undefined : sessions.get(session)
    if (session === undefined || known === undefined) return
    if (known.last_stream !== undefined && (stream.id ?? 0) > known.last_stream) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    countStream(stream, known, counts)
    const plan = options.goaway()
    if (plan && known.streams_total >= plan.after_streams) {
      known.last_stream = stream.id ?? 0
      sendGoaway(session, known.last_stream, plan.debug)
      counts.goaways += 1
    }
    collect(stream, (body) => {
      // An aborted request ends like a complete one.
      if (stream.aborted) return
      const request = {
        method: headers[':method'] ?? 'GET',
        path: headers[':path'] ?? '/',
        headers,
        raw_headers: raw,
        body,
        connection: known.connection,
      }
      reply(wire, request, (answer) => sendToStream(stream, answer, wire))
    })
  }
  server.on('stream', (...event: StreamEvent) => serve(event[0], event[1], event[3]))
  return { counts, sessions }
}

/**
 * @param initialMax limit that the server announces to every client
 * @param currentMax limit that applies now
 */
function openSession(session: Http2Session, initialMax: number, currentMax: number): Session {
  let max = initialMax
  const allowStreams = (next: number) => {
    if (next === max || session.closed || session.destroyed) return
    max = next
    session.settings({ maxConcurrentStreams: next })
  }
  allowStreams(currentMax)
  return { streams_total: 0, streams_open: 0, last_stream: undefined, connection: { allowStreams } }
}

function countStream(stream: ServerHttp2Stream, session: Session, counts: Counts): void {
  session.streams_total += 1
  session.streams_open += 1
  counts.streams_open += 1
  counts.streams_open_max = Math.max(counts.streams_open_max, session.streams_open)
  stream.once('close', () => {
    session.streams_open -= 1
    counts.streams_open -= 1
  })
}

function sendGoaway(session: Http2Session, last: number, debug: string | undefined): void {
  session.goaway(constants.NGHTTP2_NO_ERROR, last, debug === undefined ? EMPTY : Buffer.from(debug))
  session.close()
}

function sendToStream(stream: ServerHttp2Stream, answer: WireReply, { reset }: Wire): void {
  if (stream.destroyed || stream.closed) return
  switch (answer.fault) {
    case 'hang':
      return
    case 'reset_stream':
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      return
    case 'refuse_stream':
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    case 'reset_connection':
      reset(stream.session?.socket)
      return
    case undefined: {
      const headers = { ':status': answer.status, ...answer.headers }
      stream.respond(headers, { endStream: answer.text === undefined })
      if (answer.text !== undefined) stream.end(answer.text)
    }
  }
}
