import { once } from 'node:events'
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthority, issueCertificate } from '../../../../emulators/certificate.ts'
import { createLog } from '../../log.ts'
import type { Http2Outcome, Http2Request } from './outcome.ts'
import { createHttp2Pool, type Http2Pool, type Http2PoolOptions } from './pool.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

type Handle = (stream: ServerHttp2Stream, session: ServerHttp2Session, count: number) => void
type Settings = { maxConcurrentStreams?: number }

const reply = (stream: ServerHttp2Stream, status = 200, body = '') => {
  if (stream.destroyed || stream.closed) return
  stream.respond({ ':status': status })
  stream.end(body)
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function serve(
  handle: Handle,
  settings: Settings = {},
  greet: (session: ServerHttp2Session) => void = () => undefined,
) {
  const server: Http2Server = createServer({ settings })
  const sessions: ServerHttp2Session[] = []
  const sockets: Socket[] = []
  let count = 0
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => undefined)
    greet(session)
    session.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => undefined)
      count += 1
      handle(stream, session, count)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    for (const session of sessions) session.destroy()
    server.close()
    await once(server, 'close')
  })
  return { origin: `http://127.0.0.1:${portOf(server)}`, sessions, sockets, seen: () => count }
}

/** `freeze` stops all data on the current connections without closing them. */
async function relayTo(port: number) {
  const pairs: [Socket, Socket][] = []
  const server = createTcpServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    pairs.push([client, upstream])
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    for (const socket of pairs.flat()) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const freeze = () => {
    for (const [client, upstream] of pairs) {
      client.unpipe(upstream)
      upstream.unpipe(client)
    }
  }
  return { origin: `http://127.0.0.1:${portOf(server)}`, freeze }
}

function poolFor(origin: string, options: Partial<Http2PoolOptions> = {}): Http2Pool {
  const pool = createHttp2Pool({
    origin,
    streams_max: 100,
    connect_timeout_ms: 5000,
    ping_interval_ms: 60_000,
    ping_timeout_ms: 5000,
    reconnect: { first_ms: 1, max_ms: 5 },
    log: createLog('silent'),
    ...options,
  })
  cleanups.push(() => pool.close(0))
  return pool
}

const ask = (
  pool: Http2Pool,
  { deadline_ms = 10_000, ...rest }: Partial<Http2Request> = {},
): Promise<Http2Outcome> =>
  pool.request({ method: 'POST', path: '/', headers: {}, body: 'x', deadline_ms, ...rest })

const askMany = (pool: Http2Pool, count: number, rest: Partial<Http2Request> = {}) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(pool, { path: `/${i}`, ...rest })))

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

const ANSWERED = expect.objectContaining({ kind: 'answered', status: 200 }) as Http2Outcome

