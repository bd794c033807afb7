/** An HTTP/2 client for tests: one connection, and everything that the server sends on it. */
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'

export type Answer = {
  /** Null when the stream ended without an answer. */
  readonly status: number | null
  readonly headers: IncomingHttpHeaders
  /** Parsed when it is JSON; undefined when it is empty. */
  readonly body: unknown
  /** Code of RST_STREAM (RFC 9113 section 7); 0 when the stream ended normally. */
  readonly rst_code: number
}

export type TestClient = {
  readonly session: ClientHttp2Session
  /** The GOAWAY frames that were received. */
  readonly goaways: { last_stream: number; debug: string }[]
  /** Resolves when the connection has ended, for any reason. */
  readonly closed: Promise<void>
  request: (headers: OutgoingHttpHeaders, body?: string) => Promise<Answer>
  close: () => void
}

/** Connects and waits for the first SETTINGS frame of the server. */
export async function connectTo(server: { url: string; ca: string }): Promise<TestClient> {
  const session = connect(server.url, { ca: server.ca })
  const goaways: TestClient['goaways'] = []
  session.on('error', () => undefined)
  session.on('goaway', (_code, last_stream: number, debug?: Buffer) => {
    goaways.push({ last_stream, debug: debug?.toString('utf8') ?? '' })
  })
  const closed = new Promise<void>((resolve) => session.once('close', resolve))
  await once(session, 'remoteSettings')
  return {
    session,
    goaways,
    closed,
    request: (headers, body) => request(session, headers, body),
    close: () => session.destroy(),
  }
}

function request(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string | undefined,
): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ...headers })
    let status: number | null = null
    let received: IncomingHttpHeaders = {}
    const chunks: Buffer[] = []
    stream.on('response', (responseHeaders) => {
      status = responseHeaders[':status'] ?? null
      received = responseHeaders
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => undefined)
    stream.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const isJson = /^[[{"]/.test(text)
      const parsed = isJson ? (JSON.parse(text) as unknown) : text
      const parsedBody = text === '' ? undefined : parsed
      resolve({ status, headers: received, body: parsedBody, rst_code: stream.rstCode ?? 0 })
    })
    stream.end(body)
  })
}
