import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { example, type Receiver, readReceiverScenario, startReceiver } from './receiver.ts'

const secret = 'whsec_test'
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver({ received_max: 5 })
})

beforeEach(() => {
  receiver.setScenario({ ...example, secrets: [secret] })
  receiver.clear()
})

afterAll(() => receiver.close())

type Call = {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}
type Reply = { status: number; headers: IncomingMessage['headers']; text: string }

async function call(path: string, options: Call = {}): Promise<Reply> {
  const { method = 'POST', headers = {}, body = '', signal } = options
  const sent = request(`${receiver.url}${path}`, {
    method,
    headers,
    ca: receiver.ca,
    agent: false,
    ...(signal && { signal }),
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer as AsyncIterable<Buffer>) text += chunk.toString()
  return { status: answer.statusCode ?? 0, headers: answer.headers, text }
}

function deliver(
  path: string,
  delivery: string,
  options: { key?: string; signal?: AbortSignal } = {},
) {
  const { key = secret, signal } = options
  const body = JSON.stringify({ id: delivery })
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  const headers = {
    'x-service-signature': `t=${time},v1=${digest}`,
    'x-service-event': 'order.fraud.detected',
    'x-service-delivery': delivery,
  }
  return call(path, { headers, body, ...(signal && { signal }) })
}

describe('a delivery', () => {
  test('that is signed is answered 200 and recorded unchanged', async () => {
    expect((await deliver('/hook?a=1', 'evt_1')).status).toBe(200)
    expect(receiver.received).toMatchObject([
      {
        path: '/hook?a=1',
        event: 'order.fraud.detected',
        delivery: 'evt_1',
        signature: 'valid',
        is_duplicate: false,
        status: 200,
        body: '{"id":"evt_1"}',
      },
    ])
  })

  test('that is not signed with the secret is answered 401 and not accepted', async () => {
    expect((await deliver('/hook', 'evt_1', { key: 'whsec_other' })).status).toBe(401)
    expect((await call('/hook', { headers: { 'x-service-delivery': 'evt_1' } })).status).toBe(401)
    expect(receiver.received.map(({ signature }) => signature)).toEqual(['invalid', 'missing'])
    expect(receiver.accepted.size).toBe(0)
  })

  test('that is repeated is a duplicate, unless the first attempt failed', async () => {
    await deliver('/fail-once', 'evt_1')
    await deliver('/fail-once', 'evt_1')
    await deliver('/fail-once', 'evt_1')
    expect(receiver.received.map(({ status, is_duplicate }) => [status, is_duplicate])).toEqual([
      [503, false],
      [200, false],
      [200, true],
    ])
    expect([...receiver.accepted]).toEqual([['/fail-once evt_1', 2]])
  })

  test('is checked with the secrets of its path if there are any', async () => {
    receiver.setScenario({ secrets: ['whsec_other'], paths: { '/own': { secrets: [secret] } } })
    expect((await deliver('/own', 'evt_1')).status).toBe(200)
    expect((await deliver('/other', 'evt_1')).status).toBe(401)
  })

  test('is recorded among the last five, while all accepted deliveries are counted', async () => {
    for (const id of ['1', '2', '3', '4', '5', '6']) await deliver('/hook', id)
    expect(receiver.received.map(({ delivery }) => delivery)).toEqual(['2', '3', '4', '5', '6'])
    expect(receiver.accepted.size).toBe(6)
  })
})

describe('a fault', () => {
  test.each([
    ['/fail', 500, {}],
    ['/gone', 410, {}],
    ['/busy', 429, { 'retry-after': '30' }],
    ['/redirect', 302, { location: 'https://169.254.169.254/latest/meta-data/' }],
  ])('%s answers %i', async (path, status, headers) => {
    const answer = await deliver(path, 'evt_1')
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject(headers)
  })

  test('of latency delays the answer', async () => {
    receiver.setScenario({ paths: { '/slow': { latency_ms: 30, body: 'late' } } })
    expect((await deliver('/slow', 'evt_1')).text).toBe('late')
  })

  test.each(['/hang', '/drip', '/drip-headers', '/flood'])('%s never ends', async (path) => {
    const stop = new AbortController()
    const answer = deliver(path, 'evt_1', { signal: stop.signal })
    await expect.poll(() => receiver.received).toMatchObject([{ status: null }])
    setTimeout(() => stop.abort(), 100)
    await expect(answer).rejects.toThrow('aborted')
    expect(receiver.accepted.size).toBe(0)
  })

  test('/reset resets the connection', async () => {
    await expect(deliver('/reset', 'evt_1')).rejects.toThrow()
  })
})

describe('the control interface', () => {
  test('returns and deletes the recorded deliveries', async () => {
    await deliver('/hook', 'evt_1')
    const shown = await call('/received', { method: 'GET' })
    expect(JSON.parse(shown.text)).toMatchObject({
      accepted: 1,
      received: [{ delivery: 'evt_1', signature: 'valid' }],
    })
    await call('/received', { method: 'DELETE' })
    expect(receiver.received).toEqual([])
  })

  test('replaces the scenario, and keeps the old one when the new one is invalid', async () => {
    const body = JSON.stringify({ paths: { '/hook': { status: 418 } } })
    expect((await call('/control', { method: 'PUT', body })).status).toBe(200)
    const bad = await call('/control', { method: 'PUT', body: '{"paths":{"/hook":{"status":1}}}' })
    expect(bad.status).toBe(400)
    const sentence = 'receiver scenario: paths["/hook"].status must be >= 200'
    expect(JSON.parse(bad.text)).toEqual({ message: sentence })
    expect((await deliver('/hook', 'evt_1')).status).toBe(418)
    const shown = await call('/control', { method: 'GET' })
    expect(JSON.parse(shown.text)).toEqual({ paths: { '/hook': { status: 418 } } })
  })

  test('returns the authority, and 404 for unknown paths', async () => {
    expect((await call('/ca.pem', { method: 'GET' })).text).toBe(receiver.ca)
    expect((await call('/unknown', { method: 'GET' })).status).toBe(404)
  })
})

describe('the certificate', () => {
  const handshake = async (port: number, servername: string, ca: string) => {
    const socket = connect({ host: '127.0.0.1', port, servername, ca })
    try {
      await once(socket, 'secureConnect')
      return 'trusted'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    } finally {
      socket.destroy()
    }
  }

  test('is valid for the names of this machine', async () => {
    expect(await handshake(receiver.port, 'localhost', receiver.ca)).toBe('trusted')
    expect(await handshake(receiver.port, 'shop.receiver.test', receiver.ca)).toBe('trusted')
    const other = await handshake(receiver.port, 'other.test', receiver.ca)
    expect(other).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('can have other names, another date of issue and another authority', async () => {
    const odd = await startReceiver({ names: ['odd.test'], issued_at: new Date('2020-01-01') })
    expect(await handshake(odd.port, 'odd.test', odd.ca)).toBe('CERT_HAS_EXPIRED')
    expect(await handshake(receiver.port, 'localhost', odd.ca)).toBe(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    )
    await odd.close()
  })
})

describe('readReceiverScenario', () => {
  test('the example is valid', () => {
    expect(readReceiverScenario(structuredClone(example))).toEqual(example)
  })

  test.each<[unknown, string]>([
    [{ paths: { '/a': { fault: 'nap' } } }, 'receiver scenario: paths["/a"].fault'],
    [{ secret: 'x' }, 'receiver scenario: secret is not a known member'],
  ])('%j is refused with a sentence that names the member', (value, sentence) => {
    expect(() => readReceiverScenario(value)).toThrow(sentence)
  })
})