/** Waits for a condition until the test times out. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a request', () => {
  it('is sent unchanged and resolves to status, headers and body', async () => {
    const { origin } = await serve((stream, session) => {
      session.once('close', () => undefined)
      let body = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        body += chunk
      })
      stream.on('headers', () => undefined)
      stream.on('end', () => {
        stream.respond({ ':status': 201, 'x-body': body, 'content-type': 'text/plain' })
        stream.end('good ✓')
      })
    })
    const outcome = await ask(poolFor(origin), { body: 'hello', headers: { 'x-a': '1' } })
    expect(outcome).toMatchObject({ kind: 'answered', status: 201, body: 'good ✓', is_whole: true })
    expect(outcome).toMatchObject({ headers: { 'x-body': 'hello', 'content-type': 'text/plain' } })
    expect(JSON.stringify(outcome)).not.toContain(':status')
  })

  it('shares one connection with the others', async () => {
    const { origin, sessions } = await serve((stream) => reply(stream))
    expect(await askMany(poolFor(origin), 500)).toEqual(times(500, ANSWERED))
    expect(sessions).toHaveLength(1)
  })

  it.each([
    ['a value with a line break', { headers: { 'x-a': 'line\nbreak' } }],
    ['a value beyond ASCII', { headers: { 'x-a': 'ä' } }],
    ['an invalid name', { headers: { 'X A': '1' } }],
    ['a pseudo-header', { headers: { ':authority': 'other.example' } }],
    ['a header of HTTP/1.1', { headers: { connection: 'close' } }],
    ['a path with a space', { path: '/a b' }],
    ['a path without a slash', { path: 'a' }],
  ])('with %s is not sent', async (_, parts) => {
    const { origin, seen } = await serve((stream) => reply(stream))
    const outcome = await ask(poolFor(origin), parts)
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'unsendable' })
    expect(seen()).toBe(0)
  })

  it('is answered with the start of a body that is too long', async () => {
    const { origin } = await serve((stream) => reply(stream, 200, 'x'.repeat(1_000_000)))
    const outcome = await ask(poolFor(origin))
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, is_whole: false })
    expect(outcome.kind === 'answered' && outcome.body).toHaveLength(65_536)
  })

  it('is answered when only a part of the body is missing', async () => {
    const { origin } = await serve((stream) => {
      stream.respond({ ':status': 404 })
      stream.write('{"half')
      setTimeout(() => stream.destroy(new Error('broken')), 20)
    })
    const outcome = await ask(poolFor(origin))
    expect(outcome).toMatchObject({ kind: 'answered', status: 404, is_whole: false })
  })

  it('is ambiguous when its stream is reset', async () => {
    const { origin } = await serve((stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
    expect(await ask(poolFor(origin))).toEqual({ kind: 'ambiguous', reason: 'broken' })
  })

  it('is ambiguous when its connection breaks, and the next request has a new one', async () => {
    const { origin, sockets } = await serve((stream, _, count) => {
      if (count > 10) reply(stream)
      if (count === 10) sockets[0]?.destroy()
    })
    const pool = poolFor(origin)
    expect(await askMany(pool, 10)).toEqual(times(10, { kind: 'ambiguous', reason: 'broken' }))
    expect(await askMany(pool, 10)).toEqual(times(10, ANSWERED))
  })

  it('is sent again when the server refused it, but not forever', async () => {
    const refuse = (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM)
    const forOnce = await serve((stream, _, count) =>
      count === 1 ? refuse(stream) : reply(stream),
    )
    expect(await ask(poolFor(forOnce.origin))).toEqual(ANSWERED)
    const always = await serve(refuse)
    const outcome = await ask(poolFor(always.origin))
    expect(outcome).toEqual({ kind: 'not_sent', reason: 'refused' })
    expect(always.seen()).toBe(3)
  })
})

describe('the limit of streams', () => {
  async function serveCounting(settings: Settings) {
    let open = 0
    const state = { most: 0 }
    const server = await serve((stream) => {
      open += 1
      state.most = Math.max(state.most, open)
      setTimeout(() => {
        open -= 1
        reply(stream)
      }, 2)
    }, settings)
    return { ...server, state }
  }

  it("is the server's when it is lower", async () => {
    const { origin, state } = await serveCounting({ maxConcurrentStreams: 7 })
    expect(await askMany(poolFor(origin), 100)).toEqual(times(100, ANSWERED))
    expect(state.most).toBe(7)
  })

  it('is our own when it is lower', async () => {
    const { origin, state } = await serveCounting({ maxConcurrentStreams: 100 })
    await askMany(poolFor(origin, { streams_max: 5 }), 50)
    expect(state.most).toBe(5)
  })

  it('follows changes of the server’s limit', async () => {
    const { origin, state, sessions } = await serveCounting({ maxConcurrentStreams: 1 })
    const pool = poolFor(origin)
    await askMany(pool, 5)
    expect(state.most).toBe(1)
    sessions[0]?.settings({ maxConcurrentStreams: 9 })
    await new Promise((resolve) => sessions[0]?.once('localSettings', resolve))
    await askMany(pool, 100)
    expect(state.most).toBe(9)
  })

  it('is lower until the first response below 500', async () => {
    const held: ServerHttp2Stream[] = []
    const { origin } = await serve((stream, _, count) => {
      if (count === 1) reply(stream, 503)
      else held.push(stream)
    })
    const pool = poolFor(origin, { first_streams: 1 })
    const all = askMany(pool, 20)
    await until(() => held.length > 0)
    expect(pool.inFlight()).toBe(1)
    expect(held).toHaveLength(1)
    held.splice(0).forEach((stream) => reply(stream, 403))
    await until(() => held.length === 18)
    held.splice(0).forEach((stream) => reply(stream))
    expect((await all).map((each) => each.kind)).toEqual(times(20, 'answered'))
  })

  it('leads to another connection when several are allowed', async () => {
    const { origin, state, sessions } = await serveCounting({ maxConcurrentStreams: 4 })
    await askMany(poolFor(origin, { sessions_max: 3 }), 300)
    expect(sessions).toHaveLength(3)
    expect(state.most).toBeGreaterThan(8)
  })
})

describe('requests that wait', () => {
  it('are sent in the order of their arrival', async () => {
    const paths: string[] = []
    const server = createServer({ settings: { maxConcurrentStreams: 1 } })
    server.on('stream', (stream, headers) => {
      paths.push(String(headers[':path']))
      reply(stream)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const pool = poolFor(`http://127.0.0.1:${portOf(server)}`)
    await askMany(pool, 50)
    expect(paths).toEqual(Array.from({ length: 50 }, (_, i) => `/${i}`))
    await pool.close(0)
    server.close()
  })

  it('are rejected beyond their limit', async () => {
    const { origin } = await serve((stream) => reply(stream), { maxConcurrentStreams: 1 })
    const outcomes = await askMany(poolFor(origin, { waiting_max: 10 }), 15)
    expect(outcomes.slice(0, 10)).toEqual(times(10, ANSWERED))
    expect(outcomes.slice(10)).toEqual(times(5, { kind: 'not_sent', reason: 'busy' }))
  })

  it('end at their deadline without having been sent', async () => {
    const { origin, seen } = await serve(() => undefined, { maxConcurrentStreams: 1 })
    const pool = poolFor(origin)
    const first = ask(pool, { deadline_ms: 200 })
    const waiting = await askMany(pool, 5, { deadline_ms: 50 })
    expect(waiting).toEqual(times(5, { kind: 'not_sent', reason: 'timeout' }))
    expect(await first).toEqual({ kind: 'ambiguous', reason: 'timeout' })
    expect(seen()).toBe(1)
  })

  it('end when their caller aborts', async () => {
    const { origin, seen } = await serve(() => undefined, { maxConcurrentStreams: 1 })
    const pool = poolFor(origin)
    const controller = new AbortController()
    const { signal } = controller
    const outcomes = Promise.all([ask(pool, { signal }), ask(pool, { signal })])
    await until(() => seen() === 1)
    controller.abort()
    const stopped = { reason: 'stopped' }
    expect(await outcomes).toEqual([
      { kind: 'ambiguous', ...stopped },
      { kind: 'not_sent', ...stopped },
    ])
    expect(await ask(pool, { signal })).toEqual({ kind: 'not_sent', ...stopped })
  })

  it('get the place of a canceled stream', async () => {
    const codes: number[] = []
    const { origin } = await serve(
      (stream, _, count) => {
        stream.on('close', () => codes.push(stream.rstCode))
        if (count > 1) reply(stream)
      },
      { maxConcurrentStreams: 1 },
    )
    const pool = poolFor(origin)
    const outcomes = await Promise.all([ask(pool, { deadline_ms: 50 }), ask(pool)])
    expect(outcomes).toEqual([{ kind: 'ambiguous', reason: 'timeout' }, ANSWERED])
    expect(codes[0]).toBe(constants.NGHTTP2_CANCEL)
  })
})

describe('a server that sends GOAWAY', () => {
  it('answers its open streams, and another connection takes the rest', async () => {
    const { origin, sessions } = await serve((stream, session, count) => {
      if (count % 10 === 0) session.close()
      setTimeout(() => reply(stream), 2)
    })
    const pool = poolFor(origin, { streams_max: 4 })
    expect(await askMany(pool, 100)).toEqual(times(100, ANSWERED))
    expect(sessions.length).toBeGreaterThan(3)
  })

  it('does not fail the requests that it did not process', async () => {
    const processed: string[] = []
    const { origin } = await serve((stream, session, count) => {
      const id = stream.id ?? 0
      if (count === 5) session.goaway(constants.NGHTTP2_NO_ERROR, id - 2)
      else if (count < 5 || session !== first.session) {
        processed.push('one')
        setTimeout(() => reply(stream), 20)
      }
      first.session ??= session
    })
    const first: { session?: ServerHttp2Session } = {}
    expect(await askMany(poolFor(origin), 20)).toEqual(times(20, ANSWERED))
    expect(processed).toHaveLength(20)
  })

  it('leaves the requests that it processed ambiguous after an error', async () => {
    const { origin } = await serve((_, session, count) => {
      if (count === 3) session.goaway(constants.NGHTTP2_REFUSED_STREAM, 5)
    })
    const outcomes = await askMany(poolFor(origin, { sessions_max: 1 }), 3)
    expect(outcomes).toEqual(times(3, { kind: 'ambiguous', reason: 'broken' }))
  })
})

describe('a connection', () => {
  it('is trusted only with the configured authority', async () => {
    const authority = createAuthority()
    const server = createSecureServer(issueCertificate(authority, ['127.0.0.1']))
    server.on('stream', (stream) => reply(stream))
    server.on('sessionError', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `https://127.0.0.1:${portOf(server)}`
    const trusting = poolFor(origin, { ca: authority.cert })
    expect(await ask(trusting)).toEqual(ANSWERED)
    const others = poolFor(origin, { ca: createAuthority().cert })
    expect(await ask(others)).toEqual({ kind: 'not_sent', reason: 'unreachable' })
    await trusting.close(0)
    server.close()
  })

  it('that fails returns the waiting requests, and is tried again', async () => {
    const { origin, sessions } = await serve((stream) => reply(stream))
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const port = portOf(closed)
    closed.close()
    await once(closed, 'close')
    const pool = poolFor(`http://127.0.0.1:${port}`)
    const unreachable = { kind: 'not_sent', reason: 'unreachable' }
    expect(await askMany(pool, 20)).toEqual(times(20, unreachable))
    expect(await ask(pool)).toEqual(unreachable)
    const relay = createTcpServer((socket) => socket.destroy()).listen(port, '127.0.0.1')
    await once(relay, 'listening')
    expect((await ask(pool)).kind).toBe('not_sent')
    relay.close()
    await once(relay, 'close')
    expect(sessions).toHaveLength(0)
    expect(await ask(poolFor(origin))).toEqual(ANSWERED)
  })

  it('on which the server sends nothing is abandoned', async () => {
    const sockets: Socket[] = []
    const mute = createTcpServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const pool = poolFor(`http://127.0.0.1:${portOf(mute)}`, { connect_timeout_ms: 50 })
    expect(await ask(pool)).toEqual({ kind: 'not_sent', reason: 'unreachable' })
    for (const socket of sockets) socket.destroy()
    mute.close()
  })

  it('that stops responding is abandoned and replaced', async () => {
    const { origin, sessions } = await serve((stream) => reply(stream))
    const relay = await relayTo(Number(new URL(origin).port))
    const pool = poolFor(relay.origin, { ping_interval_ms: 30, ping_timeout_ms: 50 })
    expect(await ask(pool)).toEqual(ANSWERED)
    relay.freeze()
    expect(await ask(pool)).toEqual({ kind: 'ambiguous', reason: 'broken' })
    expect(await ask(pool)).toEqual(ANSWERED)
    expect(sessions).toHaveLength(2)
  })

  it('on which a request timed out is used again only when it proves to be alive', async () => {
    const { origin, sessions } = await serve((stream) => reply(stream))
    const relay = await relayTo(Number(new URL(origin).port))
    const pool = poolFor(relay.origin, { ping_timeout_ms: 60_000 })
    expect(await ask(pool)).toEqual(ANSWERED)
    relay.freeze()
    expect(await ask(pool, { deadline_ms: 50 })).toMatchObject({ reason: 'timeout' })
    expect(await askMany(pool, 10)).toEqual(times(10, ANSWERED))
    expect(sessions).toHaveLength(2)
  })

  it('that is alive stays in use although one request was never answered', async () => {
    let pings = 0
    const { origin, sessions } = await serve(
      (stream, _, count) => (count === 2 ? undefined : reply(stream)),
      {},
      (session) => session.on('ping', () => (pings += 1)),
    )
    const pool = poolFor(origin)
    await ask(pool)
    expect(await ask(pool, { deadline_ms: 50 })).toMatchObject({ reason: 'timeout' })
    await until(() => pings > 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await ask(pool)).toEqual(ANSWERED)
    expect(sessions).toHaveLength(1)
  })

  it('is closed when idle, and opened on demand', async () => {
    const { origin, sessions } = await serve((stream) => reply(stream))
    const pool = poolFor(origin, { idle_timeout_ms: 20 })
    await ask(pool)
    await until(() => sessions[0]?.destroyed === true)
    expect(await ask(pool)).toEqual(ANSWERED)
    expect(sessions).toHaveLength(2)
  })

  it('that was useless is not reopened immediately', async () => {
    const { origin, sessions } = await serve(
      (stream) => reply(stream),
      {},
      (session) => session.goaway(constants.NGHTTP2_NO_ERROR),
    )
    const pool = poolFor(origin, { reconnect: { first_ms: 60_000, max_ms: 60_000 } })
    const outcomes = await askMany(pool, 3, { deadline_ms: 300 })
    expect(outcomes).toEqual(times(3, { kind: 'not_sent', reason: 'timeout' }))
    expect(sessions).toHaveLength(1)
  })
})

describe('closing', () => {
  it('waits for responses, returns waiting requests and accepts no more', async () => {
    const held: ServerHttp2Stream[] = []
    const { origin } = await serve((stream) => held.push(stream), { maxConcurrentStreams: 2 })
    const pool = poolFor(origin)
    const all = askMany(pool, 4)
    await until(() => held.length === 2)
    const closed = pool.close(5000)
    expect(await ask(pool)).toEqual({ kind: 'not_sent', reason: 'closed' })
    held.forEach((stream) => reply(stream))
    await closed
    const back = { kind: 'not_sent', reason: 'closed' }
    expect(await all).toEqual([ANSWERED, ANSWERED, back, back])
    expect(pool.inFlight()).toBe(0)
  })

  it('does not wait forever', async () => {
    const { origin, seen } = await serve(() => undefined)
    const pool = poolFor(origin)
    const outcome = ask(pool)
    await until(() => seen() === 1)
    await pool.close(20)
    expect(await outcome).toEqual({ kind: 'ambiguous', reason: 'stopped' })
  })
})
