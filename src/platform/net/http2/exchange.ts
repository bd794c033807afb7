/** Sends one request on one stream and reads its response until the stream closes. */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { type AmbiguousReason, ambiguous, BODY_MAX_BYTES, type Http2Outcome } from './outcome.ts'

/** The server's GOAWAY frame (RFC 9113 section 6.8). */
export type Goaway = { readonly code: number; readonly last_stream_id: number }

/** Abandons the request and immediately reports its outcome as far as it is known. */
export type CancelExchange = (reason: Exclude<AmbiguousReason, 'broken'>) => void

/** Called once. `refused`: the server did not process the request, which may be sent again. */
export type ExchangeDone = (outcome: Http2Outcome | 'refused') => void

/** Callbacks to the stream's session, shared by all its streams. */
export type ExchangeSession = {
  /** The last GOAWAY that was received. */
  goaway: () => Goaway | undefined
  /** A response arrived with this status. */
  answered: (status: number) => void
  /** Called once, possibly later, when the stream no longer counts toward the connection's limit. */
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
  // Every error of a stream is followed by 'close', which determines the outcome.
  stream.on('error', ignore)
  stream.on('close', () => {
    const isWhole = hasEnded && stream.rstCode === NGHTTP2_NO_ERROR && bytes <= BODY_MAX_BYTES
    if (answer) finish(answered(answer, isWhole))
    else finish(isRefused(stream, session.goaway()) ? 'refused' : ambiguous('broken'))
    session.closed()
  })
  stream.end(body)

  return (reason) => {
    finish(answer ? answered(answer, false) : ambiguous(reason))
    stream.close(NGHTTP2_CANCEL)
  }
}

/**
 * Node closes the streams of an ending session with the code of its GOAWAY, so after a GOAWAY with
 * REFUSED_STREAM only the stream id shows whether the server processed a request.
 */
function isRefused(stream: ClientHttp2Stream, goaway: Goaway | undefined): boolean {
  if (stream.id === undefined) return true
  if (goaway && stream.id > goaway.last_stream_id) return true
  const isFromGoaway = goaway?.code === NGHTTP2_REFUSED_STREAM
  return stream.rstCode === NGHTTP2_REFUSED_STREAM && !isFromGoaway
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
