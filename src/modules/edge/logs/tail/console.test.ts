import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { createBareServer, NO_FACTOR } from '../../../../../test/support/bare-server.ts'
import { edgeLog } from '../../../../../test/support/edge-logs.ts'
import type { App } from '../../../../platform/http/app.ts'
import { tailRoute } from './console.ts'
import type { Tail } from './tail.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

describe('GET /console/api/edge/tail over HTTP', () => {
  it('streams new logs until the service stops', async () => {
    const own = harness()
    const { org_id, keys } = await own.createTenant()
    const token = await own.signIn(org_id, 'member')
    const address = await own.app.listen({ port: 0, host: '127.0.0.1' })
    const leaving = new AbortController()
    // An upper-case UUID is the same id (RFC 9562).
    const query = `org_id=${org_id.toUpperCase()}&level=warn`
    const response = await fetch(`${address}/console/api/edge/tail?${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    const readUntil = async (marker: string) => {
      while (!text.includes(marker)) {
        const { value, done } = await reader.read()
        if (done) return
        text += decoder.decode(value, { stream: true })
      }
    }
    await readUntil(': connected')
    const sent = await fetch(`${address}/v1/edge/logs`, {
      method: 'POST',
      headers: { 'x-api-key': keys.live_secret, 'content-type': 'application/json' },
      body: `{"logs":[
        {"device_id":"till-9","level":"info","message":"not this one"},
        {"device_id":"till-9","level":"warn","message":"Drucker: Papier leer…",
         "data":{"order":9007199254740993}}]}`,
    })
    expect(sent.status).toBe(200)
    await readUntil('event: log')
    const data = /event: log\ndata: (.*)\n\n/.exec(text)?.[1] ?? ''
    expect(JSON.parse(data)).toMatchObject({
      device_id: 'till-9',
      message: 'Drucker: Papier leer…',
    })
    expect(data).toContain('"data":{"order":9007199254740993}')
    expect(text).not.toContain('not this one')
    const ending = readUntil('event: end')
    await own.app.close()
    await ending
    expect(text).toContain('event: end')
    leaving.abort()
  })
})

describe('a client of the live tail', () => {
  const membership = {
    org_id: 'org',
    user_id: 'user',
    role: 'member',
    plan: 'free',
    cell: 'main',
    ...NO_FACTOR,
  } as const
  const token = `x.${Buffer.from('{"exp":1}').toString('base64url')}.x`
  const requestText = `GET /console/api/edge/tail?org_id=org HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`

  type Watched = NonNullable<ReturnType<Tail['watch']>>

  /** @param next delivers the entries of the subscription */
  function createTail(next: Watched['next']): { tail: Tail; isClosed: () => boolean } {
    let isClosed = false
    const close = () => {
      isClosed = true
    }
    const subscription = {
      next,
      close,
      get is_closed() {
        return isClosed
      },
    }
    const tail: Tail = {
      filtersOf: async (_owner, filters) => await Promise.resolve(filters),
      watch: () => subscription,
      close: () => Promise.resolve(close()),
    }
    return { tail, isClosed: () => isClosed }
  }

  function serve(tail: Tail, isMember = () => Promise.resolve(membership)): App {
    const app = createBareServer({
      authenticators: {
        token: () => Promise.resolve({ user_id: 'user' }),
        membership: isMember,
      },
    })
    tailRoute(app, { tail, field_limits: { edge_page_max: 100, edge_window_days: 30 } })
    return app
  }

  async function requestTail(app: App): Promise<Socket> {
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(requestText)
    return socket
  }

  it.each([
    ['its session ends', { token: undefined }],
    ['its user is no member any more', { membership: undefined }],
  ])('is not served any more when %s', async (_, lost) => {
    const { tail, isClosed } = createTail(async () => {
      await sleep(10)
      return undefined
    })
    const access = { token: { user_id: 'user' }, membership }
    const app = createBareServer({
      authenticators: {
        token: () => Promise.resolve(access.token),
        membership: () => Promise.resolve(access.membership),
      },
    })
    tailRoute(app, { tail, field_limits: { edge_page_max: 100, edge_window_days: 30 } })
    const socket = await requestTail(app)
    await once(socket, 'data')
    expect(isClosed()).toBe(false)
    Object.assign(access, lost)
    await vi.waitFor(() => expect(isClosed()).toBe(true), { timeout: 5000 })
    socket.destroy()
    await app.close()
  })

  it('that does not read cannot keep the service from stopping', async () => {
    const entries = [edgeLog({ org_id: 'org', message: 'x'.repeat(65_536) })]
    const taken: number[] = []
    const { tail } = createTail(() => {
      taken.push(1)
      return Promise.resolve({ dropped: 0, entries })
    })
    const app = serve(tail)
    await requestTail(app)
    for (let before = -1; before !== taken.length || before === 0; await sleep(100)) {
      before = taken.length
    }
    await app.close()
  })

  it('that disconnects before the stream begins is not watching', async () => {
    const { tail, isClosed } = createTail(async () => {
      await sleep(10)
      return undefined
    })
    let leave = () => undefined as void
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const app = serve(tail, async () => {
      ;(await requested).destroy()
      await left
      return membership
    })
    app.server.on('connection', (connection) => connection.once('close', leave))
    const requested = requestTail(app)
    await vi.waitFor(() => expect(isClosed()).toBe(true), 10_000)
    await app.close()
  })
})
