import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import type { App } from './app.ts'
import { answerPreflight } from './cors.ts'

const MAX_BYTES = 1000

/** What the routes below answer, or an error. */
type Said = {
  body: unknown
  raw: string | null
  message: string
  content: { field: string }
}

describe('bodies of routes with rules', () => {
  let app: App

  beforeAll(async () => {
    app = createBareServer()
    const body = {
      max_bytes: MAX_BYTES,
      accepts_gzip: true,
      accepts_text: true,
      is_optional: true,
      is_lenient: true,
    }
    app.post('/ample', { config: { access: 'public', body, cors: true } }, (request, reply) =>
      reply.send({ body: request.body ?? null, raw: request.rawBody?.toString() ?? null }),
    )
    app.post('/strict', { config: { access: 'public' } }, (request, reply) =>
      reply.send({ body: request.body ?? null, raw: request.rawBody?.toString() ?? null }),
    )
    app.post(
      '/keyed',
      { config: { access: 'any_key', key_in_query: true, cors: true } },
      (request, reply) => reply.send(request.principal),
    )
    answerPreflight(app, '/ample')
    await app.ready()
  })

  afterAll(async () => await app.close())

  const post = async (url: string, payload?: Buffer | string, headers = {}) => {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers,
      ...(payload !== undefined && { payload }),
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json<Said>() }
  }

  it('takes gzip and tells the bytes that were inside', async () => {
    const { status, body } = await post('/ample', gzipSync('{"a":1}'), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(status).toBe(200)
    expect(body).toEqual({ body: { a: 1 }, raw: '{"a":1}' })
  })

  it('refuses gzip elsewhere, broken gzip and other encodings', async () => {
    const packed = gzipSync('{"a":1}')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect((await post('/strict', packed, headers)).body.content).toEqual({
      field: 'Content-Encoding',
    })
    expect((await post('/ample', packed.subarray(0, 12), headers)).body.content).toEqual({
      field: 'body',
    })
    const other = { ...headers, 'content-encoding': 'br' }
    expect((await post('/ample', packed, other)).body.content).toEqual({
      field: 'Content-Encoding',
    })
  })

  it('stops decompression at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
    const { status, body } = await post('/ample', bomb.subarray(0, MAX_BYTES), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(status).toBe(400)
    expect(body.content).toEqual({ field: 'body' })
    const small = gzipSync(`"${'x'.repeat(MAX_BYTES)}"`)
    const told = await post('/ample', small, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(told.body.message).toBe(`The request body is larger than ${MAX_BYTES} bytes`)
  })

  it('names the limit of the route when a plain body is too large', async () => {
    const { status, body } = await post('/ample', `"${'x'.repeat(MAX_BYTES)}"`, {
      'content-type': 'application/json',
    })
    expect(status).toBe(400)
    expect(body.message).toBe(`The request body is larger than ${MAX_BYTES} bytes`)
  })

  it.each([
    ['text/plain;charset=UTF-8', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['no type at all', {}],
  ])('takes JSON under %s, where the route says so', async (_, headers) => {
    expect((await post('/ample', '{"a":1}', headers)).body.body).toEqual({ a: 1 })
    expect((await post('/strict', '{"a":1}', headers)).body.content).toEqual({
      field: 'Content-Type',
    })
  })

  it('takes an empty body for none, where the route says so', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post('/ample', '', headers)).body).toEqual({ body: null, raw: null })
    expect((await post('/ample')).status).toBe(200)
  })

  it('lets small faults through where elements are examined one by one', async () => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await post('/ample', '{"a":1,"a":2,"b":"\\u0000"}', headers)
    expect(status).toBe(200)
    expect(body.body).toEqual({ a: 2, b: '\0' })
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`
    expect((await post('/ample', deep, headers)).status).toBe(200)
    expect((await post('/strict', deep, headers)).status).toBe(400)
  })

  it('answers scripts of other origins, refusals included', async () => {
    const fine = await post('/ample', '{}', { 'content-type': 'application/json' })
    expect(fine.headers['access-control-allow-origin']).toBe('*')
    const refused = await post('/keyed', '{}', {})
    expect(refused.status).toBe(401)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    const elsewhere = await post('/strict', '{}', { 'content-type': 'application/json' })
    expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined()
    const preflight = await app.inject({ method: 'OPTIONS', url: '/ample' })
    expect(preflight.statusCode).toBe(200)
    expect(preflight.headers['access-control-allow-methods']).toContain('POST')
    expect(preflight.headers['access-control-allow-headers']).toContain('x-api-key')
  })

  it('refuses a secret key in the URL', async () => {
    const { status, body } = await post('/keyed?api_key=sk_live_anything', '{}', {
      'content-type': 'application/json',
    })
    expect(status).toBe(403)
    expect(body.message).toContain('URL')
  })
})

describe('large bodies at the same time', () => {
  it('are no more than fit into memory: others are told to come again', async () => {
    const app = createBareServer()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    let begun = 0
    const body = { max_bytes: 80_000_000 }
    app.post('/large', { config: { access: 'public', body } }, async () => {
      begun += 1
      await finished
      return {}
    })
    const post = async (bytes: number) =>
      await app.inject({
        method: 'POST',
        url: '/large',
        headers: { 'content-type': 'application/json' },
        payload: `"${'x'.repeat(bytes - 2)}"`,
      })
    const first = post(70_000_000)
    await expect.poll(() => begun).toBe(1)
    const second = await post(1000)
    expect(second.statusCode).toBe(429)
    expect(second.headers['retry-after']).toBe('1')
    finish()
    expect((await first).statusCode).toBe(200)
    expect((await post(70_000_000)).statusCode).toBe(200)
    await app.close()
  })

  it('of senders that went away are not counted for ever', async () => {
    const app = createBareServer()
    let begun = 0
    let ended = 0
    const body = { max_bytes: 80_000_000 }
    app.post('/large', { config: { access: 'public', body } }, async (_request, reply) => {
      begun += 1
      if (begun === 1) await once(reply.raw, 'close')
      ended += 1
      return {}
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const payload = `"${'x'.repeat(70_000_000)}"`
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /large HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n`,
    )
    socket.write(payload)
    await expect.poll(() => begun, { timeout: 10_000 }).toBe(1)
    socket.destroy()
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(1)
    const next = await app.inject({
      method: 'POST',
      url: '/large',
      headers: { 'content-type': 'application/json' },
      payload: '"x"',
    })
    expect(next.statusCode).toBe(200)
    await app.close()
  })
})
