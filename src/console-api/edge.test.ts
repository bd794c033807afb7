import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { createBareServer } from '../../test/support/bare-server.ts'
import { addEdgeLogs, edgeLog } from '../../test/support/edge-logs.ts'
import type { Tail } from '../modules/edge/index.ts'
import type { App } from '../platform/http/app.ts'
import { edgeConsoleRoutes } from './edge.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })

async function createMember() {
  const { org_id } = await harness().createTenant('free')
  return { org_id, token: await harness().signIn(org_id, 'member') }
}

async function get<C>(token: string, path: string, query: Record<string, string>) {
  return await harness().call<C>({
    method: 'GET',
    path: `/console/api/edge${path}?${new URLSearchParams(query).toString()}`,
    token,
  })
}

const PATHS = ['/logs', '/errors', '/overview', '/trends', '/tail'] as const

describe.each(PATHS)('GET /console/api/edge%s', (path) => {
  it('is for members only', async () => {
    const { token } = await createMember()
    const { org_id } = await createMember()
    expect((await get(token, path, { org_id })).status).toBe(404)
    expect((await harness().call({ method: 'GET', path: `/console/api/edge${path}` })).status).toBe(
      401,
    )
  })

  it('names a mode that there is not', async () => {
    const { org_id, token } = await createMember()
    const { status, body } = await get<{ field: string }>(token, path, { org_id, mode: 'both' })
    expect([status, body.content.field]).toEqual([400, 'mode'])
  })
})

describe('the console', () => {
  it('reads the logs of both modes, with words and filters together', async () => {
    const { org_id, token } = await createMember()
    const { clickhouse } = harness().stores.analytics
    const at = Date.now() - 1000
    await addEdgeLogs(clickhouse, [
      edgeLog({ org_id, received_at_ms: at, message: 'live one' }),
      edgeLog({ org_id, received_at_ms: at, message: 'test one', mode: 'test' }),
      edgeLog({ org_id, received_at_ms: at, message: 'test one', mode: 'test', level: 'warn' }),
    ])
    type Page = { logs: { message: string }[] }
    const messages = async (query: Record<string, string>) =>
      (await get<Page>(token, '/logs', { org_id, ...query })).body.content.logs.map(
        ({ message }) => message,
      )
    expect(await messages({})).toEqual(['live one'])
    expect(await messages({ mode: 'test', q: 'ONE', level: 'warn' })).toEqual(['test one'])
    type Point = { total: number }
    const trends = await get<Point[]>(token, '/trends', {
      org_id,
      mode: 'test',
      granularity: 'hour',
      q: 'one',
      level: 'warn',
    })
    expect(trends.body.content.reduce((sum, { total }) => sum + total, 0)).toBe(1)
    type Overview = { logs: { total: number } }
    const overview = await get<Overview>(token, '/overview', { org_id, mode: 'test' })
    expect(overview.body.content.logs.total).toBe(2)
  })

  it('names a search without words and a level that there is not', async () => {
    const { org_id, token } = await createMember()
    for (const [field, value] of [
      ['q', '…'],
      ['level', 'info,loud'],
    ] as const) {
      for (const path of ['/logs', '/trends', '/tail']) {
        const { status, body } = await get<{ field: string }>(token, path, {
          org_id,
          [field]: value,
        })
        expect([path, status, body.content.field]).toEqual([path, 400, field])
      }
    }
  })
})

describe('GET /console/api/edge/tail over HTTP', () => {
  it('streams what is sent in, until the service stops', async () => {
    const own = harness()
    const { org_id, keys } = await own.createTenant()
    const token = await own.signIn(org_id, 'member')
    const address = await own.app.listen({ port: 0, host: '127.0.0.1' })
    const leaving = new AbortController()
    // RFC 9562: the same id.
    const query = `org_id=${org_id.toUpperCase()}&level=warn`
    const answer = await fetch(`${address}/console/api/edge/tail?${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    const readUntil = async (sign: string) => {
      while (!text.includes(sign)) {
        const { value, done } = await reader.read()
        if (done) return
        text += decoder.decode(value, { stream: true })
      }
    }
    await readUntil(': connected')
    const sent = await own.call({
      method: 'POST',
      path: '/v1/edge/logs',
      key: keys.live_secret,
      body: {
        logs: [
          { device_id: 'till-9', level: 'info', message: 'not this one' },
          { device_id: 'till-9', level: 'warn', message: 'Drucker: Papier leer…' },
        ],
      },
    })
    expect(sent.status).toBe(200)
    await readUntil('event: log')
    const data = /event: log\ndata: (.*)\n\n/.exec(text)?.[1] ?? ''
    expect(JSON.parse(data)).toMatchObject({
      device_id: 'till-9',
      message: 'Drucker: Papier leer…',
    })
    expect(text).not.toContain('not this one')
    const ending = readUntil('event: end')
    await own.app.close()
    await ending
    expect(text).toContain('event: end')
    leaving.abort()
  })
})

describe('a reader of the live tail', () => {
  const membership = { org_id: 'org', user_id: 'user', role: 'member', plan: 'free' } as const
  const token = `x.${Buffer.from('{"exp":1}').toString('base64url')}.x`
  const question = `GET /console/api/edge/tail?org_id=org HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`

  type Watched = NonNullable<ReturnType<Tail['watch']>>

  /** @param next what there is to be seen */
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
    const tail = { watch: () => subscription, close: () => Promise.resolve(close()) }
    return { tail, isClosed: () => isClosed }
  }

  function serve(tail: Tail, isMember = () => Promise.resolve(membership)): App {
    const app = createBareServer({
      authenticators: {
        key: () => Promise.resolve(undefined),
        token: () => Promise.resolve({ user_id: 'user' }),
      },
    })
    const { log_reading, log_explorer, searches, devices, alerts } = harness().services.telemetry
    edgeConsoleRoutes(app, {
      accounts: { membership: isMember },
      reading: log_reading,
      explorer: log_explorer,
      searches,
      devices,
      alerts,
      tail,
      field_limits: { edge_page_max: 100, edge_window_days: 30, text_max_chars: 1000 },
    })
    return app
  }

  async function ask(app: App): Promise<Socket> {
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(question)
    return socket
  }

  it('who does not read does not keep the service from stopping', async () => {
    const entries = [edgeLog({ org_id: 'org', message: 'x'.repeat(65_536) })]
    const taken: number[] = []
    const { tail } = createTail(() => {
      taken.push(1)
      return Promise.resolve({ dropped: 0, entries })
    })
    const app = serve(tail)
    await ask(app)
    for (let before = -1; before !== taken.length || before === 0; await sleep(100)) {
      before = taken.length
    }
    await app.close()
  })

  it('who leaves before the stream begins does not watch', async () => {
    const { tail, isClosed } = createTail(async () => {
      await sleep(10)
      return undefined
    })
    let leave = () => undefined as void
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const app = serve(tail, async () => {
      ;(await asked).destroy()
      await left
      return membership
    })
    app.server.on('connection', (connection) => connection.once('close', leave))
    const asked = ask(app)
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    await app.close()
  })
})
