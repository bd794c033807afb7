/** Connections and streams of the HTTP/2 emulators: how many there may be, and how they end. */
import {
  constants,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { type Connection, collect, reply, type Wire, type WireReply } from './http2-wire.ts'

/** The connection takes this many streams, says GOAWAY and is closed when they are answered. */
export type GoawayPlan = { readonly after_streams: number; readonly debug?: string }

export type Traffic = {
  readonly connections_open: number
  readonly connections_total: number
  readonly streams_open: number
  /** The most that one connection had open at the same time. */
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
  taken: number
  open: number
  /** Once GOAWAY was said: the last stream that is served. */
  last_stream: number | undefined
  readonly connection: Connection
}
/** The names and values as they came are not among the types. */
type StreamEvent = [ServerHttp2Stream, IncomingHttpHeaders, number, string[]]
type Counts = { -readonly [Key in keyof Traffic]: Traffic[Key] }

const NOTHING = Buffer.alloc(0)

/** @returns what was counted, and the connections that are open */
export function serveStreams(server: Http2SecureServer, options: StreamOptions, wire: Wire) {
  const sessions = new Map<Http2Session, Session>()
  const first = options.streams_max()
  const counts: Counts = { ...NO_TRAFFIC }
  server.on('session', (session) => {
    sessions.set(session, openSession(session, first, options.streams_max()))
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
    if (plan && known.taken >= plan.after_streams) {
      sayGoaway(session, known, { last: stream.id ?? 0, debug: plan.debug })
      counts.goaways += 1
    }
    collect(stream, (body) => {
      // A request that was taken back ends like one that is whole.
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
  server.on('stream', (...told: StreamEvent) => serve(told[0], told[1], told[3]))
  return { counts, sessions }
}

/** @param first limit that the server announces to everyone; @param now the one that is meant now */
function openSession(session: Http2Session, first: number, now: number): Session {
  let max = first
  const allowStreams = (next: number) => {
    if (next === max || session.closed || session.destroyed) return
    max = next
    session.settings({ maxConcurrentStreams: next })
  }
  allowStreams(now)
  return { taken: 0, open: 0, last_stream: undefined, connection: { allowStreams } }
}

function countStream(stream: ServerHttp2Stream, session: Session, counts: Counts): void {
  session.taken += 1
  session.open += 1
  counts.streams_open += 1
  counts.streams_open_max = Math.max(counts.streams_open_max, session.open)
  stream.once('close', () => {
    session.open -= 1
    counts.streams_open -= 1
  })
}

function sayGoaway(
  session: Http2Session,
  known: Session,
  { last, debug }: { last: number; debug: string | undefined },
): void {
  known.last_stream = last
  session.goaway(
    constants.NGHTTP2_NO_ERROR,
    last,
    debug === undefined ? NOTHING : Buffer.from(debug),
  )
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
