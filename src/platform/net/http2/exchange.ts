/** One request on one stream: sent, and read until its end, whatever that is. */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { type AmbiguousReason, ambiguous, BODY_MAX_BYTES, type Http2Outcome } from './outcome.ts'

/** What the server said when it took leave (GOAWAY, RFC 9113 section 6.8). */
export type Farewell = { readonly code: number; readonly last_stream_id: number }

/** Gives the request up. The outcome is told at once, from what is known by then. */
export type CancelExchange = (reason: Exclude<AmbiguousReason, 'broken'>) => void

/** Called once. `refused`: the server did not process it, and it may be sent again. */
export type ExchangeDone = (outcome: Http2Outcome | 'refused') => void

/** The session that the stream belongs to: the same for all its streams. */
export type ExchangeSession = {
  /** At this moment. */
  farewell: () => Farewell | undefined
  /** An answer came, with this status. */
  answered: (status: number) => void
  /** Called once, possibly later: the stream no longer counts for the limit of the connection. */
  closed: () => void
}

const EMPTY = Buffer.alloc(0)
const ignore = (): void => undefined
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants

export function runExchange(
  stream: ClientHttp2Stream,
  body: string,
  session: ExchangeSession,
  done: ExchangeDone,
): CancelExchange {
  const chunks: Buffer[] = []
  let bytes = 0
  let answer: IncomingHttpHeaders | undefined
  let hasEnded = false
  let isDone = false

  const finish = (outcome: Http2Outcome | 'refused') => {
    if (isDone) return
    isDone = true
    if (outcome !== 'refused' && outcome.kind === 'answered') session.answered(outcome.status)
    done(outcome)
  }
  const answered = (headers: IncomingHttpHeaders, is_whole: boolean): Http2Outcome => {
    const [first = EMPTY] = chunks
    const whole = chunks.length > 1 ? Buffer.concat(chunks) : first
    return {
      kind: 'answered',
      status: Number(headers[':status']),
      headers: firstValues(headers),
      body: whole.toString('utf8', 0, BODY_MAX_BYTES),
      is_whole,
    }
  }

  stream.on('response', (headers) => {
    answer = headers
  })
  stream.on('data', (chunk: Buffer) => {
    if (bytes > BODY_MAX_BYTES) return
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > BODY_MAX_BYTES) stream.close(NGHTTP2_CANCEL)
  })
  stream.on('end', () => {
    hasEnded = true
  })
  // Every error of a stream is followed by 'close', where it is judged.
  stream.on('error', ignore)
  stream.on('close', () => {
    const isWhole = hasEnded && stream.rstCode === NGHTTP2_NO_ERROR && bytes <= BODY_MAX_BYTES
    if (answer) finish(answered(answer, isWhole))
    else finish(isRefused(stream, session.farewell()) ? 'refused' : ambiguous('broken'))
    session.closed()
  })
  stream.end(body)

  return (reason) => {
    finish(answer ? answered(answer, false) : ambiguous(reason))
    stream.close(NGHTTP2_CANCEL)
  }
}

/**
 * Node gives the streams that it ends together with their session the code of the GOAWAY, so that a
 * GOAWAY with this very code says nothing about a stream but by its id.
 */
function isRefused(stream: ClientHttp2Stream, farewell: Farewell | undefined): boolean {
  if (stream.id === undefined) return true
  if (farewell && stream.id > farewell.last_stream_id) return true
  const isFromFarewell = farewell?.code === NGHTTP2_REFUSED_STREAM
  return stream.rstCode === NGHTTP2_REFUSED_STREAM && !isFromFarewell
}

function firstValues(headers: IncomingHttpHeaders): Record<string, string> {
  const values: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined && !name.startsWith(':')) values[name] = first
  }
  return values
}
