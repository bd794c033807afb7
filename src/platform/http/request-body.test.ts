import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import type { App } from './app.ts'
import { answerPreflight } from './cors.ts'

const MAX_BYTES = 1000

/** The response of the routes below, or an error. */
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
      (request, reply) => reply.send(request.key),
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

  it('accept gzip and provide the decompressed bytes', async () => {
    const { status, body } = await post('/ample', gzipSync('{"a":1}'), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(status).toBe(200)
    expect(body).toEqual({ body: { a: 1 }, raw: '{"a":1}' })
  })

  it('refuse gzip on other routes, invalid gzip and other encodings', async () => {
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

  it('are decompressed up to the limit only', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
    const { status, body } = await post('/ample', bomb.subarray(0, MAX_BYTES), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(status).toBe(400)
    expect(body.content).toEqual({ field: 'body' })
    const small = gzipSync(`"${'x'.repeat(MAX_BYTES)}"`)
    const refusal = await post('/ample', small, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    expect(refusal.body.message).toBe(`The request body is larger than ${MAX_BYTES} bytes`)
  })

  it('are refused with the limit of the route when a plain body is too large', async () => {
    const { status, body } = await post('/ample', `"${'x'.repeat(MAX_BYTES)}"`, {
      'content-type': 'application/json',
    })
    expect(status).toBe(400)
    expect(body.message).toBe(`The request body is larger than ${MAX_BYTES} bytes`)
  })

  it.each([
    ['text/plain;charset=UTF-8', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['no type at all', {}],
  ])('may be JSON with %s where the route allows it', async (_, headers) => {
    expect((await post('/ample', '{"a":1}', headers)).body.body).toEqual({ a: 1 })
    expect((await post('/strict', '{"a":1}', headers)).body.content).toEqual({
      field: 'Content-Type',
    })
  })

  it('may be empty where the route allows it', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post('/ample', '', headers)).body).toEqual({ body: null, raw: null })
    expect((await post('/ample')).status).toBe(200)
  })

  it('are parsed leniently where elements are examined one by one', async () => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await post('/ample', '{"a":1,"a":2,"b":"\\u0000"}', headers)
    expect(status).toBe(200)
    expect(body.body).toEqual({ a: 2, b: '\0' })
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`
    expect((await post('/ample', deep, headers)).status).toBe(200)
    expect((await post('/strict', deep, headers)).status).toBe(400)
  })

  it('are answered with CORS headers, refusals included', async () => {
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

  it('are refused with a secret key in the URL', async () => {
    const { status, body } = await post('/keyed?api_key=sk_live_anything', '{}', {
      'content-type': 'application/json',
    })
    expect(status).toBe(403)
    expect(body.message).toContain('URL')
  })
})

describe('the size of a body', () => {
  const app = createBareServer({ body_max_bytes: 200_000, body_default_bytes: 1000 })
  const config = { access: 'public' } as const
  const schema = { body: Type.Object({}) }
  const reply = () => ({ success: true })
  app.post('/undeclared', { config, schema }, reply)
  app.post('/large', { config: { ...config, body: { max_bytes: 100_000 } }, schema }, reply)
  app.post('/endless', { config: { ...config, body: { max_bytes: 1e9 } }, schema }, reply)
  const batch = { max_bytes: 1_000_000, is_lenient: true }
  app.post('/batch', { config: { ...config, body: batch }, schema }, reply)
  afterAll(async () => await app.close())

  const send = async (url: string, payload: string) => {
    const headers = { 'content-type': 'application/json' }
    const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload })
    return { status: statusCode, ...(JSON.parse(body) as { message?: string; content?: object }) }
  }
  const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

  it.each([
    ['/undeclared', 1000],
    ['/large', 100_000],
    ['/endless', 200_000],
    ['/batch', 1_000_000],
  ])('is limited by its route and the server: %s', async (url, limit) => {
    expect((await send(url, ofBytes(limit))).status).toBe(200)
    expect(await send(url, ofBytes(limit + 1))).toMatchObject({
      status: 400,
      message: `The request body is larger than ${limit} bytes`,
      content: { field: 'body' },
    })
  })

  it.each(['/large', '/batch'])('limits its members and elements too: %s', async (url) => {
    const limit = Math.max(4096, Math.floor((url === '/batch' ? 1_000_000 : 100_000) / 16))
    const listOf = (count: number) => `{"a":[${Array(count).fill('0').join()}]}`
    expect((await send(url, listOf(limit - 1))).status).toBe(200)
    const refused = await send(url, listOf(limit))
    expect(refused).toMatchObject({ status: 400, content: { field: 'body' } })
    expect(refused.message).toContain(`more than ${limit} commas and opening brackets`)
    // Those inside of a text do not count.
    expect((await send(url, `{"a":"${',['.repeat(limit)}"}`)).status).toBe(200)
  })
})

describe('a request without a body', () => {
  const app = createBareServer()
  const config = { access: 'public' } as const
  const handler = (request: FastifyRequest) => ({ body: request.body ?? null })
  app.delete('/thing', { config }, handler)
  app.post('/bare', { config }, handler)
  app.post('/thing', { config, schema: { body: Type.Object({}) } }, handler)
  afterAll(async () => await app.close())
  const headers = { 'content-type': 'application/json' }

  it('may have a content type where the route declares no body', async () => {
    for (const [method, url] of [
      ['DELETE', '/thing'],
      ['POST', '/bare'],
    ] as const) {
      const answer = await app.inject({ method, url, headers })
      expect([answer.statusCode, answer.json<unknown>()]).toEqual([200, { body: null }])
    }
  })

  it('is refused where the route declares one', async () => {
    const answer = await app.inject({ method: 'POST', url: '/thing', headers })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      message: 'The request body is empty',
      content: { field: 'body' },
    })
  })

  it.each(['application/json', ';', 'text/plain'])(
    'is a 404 on an unknown path, with the content type %s',
    async (type) => {
      for (const payload of ['', '{', `"${'x'.repeat(100_000)}"`]) {
        const sent = { method: 'DELETE', url: '/nothing', payload } as const
        const answer = await app.inject({ ...sent, headers: { 'content-type': type } })
        expect([answer.statusCode, answer.json<Said>().message]).toEqual([404, 'Not found'])
      }
    },
  )
})

describe('concurrent large bodies', () => {
  it('of one organization leave room for others, and those of strangers for all', async () => {
    const key = (text: string) =>
      Promise.resolve({
        org_id: text,
        key_id: text,
        mode: 'live',
        kind: 'secret',
        plan: 'free',
        cell: 'main',
        scopes: null,
        networks: null,
      } as const)
    const app = createBareServer({ body_max_bytes: 40_000_000, authenticators: { key } })
    let begun = 0
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const body = { max_bytes: 40_000_000 }
    const wait = async () => {
      begun += 1
      await finished
      return {}
    }
    app.post('/keyed', { config: { access: 'secret_key', body } }, wait)
    app.post('/open', { config: { access: 'public', body } }, wait)
    const post = async (url: string, bytes: number, sender = '') =>
      await app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', 'x-api-key': sender },
        payload: `"${'x'.repeat(bytes - 2)}"`,
      })
    const held = [post('/keyed', 30_000_000, 'a'), post('/open', 16_000_000)]
    await expect.poll(() => begun, { timeout: 10_000 }).toBe(2)
    expect((await post('/keyed', 4_000_000, 'a')).statusCode).toBe(429)
    expect((await post('/open', 1_000_000)).statusCode).toBe(429)
    held.push(post('/keyed', 30_000_000, 'b'))
    await expect.poll(() => begun, { timeout: 10_000 }).toBe(3)
    finish()
    expect((await Promise.all(held)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    await app.close()
  })

  it('are limited to what fits into memory: others get Retry-After', async () => {
    const app = createBareServer({ body_max_bytes: 80_000_000 })
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

  it('of senders that disconnected do not stay counted', async () => {
    const app = createBareServer({ body_max_bytes: 80_000_000 })
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

describe('compressed bodies that count by their size', () => {
  it('are decompressed one after the other, and not when the limit is exceeded', async () => {
    const key = (text: string) =>
      Promise.resolve({
        org_id: text,
        key_id: text,
        mode: 'live',
        kind: 'secret',
        plan: 'free',
        cell: 'main',
        scopes: null,
        networks: null,
      } as const)
    const rate_limit = { points: 100, window_seconds: 60 }
    const app = createBareServer({ rate_limit, authenticators: { key } })
    const body = { accepts_gzip: true, bytes_per_request: 100, max_bytes: 60_000 }
    app.post('/counted', { config: { access: 'secret_key', rate_class: 'rum', body } }, () => ({}))
    const post = async (payload: Buffer, sender = 'a') => {
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-api-key': sender,
      }
      return (await app.inject({ method: 'POST', url: '/counted', headers, payload })).statusCode
    }
    const large = gzipSync(`"${'x'.repeat(50_000)}"`)
    const broken = large.subarray(0, 20)
    expect(await Promise.all([large, broken, broken].map(async (one) => await post(one)))).toEqual([
      429, 429, 429,
    ])
    expect(await post(broken, 'b')).toBe(400)
    expect(await post(gzipSync('{}'), 'b')).toBe(200)
    await app.close()
  })
})
