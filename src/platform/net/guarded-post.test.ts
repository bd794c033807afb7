import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAuthority, type Identity, issueCertificate } from '../../../emulators/certificate.ts'
import { type DnsEmulator, startDns } from '../../../emulators/dns.ts'
import { example, type Receiver, startReceiver } from '../../../emulators/receiver.ts'
import { readAllowList } from './allow-list.ts'
import { createGuardedPost, type GuardedPost, type GuardedRequest } from './guarded-post.ts'

const SIGNED = { 'x-service-signature': `t=1,v1=${'0'.repeat(64)}` }
const NAMES = ['localhost', '127.0.0.1', '::1', 'receiver.example.com', '*.receiver.example.com']
let authority: Identity
let dns: DnsEmulator
let receiver: Receiver
let guarded: GuardedPost
const open: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  authority = createAuthority()
  dns = await startDns({ port: 0, scenario: { names: {} } })
  receiver = await startReceiver({ authority, scenario: example, names: NAMES })
})

beforeEach(() => {
  receiver.setScenario(example)
  receiver.clear()
  guarded = create({})
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

afterAll(() => Promise.all([dns.close(), receiver.close()]))

function create(options: {
  allow?: string
  deny?: string[]
  ca?: string
  connect_timeout_ms?: number
}) {
  const created = createGuardedPost({
    allow: readAllowList(options.allow ?? '127.0.0.1, localhost'),
    deny: options.deny,
    dns_servers: [dns.address],
    resolve_timeout_ms: 500,
    connect_timeout_ms: options.connect_timeout_ms ?? 10_000,
    ca: options.ca ?? authority.cert,
  })
  open.push(created.close)
  return created
}

type Overrides = Partial<GuardedRequest>

const post = (path: string, overrides: Overrides = {}, by: GuardedPost = guarded) =>
  by.post({
    url: `${receiver.url}${path}`,
    headers: SIGNED,
    body: '{"id":"evt_1"}',
    deadline_ms: 20_000,
    response_bytes_max: 1_024,
    ...overrides,
  })

describe('an answer', () => {
  test('has status, start of the body and latency, and the request arrives unchanged', async () => {
    const outcome = await post('/hook?a=1', { headers: { ...SIGNED, 'x-own': 'b' } })
    expect(outcome).toEqual({
      kind: 'answered',
      status: 200,
      body_start: '{"signature":"unchecked","is_duplicate":false}',
      latency_ms: expect.any(Number) as number,
      retry_after: null,
    })
    const { headers, path, body } = receiver.received[0] ?? {}
    expect([path, body]).toEqual(['/hook?a=1', '{"id":"evt_1"}'])
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-length': '14',
      ...SIGNED,
      'x-own': 'b',
    })
  })

  test.each([
    ['/fail', 500, null],
    ['/gone', 410, null],
    ['/busy', 429, '30'],
  ])('of %s has status %i', async (path, status, retry_after) => {
    expect(await post(path)).toMatchObject({ kind: 'answered', status, retry_after })
  })

  test('that redirects is not followed', async () => {
    const location = `${receiver.url}/elsewhere`
    receiver.setScenario({ paths: { '/moved': { status: 307, headers: { location } } } })
    expect(await post('/moved')).toMatchObject({ kind: 'answered', status: 307 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/moved'])
  })

  test('is read to the limit and no further', async () => {
    const outcome = await post('/flood', { response_bytes_max: 100 })
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, body_start: 'x'.repeat(100) })
  })

  test('is cut between characters and has none that PostgreSQL rejects', async () => {
    receiver.setScenario({ paths: { '/a': { body: 'a\u0000äöü' } } })
    expect(await post('/a', { response_bytes_max: 5 })).toMatchObject({ body_start: 'a\ufffdä' })
  })

  test('that is compressed is not shown', async () => {
    const headers = { 'content-encoding': 'gzip' }
    receiver.setScenario({ paths: { '/a': { body: 'not gzip', headers } } })
    expect(await post('/a')).toMatchObject({ kind: 'answered', status: 200, body_start: '' })
  })
})

