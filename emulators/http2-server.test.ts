import { once } from 'node:events'
import { connect } from 'node:http2'
import { afterEach, describe, expect, test } from 'vitest'
import { connectTo } from '../test/support/http2-client.ts'
import { createAuthority } from './certificate.ts'
import { startHttp2 } from './http2-server.ts'
import type { GoawayPlan } from './http2-streams.ts'
import type { WireReply } from './http2-wire.ts'

const REFUSED_STREAM = 7
const INTERNAL_ERROR = 2
const authority = createAuthority()
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function start(
  answer: (path: string) => WireReply | Promise<WireReply>,
  options: { streams_max?: number; goaway?: GoawayPlan } = {},
) {
  const served: string[] = []
  const server = await startHttp2({
    port: 0,
    host: '127.0.0.1',
    authority,
    streams_max: () => options.streams_max ?? 100,
    goaway: () => options.goaway,
    handle: ({ path }) => {
      served.push(path)
      return answer(path)
    },
  })
  closing.push(server.close)
  const target = { url: server.url, ca: authority.cert }
  const client = await connectTo(target)
  closing.push(client.close)
  const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at + 1}`)
  const requestAll = (count: number) =>
    Promise.all(paths(count).map((path) => client.request({ ':path': path })))
  return { server, client, served, requestAll, target }
}

const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const OK = { status: 200, text: '{}' }

describe('the limit of streams', () => {
  test('is announced, enforced, and raised while the connection is open', async () => {
    const { server, client, requestAll } = await start(() => ({ ...OK, latency_ms: 20 }), {
      streams_max: 2,
    })
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(2)
    expect((await requestAll(10)).map(({ status }) => status)).toEqual(repeat(10, 200))
    expect(server.traffic()).toMatchObject({ streams_open_max: 2, streams_open: 0 })
    server.allowStreams(5)
    await once(client.session, 'remoteSettings')
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(5)
    await requestAll(20)
    expect(server.traffic()).toMatchObject({ streams_open_max: 5, connections_total: 1 })
  })
})

describe('GOAWAY', () => {
  test('is sent after a number of streams: these are answered, later ones are not served', async () => {
    const { server, client, served, requestAll } = await start(() => ({ ...OK, latency_ms: 5 }), {
      goaway: { after_streams: 3, debug: '{"reason":"Shutdown"}' },
    })
    const answers = await requestAll(8)
    const last = 2 * 3 - 1
    expect(client.goaways[0]).toEqual({ last_stream: last, debug: '{"reason":"Shutdown"}' })
    expect(answers.map(({ status }) => status)).toEqual([...repeat(3, 200), ...repeat(5, null)])
    expect(served).toEqual(['/1', '/2', '/3'])
    expect(server.traffic().goaways).toBe(1)
  })

  test('closes the connection once its streams are answered, and new ones are accepted', async () => {
    const { client, target, requestAll } = await start(() => OK, { goaway: { after_streams: 1 } })
    await requestAll(1)
    await client.closed
    const next = await connectTo(target)
    closing.push(next.close)
    expect((await next.request({ ':path': '/again' })).status).toBe(200)
  })
})

describe('an answer', () => {
  test.each([
    ['reset_stream', INTERNAL_ERROR],
    ['refuse_stream', REFUSED_STREAM],
  ] as const)('that is %s ends its stream with code %i and no other', async (fault, code) => {
    const { requestAll } = await start((path) => (path === '/2' ? { status: 0, fault } : OK))
    const answers = await requestAll(3)
    expect(answers.map(({ status }) => status)).toEqual([200, null, 200])
    expect(answers[1]?.rst_code).toBe(code)
  })

  test('that is reset_connection ends all streams', async () => {
    const { client, requestAll } = await start((path) =>
      path === '/3' ? { status: 0, fault: 'reset_connection' } : { ...OK, latency_ms: 60_000 },
    )
    expect((await requestAll(3)).map(({ status }) => status)).toEqual([null, null, null])
    await client.closed
  })

  test('that is hang never comes, and other streams are answered', async () => {
    const { client, server } = await start((path) =>
      path === '/hang' ? { status: 0, fault: 'hang' } : OK,
    )
    const hanging = client.request({ ':path': '/hang' })
    expect((await client.request({ ':path': '/other' })).status).toBe(200)
    expect(server.traffic().streams_open).toBe(1)
    client.close()
    expect((await hanging).status).toBe(null)
  })

  test('of a handler that fails is 500', async () => {
    const { client } = await start(() => Promise.reject(new Error('broken')))
    expect((await client.request({ ':path': '/' })).status).toBe(500)
  })

  test('of a handler that throws is 500 with the error', async () => {
    const { client } = await start(() => {
      throw new Error('"broken"')
    })
    const answer = client.request({ ':path': '/' })
    expect(await answer).toMatchObject({ status: 500, body: 'Error: "broken"' })
  })
})

test('clients that do not trust the authority are rejected without affecting others', async () => {
  const { server, requestAll } = await start(() => OK)
  const session = connect(server.url)
  const [error] = (await once(session, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect((await requestAll(1))[0]?.status).toBe(200)
})
