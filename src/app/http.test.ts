import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { readConfig } from '../config.ts'
import { createHttp } from './index.ts'

const harness = useHarness()

/** The base URL in the OpenAPI document under these settings. */
async function documented(settings: Record<string, string>): Promise<string | undefined> {
  const { core, parts } = harness()
  const { app, close } = await createHttp({ ...core, config: readConfig(settings) }, parts)
  try {
    const { servers } = (await app.inject('/openapi.json')).json<{ servers: { url: string }[] }>()
    return servers[0]?.url
  } finally {
    await close()
  }
}

describe('the base URL', () => {
  it.each([
    [{}, 'http://127.0.0.1:8080/v1'],
    [{ VIGIL_HOST: 'localhost', VIGIL_PORT: '0' }, 'http://localhost:0/v1'],
    [{ VIGIL_HOST: '::1' }, 'http://[::1]:8080/v1'],
    [{ VIGIL_HOST: '::' }, 'http://[::]:8080/v1'],
    [{ VIGIL_PUBLIC_URL: 'https://vigil.example' }, 'https://vigil.example/v1'],
    [{ VIGIL_PUBLIC_URL: 'https://shop.example/vigil//' }, 'https://shop.example/vigil/v1'],
  ] as [Record<string, string>, string][])('under %j is %s', async (settings, url) => {
    expect(await documented(settings)).toBe(url)
  })
})

describe('a failed start', () => {
  it('leaves no open connection to Redis', async () => {
    const open = new Set<Socket>()
    let opened = 0
    const server = createServer((socket) => {
      opened += 1
      open.add(socket.on('error', () => socket.destroy()))
      socket.on('close', () => open.delete(socket)).resume()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const socket of open) socket.destroy()
      server.close()
    })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { core, parts } = harness()
    const config = readConfig({ REDIS_URL: `redis://127.0.0.1:${port}` })
    const unusable = { ...config, trusted_proxies: ['nonsense'] }
    await expect(createHttp({ ...core, config: unusable }, parts)).rejects.toThrow(/nonsense/)
    await sleep(100)
    const before = opened
    await sleep(500)
    expect({ open: open.size, opened }).toEqual({ open: 0, opened: before })
  })
})

describe('closing', () => {
  it('does not wait for a client that is connected without a request', async () => {
    const { core, parts } = harness()
    const { app, close } = await createHttp({ ...core, config: readConfig({}) }, parts)
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const client = connect(Number(port), hostname)
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    await close()
  }, 10_000)

  it('does not wait longer than five seconds for look-ups', async () => {
    const { core, parts } = harness()
    const drain = vi
      .spyOn(parts.fraud.checks, 'drain')
      .mockImplementation(() => new Promise<void>(() => undefined))
    onTestFinished(() => drain.mockRestore())
    const http = await createHttp({ ...core, config: readConfig({}) }, parts)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isClosed = false
    const closed = http.close().then(() => {
      isClosed = true
    })
    while (drain.mock.calls.length === 0) await turn()
    await vi.advanceTimersByTimeAsync(4_900)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    await closed
  })
})
