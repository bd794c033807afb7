/** Responses to invalid requests, down to the bytes on the wire. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import { createLog } from '../log.ts'
import { AppError, tooManyRequests } from './errors.ts'

const logged: string[] = []
const log = createLog('info', { write: (line) => void logged.push(line) })
const app = createBareServer({
  body_max_bytes: 1024,
  json_max_depth: 4,
  log,
  host_names: ['vigil.example'],
})
const config = { access: 'public' } as const
app.post('/echo', { config, schema: { body: Type.Object({}) } }, ({ body }) => body)
app.get('/broken', { config }, () => {
  throw new Error('the password is swordfish')
})
app.get('/unreadable', { config }, () => {
  throw Object.assign(new Error('the password is swordfish'), { statusCode: 400 })
})
app.get('/busy', { config }, () => {
  throw tooManyRequests(7)
})
app.get('/refused', { config }, () => {
  throw new AppError(403, { message: 'No' })
})
app.get('/things/:id', { config }, () => ({ success: true }))
app.get('/v1/things', { config }, () => ({ success: true }))
app.get('/console/api/things', { config }, () => ({ success: true }))
app.get('/keyed', { config: { access: 'secret_key' } }, () => ({ success: true }))
app.get('/own', { config: { access: 'user' } }, () => ({ success: true }))

let port = 0
beforeAll(async () => {
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(async () => await app.close())

const JSON_HEADERS = { 'content-type': 'application/json' }

async function post(payload: string | Buffer | undefined, headers: Record<string, string>) {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/echo',
    headers,
    ...(payload !== undefined && { payload }),
  })
  const answer = JSON.parse(body) as { success?: boolean; content?: { field?: string } }
  return { status: statusCode, ...answer }
}

const refused = (field: string) => ({
  status: 400,
  success: false,
  message: expect.stringMatching(/\w/) as unknown,
  code: 'invalid_request',
  content: { field },
})

describe('a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
  ])('is read with the content type %s', async (type) => {
    expect(await post('{"a":1}', { 'content-type': type })).toEqual({ status: 200, a: 1 })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/json, text/plain',
    ';',
  ])('is refused with the content type %s', async (type) => {
    expect(await post('{"a":1}', { 'content-type': type })).toEqual(refused('Content-Type'))
  })

  it('is refused without a content type', async () => {
    expect(await post(Buffer.from('{"a":1}'), {})).toEqual(refused('Content-Type'))
  })

  it('is refused when compressed, with or without Content-Encoding', async () => {
    const packed = gzipSync('{"a":1}')
    const encoded = { ...JSON_HEADERS, 'content-encoding': 'gzip' }
    expect(await post(packed, encoded)).toEqual(refused('Content-Encoding'))
    expect(await post(packed, JSON_HEADERS)).toEqual(refused('body'))
    expect(await post('{}', { ...JSON_HEADERS, 'content-encoding': 'identity' })).toEqual({
      status: 200,
    })
  })

  it('is refused when it is empty or missing', async () => {
    expect(await post('', JSON_HEADERS)).toEqual(refused('body'))
    expect(await post(undefined, JSON_HEADERS)).toEqual(refused('body'))
    expect(await post(undefined, {})).toEqual(refused('body'))
  })

  it('is refused over the size limit, declared or measured', async () => {
    const large = JSON.stringify({ a: 'x'.repeat(2000) })
    expect(await post(large, JSON_HEADERS)).toEqual(refused('body'))
    const chunks = `400\r\n${'x'.repeat(1024)}\r\n400\r\n${'x'.repeat(1024)}\r\n0\r\n\r\n`
    const answer = await send(
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    )
    expect(answer).toMatchObject({ status: 400, body: { content: { field: 'body' } } })
  })

  it('is refused when it is nested too deeply', async () => {
    expect(await post('{"a":{"b":{"c":{}}}}', JSON_HEADERS)).toMatchObject({ status: 200 })
    expect(await post('{"a":{"b":{"c":{"d":[]}}}}', JSON_HEADERS)).toEqual(refused('a.b.c.d'))
  })
})

describe('an error', () => {
  it('of the server reveals no details', async () => {
    const { statusCode, body } = await app.inject('/broken')
    expect(statusCode).toBe(500)
    expect(JSON.parse(body)).toEqual({ success: false, message: 'Internal server error' })
  })

  it('of the catalog is answered unchanged', async () => {
    const { statusCode, body } = await app.inject('/refused')
    expect(statusCode).toBe(403)
    expect(JSON.parse(body)).toEqual({ success: false, message: 'No' })
  })

  it('OP-19: 429 says when to retry, in the body and in Retry-After', async () => {
    const { statusCode, headers, body } = await app.inject('/busy')
    expect(statusCode).toBe(429)
    expect(headers['retry-after']).toBe('7')
    expect(JSON.parse(body)).toEqual({
      success: false,
      message: 'Rate limit exceeded',
      content: { retry_after: 7 },
    })
  })
})

describe('a client error that the framework detects', () => {
  it('is a 400 of the error catalog, and is not logged', async () => {
    logged.length = 0
    const { statusCode, body } = await app.inject('/unreadable')
    expect({ status: statusCode, ...(JSON.parse(body) as object) }).toEqual(refused('request'))
    expect(body).not.toContain('swordfish')
    expect(logged).toEqual([])
  })

  it('such as a disconnect in the middle of a body is not logged', async () => {
    logged.length = 0
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a"',
    )
    const [, response] = (await once(app.server, 'request')) as [unknown, ServerResponse]
    socket.destroy()
    await once(response, 'close')
    await sleep(50)
    expect(response.statusCode).toBe(400)
    expect(logged).toEqual([])
  })
})

describe('a path', () => {
  it.each([
    ['that does not exist', '/nothing'],
    ['with an extra slash', '/things/1/'],
    ['in capitals', '/THINGS/1'],
    ['that cannot be decoded', '/things/%E0%A4%A'],
    ['with a lone percent sign', '/things/%'],
    ['with a very long identifier (OP-38)', `/things/${'a'.repeat(5000)}`],
  ])('%s is a 404 in the envelope', async (_, url) => {
    const { statusCode, body } = await app.inject(url)
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toEqual({ success: false, message: 'Not found' })
  })

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const)(
    'that exists for other methods is a 404 for %s',
    async (method) => {
      expect((await app.inject({ method, url: '/echo' })).statusCode).toBe(404)
    },
  )
})

describe('HEAD', () => {
  it('is answered like GET, without the body', async () => {
    const got = await app.inject('/things/1')
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/things/1' })
    expect([statusCode, body]).toEqual([200, ''])
    expect(headers['content-length']).toBe(got.headers['content-length'])
    expect((await app.inject({ method: 'HEAD', url: '/nothing' })).statusCode).toBe(404)
  })

  it('sends no byte of a body to the socket, so that the connection can be used again', async () => {
    const request = 'HEAD /things/1 HTTP/1.1\r\nHost: x\r\n\r\n'
    const next = 'GET /refused HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    expect(await send(`${request}${next}`)).toEqual({
      status: 403,
      body: { success: false, message: 'No' },
    })
  })

  it.each(['/v1/things', '/console/api/things'])('is a 404 under %s', async (url) => {
    expect((await app.inject(url)).statusCode).toBe(200)
    expect((await app.inject({ method: 'HEAD', url })).statusCode).toBe(404)
  })
})

describe('a 401', () => {
  it.each([
    ['/keyed', 'ApiKey realm="vigil"'],
    ['/own', 'Bearer realm="vigil"'],
  ])('names the kind of credential: %s', async (url, challenge) => {
    for (const headers of [{}, { 'x-api-key': 'no', authorization: 'Bearer no' }]) {
      const answer = await app.inject({ url, headers })
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, challenge])
    }
  })
})

describe('the Host header', () => {
  it.each(['127.0.0.1:8080', 'localhost', 'vigil', 'vigil.example:443'])(
    'may be %s',
    async (host) => {
      expect((await app.inject({ url: '/things/1', headers: { host } })).statusCode).toBe(200)
    },
  )

  it('may not be a name that a page of another site can have', async () => {
    for (const url of ['/things/1', '/keyed', '/nothing']) {
      const { statusCode, body } = await app.inject({ url, headers: { host: 'evil.example' } })
      expect({ status: statusCode, ...(JSON.parse(body) as object) }).toEqual(refused('Host'))
      expect(body).toContain('VIGIL_ALLOWED_HOSTS')
    }
  })
})

describe('on the wire', () => {
  it.each([
    ['something that is not HTTP', 'hello\r\n\r\n', 'request'],
    ['an unknown method', 'BREW /things/1 HTTP/1.1\r\nHost: x\r\n\r\n', 'request'],
    ['a header that is too large', `GET / HTTP/1.1\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`, 'request'],
    ['no Host', 'GET /things/1 HTTP/1.1\r\n\r\n', 'Host'],
    [
      'an expectation that cannot be met',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: tea\r\n\r\n{}',
      'Expect',
    ],
    [
      'a repeated Content-Length',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      'request',
    ],
  ])('%s gets a 400 in the envelope', async (_, request, field) => {
    const { status, body } = await send(request)
    expect(status).toBe(400)
    expect(body).toEqual({
      success: false,
      message: expect.stringMatching(/\w/) as unknown,
      code: 'invalid_request',
      content: { field },
    })
  })

  it('HTTP/1.0 needs no Host', async () => {
    expect((await send('GET /things/1 HTTP/1.0\r\n\r\n')).status).toBe(200)
  })

  it('Expect: 100-continue works', async () => {
    const request =
      'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}'
    expect((await send(request)).status).toBe(200)
  })

  it('answers are not cached and not sniffed', async () => {
    for (const url of ['/things/1', '/nothing', '/broken']) {
      const { headers } = await app.inject(url)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-type']).toMatch(/^application\/json/)
    }
  })
})

/** Sends bytes and reads the response until the server closes or the response is complete. */
async function send(request: string): Promise<{ status: number; body: unknown }> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    if (isWhole(text)) socket.end()
  })
  socket.on('error', () => socket.destroy())
  const closed = once(socket, 'close')
  socket.write(request)
  await closed
  const last = text.lastIndexOf('HTTP/1.1 ')
  const body = text.slice(text.indexOf('{', last), text.lastIndexOf('}') + 1)
  return { status: Number(text.slice(last + 9, last + 12)), body: JSON.parse(body) }
}

function isWhole(text: string): boolean {
  const [, length] = /content-length: (\d+)/i.exec(text) ?? []
  const start = text.indexOf('\r\n\r\n', text.search(/content-length/i))
  return length !== undefined && start > 0 && text.length >= start + 4 + Number(length)
}
