import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type HttpReply, startHttp } from '../../../emulators/http-server.ts'
import { known, unknown } from '../lookup.ts'
import { failureOfStatus, requestJson } from './http-json.ts'

const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()))
})

async function serve(reply: HttpReply): Promise<string> {
  const http = await startHttp({ port: 0, host: '127.0.0.1', handle: () => reply })
  cleanups.push(() => http.close())
  return http.url
}

/** For responses that the shared emulator cannot give. */
async function serveRaw(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

describe('requestJson', () => {
  test('returns status, headers and parsed body', async () => {
    const url = await serve({ status: 200, headers: { 'x-thing': 'yes' }, body: { a: [1] } })
    expect(await requestJson({ url, timeoutMs: 5_000 })).toMatchObject(
      known({ status: 200, headers: { 'x-thing': 'yes' }, body: { a: [1] } }),
    )
  })

  test.each(['PUT', 'PATCH', 'DELETE'] as const)('sends %s', async (method) => {
    const http = await startHttp({
      port: 0,
      host: '127.0.0.1',
      handle: (request) => ({ status: 200, body: { method: request.method } }),
    })
    cleanups.push(() => http.close())
    const answer = await requestJson({ url: http.url, method, timeoutMs: 5_000 })
    expect(answer).toMatchObject(known({ body: { method } }))
  })

  test('sends method, headers and body', async () => {
    const http = await startHttp({
      port: 0,
      host: '127.0.0.1',
      handle: (request) => ({ status: 200, body: request }),
    })
    cleanups.push(() => http.close())
    const answer = await requestJson({
      url: `${http.url}/path?q=1`,
      method: 'POST',
      headers: { 'x-one': '1' },
      body: '{"two":2}',
      timeoutMs: 5_000,
    })
    expect(answer).toMatchObject({
      value: { body: { method: 'POST', path: '/path?q=1', body: '{"two":2}' } },
    })
    expect(http.requests[0]?.headers).toMatchObject({ 'x-one': '1', accept: 'application/json' })
  })

  test.each([404, 429, 503])('an error status %i is an answer, not a failure', async (status) => {
    const url = await serve({ status, body: { code: 'X' } })
    expect(await requestJson({ url, timeoutMs: 5_000 })).toMatchObject({
      value: { status, body: { code: 'X' } },
    })
  })

  test('an error without JSON has no body', async () => {
    const url = await serveRaw((_, response) => response.writeHead(502).end('<html>'))
    const answer = await requestJson({ url, timeoutMs: 5_000 })
    expect(answer).toMatchObject({ value: { status: 502, body: undefined } })
  })

  test('a redirect is returned and not followed', async () => {
    const location = 'http://127.0.0.1:9/elsewhere'
    const url = await serve({ status: 302, headers: { location } })
    const answer = await requestJson({ url, timeoutMs: 5_000 })
    expect(answer).toMatchObject({ value: { status: 302, headers: { location } } })
  })

  test('a success that is not JSON is a bad answer', async () => {
    const broken = await serve({ status: 200, fault: 'invalid_json' })
    expect(await requestJson({ url: broken, timeoutMs: 5_000 })).toEqual(unknown('bad_answer'))
    const empty = await serve({ status: 200 })
    expect(await requestJson({ url: empty, timeoutMs: 5_000 })).toEqual(unknown('bad_answer'))
  })

  test('a body over the limit is a bad answer, even one that never ends', async () => {
    const url = await serveRaw((_, response) => {
      const pour = () => {
        if (!response.destroyed) response.write('x'.repeat(65_536), pour)
      }
      pour()
    })
    const answer = await requestJson({ url, timeoutMs: 10_000, maxBytes: 200_000 })
    expect(answer).toEqual(unknown('bad_answer'))
  })

  test.each(['hang', 'drip'] as const)('%s is a timeout', async (fault) => {
    const url = await serve({ status: 200, fault })
    expect(await requestJson({ url, timeoutMs: 80 })).toEqual(unknown('timeout'))
  })

  test('latency over the deadline is a timeout', async () => {
    const url = await serve({ status: 200, body: {}, latency_ms: 2_000 })
    expect(await requestJson({ url, timeoutMs: 80 })).toEqual(unknown('timeout'))
  })

  test('the connection is closed at the deadline', async () => {
    const sockets: Socket[] = []
    const url = await serveRaw((request) => sockets.push(request.socket))
    expect(await requestJson({ url, timeoutMs: 200 })).toEqual(unknown('timeout'))
    const [socket] = sockets
    if (socket?.closed === false) await once(socket, 'close')
    expect(socket?.closed).toBe(true)
  })

  test("the caller's signal ends the exchange", async () => {
    const url = await serve({ status: 200, fault: 'hang' })
    const controller = new AbortController()
    const answer = requestJson({ url, timeoutMs: 60_000, signal: controller.signal })
    controller.abort()
    expect(await answer).toEqual(unknown('timeout'))
  })

  test('a connection that is reset, or never made, is unreachable', async () => {
    const reset = await serve({ status: 200, fault: 'reset' })
    expect(await requestJson({ url: reset, timeoutMs: 5_000 })).toEqual(unknown('unreachable'))
    const gone = await startHttp({ port: 0, host: '127.0.0.1', handle: () => ({ status: 200 }) })
    await gone.close()
    const answer = await requestJson({ url: gone.url, timeoutMs: 5_000 })
    expect(answer).toEqual(unknown('unreachable'))
  })

  test('a malformed URL is unreachable, not an exception', async () => {
    expect(await requestJson({ url: 'nonsense', timeoutMs: 50 })).toEqual(unknown('unreachable'))
  })
})

describe('failureOfStatus', () => {
  test.each([
    [429, 'rate_limited'],
    [401, 'refused'],
    [403, 'refused'],
    [500, 'server_error'],
    [503, 'server_error'],
    [400, 'bad_answer'],
    [302, 'bad_answer'],
  ] as const)('%i is %s', (status, failure) => {
    expect(failureOfStatus(status)).toBe(failure)
  })
})
