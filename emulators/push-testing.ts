/** A plain client of HTTP/2 for tests of the push emulators: one connection, and all that it is told. */
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { createAuthority, type Identity } from './certificate.ts'

/** One for all tests of a file. */
export const testAuthority = (): Identity => createAuthority()

export type Answered = {
  /** Null when the stream ended without an answer. */
  readonly status: number | null
  readonly headers: IncomingHttpHeaders
  /** Parsed when it is JSON; undefined when there was none. */
  readonly body: unknown
  /** Code of RST_STREAM (RFC 9113, section 7); 0 when the stream ended as it should. */
  readonly rst_code: number
}

export type TestClient = {
  readonly session: ClientHttp2Session
  /** As GOAWAY frames told them. */
  readonly goaways: { last_stream: number; debug: string }[]
  /** Resolves when the connection has ended, however. */
  readonly closed: Promise<void>
  request: (headers: OutgoingHttpHeaders, body?: string) => Promise<Answered>
  close: () => void
}

/** Connects, and has seen the first SETTINGS when it answers. */
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
    request: (headers, body) => ask(session, headers, body),
    close: () => session.destroy(),
  }
}

function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string | undefined,
): Promise<Answered> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ...headers })
    let status: number | null = null
    let received: IncomingHttpHeaders = {}
    const chunks: Buffer[] = []
    stream.on('response', (told) => {
      status = told[':status'] ?? null
      received = told
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