describe('the deadline', () => {
  test.each(['/hang', '/drip', '/drip-headers'])('ends %s', async (path) => {
    const outcome = await post(path, { deadline_ms: 150, response_bytes_max: 1_000_000 })
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout' })
    // The connection is closed too, so that the other side can stop.
    await expect.poll(receiver.connections).toBe(0)
  })

  test('covers the name server', async () => {
    dns.setScenario({ names: { 'slow.example.com': { fault: 'timeout' } } })
    const url = `https://slow.example.com:${receiver.port}/`
    expect(await post('', { url, deadline_ms: 50 })).toMatchObject({ reason: 'timeout' })
    expect(await post('', { url })).toMatchObject({ kind: 'failed', reason: 'dns_failed' })
  })

  test('covers the handshake', async () => {
    const silent = createPlainServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `https://127.0.0.1:${(silent.address() as { port: number }).port}/`
    expect(await post('', { url, deadline_ms: 50 })).toMatchObject({ reason: 'timeout' })
    const impatient = create({ connect_timeout_ms: 50 })
    expect(await post('', { url }, impatient)).toMatchObject({ reason: 'connect_timeout' })
    silent.close()
  })

  test('can be shortened by the caller', async () => {
    const controller = new AbortController()
    const outcome = post('/hang', { signal: controller.signal })
    await expect.poll(() => receiver.received.length).toBe(1)
    controller.abort()
    expect(await outcome).toMatchObject({ kind: 'failed', reason: 'stopped' })
    const late = await post('/hook', { signal: controller.signal })
    expect(late).toMatchObject({ kind: 'failed', reason: 'stopped' })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a failure', () => {
  test.each([
    ['another name', ['other.example.com'], undefined, 'certificate_name'],
    ['another time', ['127.0.0.1'], new Date('2020-01-01'), 'certificate_expired'],
  ])('a certificate for %s', async (_what, names, issued_at, reason) => {
    const other = await startReceiver({ authority, names, ...(issued_at && { issued_at }) })
    open.push(other.close)
    expect(await post('', { url: other.url })).toMatchObject({ kind: 'failed', reason })
    expect(other.received).toEqual([])
  })

  test('includes a certificate from an untrusted authority', async () => {
    const strict = create({ ca: createAuthority().cert })
    expect(await post('/hook', {}, strict)).toMatchObject({ reason: 'certificate_untrusted' })
    expect(receiver.received).toEqual([])
  })

  test('includes a port without a listener, and one without TLS', async () => {
    const plain = createPlainServer((socket) => {
      socket.on('error', () => undefined).resume()
      socket.end('HTTP/1.1 200 OK\r\n\r\n')
    })
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const url = `https://127.0.0.1:${(plain.address() as { port: number }).port}/`
    expect(await post('', { url })).toMatchObject({ kind: 'failed', reason: 'tls_failed' })
    plain.close()
    await once(plain, 'close')
    expect(await post('', { url })).toMatchObject({ reason: 'connection_refused' })
  })

  test('includes a broken connection', async () => {
    expect(await post('/reset')).toMatchObject({ kind: 'failed', reason: 'connection_broken' })
  })

  test('includes a name that does not exist', async () => {
    const url = `https://missing.example.com:${receiver.port}/`
    expect(await post('', { url })).toMatchObject({ kind: 'failed', reason: 'name_not_found' })
    expect(await guarded.check(url)).toEqual({ kind: 'unresolved', reason: 'name_not_found' })
  })

  test('includes a header that cannot be sent', async () => {
    const headers = { 'x-own': 'a\r\nx-other: b' }
    expect(await post('/hook', { headers })).toMatchObject({ reason: 'unsendable' })
    expect(receiver.received).toEqual([])
  })
})

describe('a response that is not HTTP', () => {
  const servers: Server[] = []
  async function serve(text: string): Promise<string> {
    const identity = issueCertificate(authority, ['127.0.0.1'])
    const server = createServer(identity, (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(text))
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `https://127.0.0.1:${(server.address() as { port: number }).port}/`
  }
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['headers over 16 KiB', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('%s is a failure', async (_what, text) => {
    const outcome = await post('', { url: await serve(text) })
    expect(outcome).toMatchObject({ kind: 'failed' })
    expect(['bad_answer', 'connection_broken']).toContain('reason' in outcome && outcome.reason)
  })

  test('an early hint is not the response yet', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'
    const url = await serve(`${hint}HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok`)
    expect(await post('', { url })).toMatchObject({ status: 201, body_start: 'ok' })
  })
})

describe('connections', () => {
  test('are reused by requests of the same partition only', async () => {
    for (const partition of ['a', 'a', 'a', 'b']) await post('/hook', { partition })
    expect(receiver.connections()).toBe(2)
    await guarded.close()
    await expect.poll(receiver.connections).toBe(0)
  })

  test('that the receiver has closed do not fail a request', async () => {
    const identity = issueCertificate(authority, ['127.0.0.1'])
    let requests = 0
    const server = createServer(identity, (socket) => {
      socket.on('error', () => undefined)
      let isFirst = true
      socket.on('data', () => {
        requests += 1
        if (isFirst) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        else socket.destroy()
        isFirst = false
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/`
    expect(await post('', { url })).toMatchObject({ status: 200 })
    expect(await post('', { url })).toMatchObject({ status: 200 })
    expect(requests).toBe(3)
    await guarded.close()
    server.close()
  })

  test('go to the next address when the first one refuses them', async () => {
    dns.setScenario({ names: { 'receiver.example.com': { A: ['127.0.0.9', '127.0.0.1'] } } })
    const allowing = create({ allow: '127.0.0.0/8' })
    const url = `https://receiver.example.com:${receiver.port}/hook`
    expect(await post('', { url }, allowing)).toMatchObject({ status: 200 })
    expect(receiver.received[0]?.headers['host']).toBe(`receiver.example.com:${receiver.port}`)
  })

  test('are not reused for another address of the same name', async () => {
    const sequence = [{ A: ['127.0.0.1'] }, { A: ['127.0.0.9'] }]
    dns.setScenario({ names: { 'moving.receiver.example.com': { ttl: 0, sequence } } })
    const allowing = create({ allow: '127.0.0.0/8' })
    const url = `https://moving.receiver.example.com:${receiver.port}/hook`
    expect(await post('', { url }, allowing)).toMatchObject({ status: 200 })
    expect(receiver.connections()).toBe(1)
    expect(await post('', { url }, allowing)).toMatchObject({ kind: 'failed' })
    expect(receiver.received).toHaveLength(1)
  })

  test('use no proxy', async () => {
    const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'] as const
    for (const name of names) process.env[name] = 'http://127.0.0.1:1'
    const outcome = await post('/hook', {}, create({}))
    for (const name of names) delete process.env[name]
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
  })
})

describe('the operator', () => {
  test('can allow a name with any address, without lifting certificate or port rules', async () => {
    const allowing = create({ allow: `localhost:${receiver.port}` })
    const url = `https://localhost:${receiver.port}/hook`
    expect(await allowing.check(url)).toEqual({ kind: 'allowed' })
    expect(await post('', { url }, allowing)).toMatchObject({ status: 200 })
    const others = [url.replace(String(receiver.port), '22'), receiver.url]
    for (const other of others) {
      expect(await allowing.check(other)).toMatchObject({ kind: 'refused' })
    }
    const plain = url.replace('https', 'http')
    expect(await allowing.check(plain)).toEqual({ kind: 'refused', reason: 'not_https' })
  })

  test('can allow a port that is otherwise refused', async () => {
    const allowing = create({ allow: '127.0.0.1:25' })
    expect(await allowing.check('https://127.0.0.1:25/')).toEqual({ kind: 'allowed' })
    expect(await allowing.check('https://127.0.0.2:25/')).toMatchObject({ kind: 'refused' })
    expect(await allowing.check('https://93.184.216.34:25/')).toMatchObject({ kind: 'refused' })
  })

  test('can deny public ranges', async () => {
    const denying = create({ deny: ['93.184.216.0/24'] })
    const refused = { kind: 'refused', reason: 'not_public' }
    expect(await denying.check('https://93.184.216.34/')).toEqual(refused)
    expect(await denying.check('https://93.184.217.34/')).toEqual({ kind: 'allowed' })
    expect(() => create({ deny: ['own'] })).toThrow('"own" is not an IP address or CIDR range')
  })
})
