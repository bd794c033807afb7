import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createFakeService,
  createFakeTime,
  entriesIn,
  type FakeService,
  type FakeTime,
  numbered,
} from './fake-service.ts'
import { createEdgeAgent } from './index.ts'
import type { EdgeAgent, EdgeAgentOptions } from './types.ts'

const T0 = Date.parse('2026-05-04T08:00:00Z')
const HOUR_MS = 3_600_000

describe('the edge agent', () => {
  let folder: string
  let time: FakeTime
  let service: FakeService
  let reports: string[]
  let agents: EdgeAgent[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-agent-'))
    time = createFakeTime(T0)
    service = createFakeService(time.now)
    reports = []
    agents = []
  })
  afterEach(async () => {
    service.replyWith(() => 'unreachable')
    for (const agent of agents) await agent.close(0)
    rmSync(folder, { recursive: true })
  })

  const start = (more: Partial<EdgeAgentOptions> = {}): EdgeAgent => {
    const agent = createEdgeAgent({
      base_url: 'https://vigil.example/v1/',
      api_key: 'sk_test_1',
      device_id: 'terminal 1',
      folder,
      fetch: service.fetch,
      now: time.now,
      timers: time.timers,
      random: () => 0.5,
      report: (message) => reports.push(message),
      heartbeat_seconds: 0,
      ...more,
    })
    agents.push(agent)
    return agent
  }
  const pass = (ms: number): Promise<void> =>
    time.pass(ms, () => service.busy() || agents.some((agent) => agent.stats().is_sending))
  const logs = () => service.requests.filter(({ path }) => path === '/v1/edge/logs')
  const storedMessages = () => service.stored.map(({ message }) => message)
  const filesWaiting = () => readdirSync(folder).filter((name) => name.endsWith('.ndjson'))

  it('sends entries within a second with the time of the device, and then deletes them', async () => {
    const agent = start()
    agent.info('message 0', { category: 'drawer', data: { by: 4 }, tags: ['a'] })
    await pass(400)
    agent.error('message 1', { error: new RangeError('too far') })
    expect(filesWaiting()).toHaveLength(1)
    await pass(600)
    expect(logs()).toHaveLength(1)
    expect(logs()[0]?.key).toBe('sk_test_1')
    expect(service.stored).toMatchObject([
      {
        device_id: 'terminal 1',
        level: 'info',
        message: 'message 0',
        timestamp: '2026-05-04T08:00:00.000Z',
        category: 'drawer',
        data: { by: 4 },
        tags: ['a'],
      },
      {
        level: 'error',
        message: 'message 1',
        timestamp: '2026-05-04T08:00:00.400Z',
        error: { type: 'RangeError', stack: expect.stringContaining('too far') as string },
      },
    ])
    expect(filesWaiting()).toEqual([])
    expect(agent.stats()).toMatchObject({ waiting_entries: 0, acknowledged_entries: 2 })
  })

  it('neither loses nor duplicates entries when the service is unavailable for an hour', async () => {
    const agent = start()
    const isDown = (): boolean => time.now() >= T0 + 60_000 && time.now() < T0 + 60_000 + HOUR_MS
    service.replyWith(() => (isDown() ? 'unreachable' : 200))
    let count = 0
    for (let second = 0; second < 3_600 + 180; second += 1) {
      agent.info(`message ${count}`)
      count += 1
      await pass(1_000)
    }
    await pass(120_000)
    expect(storedMessages()).toEqual(numbered(0, count))
    expect(agent.stats()).toMatchObject({ waiting_entries: 0, acknowledged_entries: count })
    expect(filesWaiting()).toEqual([])
    const times = service.stored.map(({ timestamp }) => Date.parse(timestamp))
    expect(times).toEqual(Array.from({ length: count }, (_, second) => T0 + second * 1_000))
    // The attempts are 30 to 60 seconds apart.
    expect(service.requests.length).toBeLessThan(60 + 60 + 130 + 200)
    expect(reports.filter((text) => text.includes('unavailable'))).toHaveLength(1)
  })

  it('loses nothing when answers are lost, because a retry has the same bytes', async () => {
    const agent = start({ batch_entries_max: 10 })
    let turn = 0
    service.replyWith(({ path }) => {
      if (path !== '/v1/edge/logs') return 200
      turn += 1
      return (['lost', 'unreachable', 503, 200] as const)[turn % 4] ?? 200
    })
    for (let n = 0; n < 95; n += 1) agent.info(`message ${n}`)
    await pass(10 * 60_000)
    expect(storedMessages()).toEqual(numbered(0, 95))
    expect(service.duplicates).toBeGreaterThan(3)
    expect(agent.stats()).toMatchObject({ waiting_entries: 0, acknowledged_entries: 95 })
  })

  it('retries with the same bytes after a restart', async () => {
    service.replyWith(({ path }) => (path === '/v1/edge/logs' ? 'lost' : 200))
    const first = start()
    for (const message of numbered(0, 5)) first.info(message)
    await pass(1_000)
    for (const message of numbered(5, 9)) first.info(message)
    await first.close(0)
    service.replyWith(() => 200)
    const second = start()
    second.info('message 9')
    await pass(5_000)
    const [before, after] = logs().filter(({ body }) => body.includes('message 0'))
    expect(after).toEqual(before)
    expect(storedMessages()).toEqual(numbered(0, 10))
    expect(service.duplicates).toBeGreaterThan(0)
  })

  it('sends different bytes for batches with equal entries', async () => {
    const agent = start({ batch_entries_max: 3 })
    for (let n = 0; n < 9; n += 1) agent.info('the same')
    await pass(1_000)
    expect(logs()).toHaveLength(3)
    expect(service.stored).toHaveLength(9)
  })

  it('limits the entries and bytes of a batch', async () => {
    const agent = start({ batch_entries_max: 100, batch_bytes_max: 20_000 })
    for (let n = 0; n < 250; n += 1) agent.info(`message ${n}`)
    for (let n = 250; n < 300; n += 1)
      agent.info(`message ${n}`, { data: { text: 'x'.repeat(1_000) } })
    await pass(1_000)
    expect(storedMessages()).toEqual(numbered(0, 300))
    expect(Math.max(...logs().map(({ body }) => entriesIn(body).length))).toBe(100)
    expect(Math.max(...logs().map(({ body }) => body.length))).toBeLessThan(20_100)
  })

  it('waits for the time that the service requests', async () => {
    const agent = start()
    const retryAfter = (wait: string): Response =>
      Response.json({ success: false, content: { retry_after: wait } }, { status: 429 })
    service.replyWith(({ path }) => (path === '/v1/edge/logs' ? retryAfter('90') : 200))
    agent.info('message 0')
    await pass(1_000)
    service.replyWith(() => 200)
    expect(await agent.flush()).toBe(false)
    await pass(89_999)
    expect(logs()).toHaveLength(1)
    await pass(1)
    expect(storedMessages()).toEqual(['message 0'])
  })

  it('moves a refused batch to the folder rejected, counts it and continues', async () => {
    const agent = start({ batch_entries_max: 2 })
    service.replyWith(({ body }) => (body.includes('message 1') ? 400 : 200))
    for (const message of numbered(0, 6)) agent.info(message)
    await pass(1_000)
    expect(storedMessages()).toEqual(numbered(2, 6))
    expect(agent.stats()).toMatchObject({ rejected_entries: 2, waiting_entries: 0 })
    const [file] = readdirSync(join(folder, 'rejected'))
    expect(readFileSync(join(folder, 'rejected', file ?? ''), 'utf8')).toContain('message 0')
    expect(reports).toEqual([expect.stringContaining('400'), expect.stringContaining('recovered')])
  })

  it.each([401, 403, 404])(
    'stores everything on %i, reports it once, and retries every 5 minutes',
    async (status) => {
      service.replyWith(({ path }) => (path === '/v1/edge/logs' ? status : 200))
      const agent = start()
      for (let minute = 0; minute < 60; minute += 1) {
        agent.info(`message ${minute}`)
        await pass(60_000)
      }
      expect(logs().length).toBeLessThanOrEqual(13)
      expect(reports).toEqual([expect.stringContaining(`${status}`)])
      service.replyWith(() => 200)
      await pass(5 * 60_000)
      expect(storedMessages()).toEqual(numbered(0, 60))
    },
  )

  it('does not accept the login page of a network as an answer', async () => {
    service.replyWith(() => new Response('<h1>Welcome to the hotel</h1>', { status: 200 }))
    const agent = start()
    agent.info('message 0')
    await pass(60_000)
    expect(agent.stats()).toMatchObject({ waiting_entries: 1, acknowledged_entries: 0 })
    expect(agent.stats().is_registered).toBe(false)
    service.replyWith(() => 200)
    await pass(60_000)
    expect(storedMessages()).toEqual(['message 0'])
  })

  it('sends entries when the clock of the device is set back or forward by a year', async () => {
    const agent = start()
    service.replyWith(() => 'unreachable')
    agent.info('message 0')
    await pass(10_000)
    time.setClock(T0 - 365 * 24 * HOUR_MS)
    agent.info('message 1')
    service.replyWith(() => 200)
    await pass(60_000)
    time.setClock(T0 + 365 * 24 * HOUR_MS)
    agent.info('message 2')
    await pass(2_000)
    expect(storedMessages()).toEqual(numbered(0, 3))
    expect(service.stored.map(({ timestamp }) => timestamp.slice(0, 4))).toEqual([
      '2026',
      '2025',
      '2027',
    ])
  })

  it('continues after a batch that cannot be read', async () => {
    service.replyWith(({ path }) => (path === '/v1/edge/logs' ? 'unreachable' : 200))
    const agent = start({ batch_entries_max: 2 })
    for (const message of numbered(0, 4)) agent.info(message)
    await pass(1_000)
    const [file = ''] = filesWaiting().toSorted()
    rmSync(join(folder, file))
    mkdirSync(join(folder, file))
    service.replyWith(() => 200)
    await pass(60_000)
    expect(storedMessages()).toEqual(numbered(2, 4))
    expect(agent.stats()).toMatchObject({ waiting_entries: 0, dropped: { unreadable: 2 } })
  })

  it('counts the accepted and the refused entries of a batch', async () => {
    service.replyWith(({ path }) =>
      path === '/v1/edge/logs'
        ? Response.json({ success: true, content: { received: 3, processed: 2 } })
        : 200,
    )
    const agent = start()
    for (const message of numbered(0, 3)) agent.info(message)
    expect(await agent.flush()).toBe(true)
    expect(agent.stats()).toMatchObject({ acknowledged_entries: 3, refused_entries: 1 })
  })

  it('registers, and sends heartbeats at their interval', async () => {
    const paths = () => service.requests.map(({ path }) => path)
    service.replyWith(() => 503)
    const agent = start({ heartbeat_seconds: 60, device: { device_type: 'pos', name: 'Terminal' } })
    await pass(2_000)
    expect(agent.stats().is_registered).toBe(false)
    service.replyWith(() => 200)
    await pass(10_000)
    expect(agent.stats().is_registered).toBe(true)
    expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toEqual({
      device_id: 'terminal 1',
      device_type: 'pos',
      name: 'Terminal',
    })
    service.requests.length = 0
    await pass(10 * 60_000)
    expect(paths()).toEqual(Array(10).fill('/v1/edge/devices/terminal%201/heartbeat'))
    // A service that was reinstalled does not know the device.
    service.replyWith(({ path }) => (path.endsWith('heartbeat') ? 404 : 200))
    service.requests.length = 0
    await pass(60_000)
    expect(paths()).toEqual([
      '/v1/edge/devices/terminal%201/heartbeat',
      '/v1/edge/devices/register',
    ])
  })

  it('locks its folder until it is closed', async () => {
    const agent = start()
    expect(() => start()).toThrow(`in use by process ${process.pid}`)
    await agent.close(0)
    expect(() => start()).not.toThrow()
  })

  it('drops and counts entries after close', async () => {
    const agent = start()
    await agent.close()
    agent.info('message 0')
    expect(agent.stats().dropped.closed).toBe(1)
    expect(filesWaiting()).toEqual([])
  })

  it('throws an error that names a missing option', () => {
    expect(() => start({ base_url: 'vigil.example' })).toThrow('base_url')
    expect(() => start({ api_key: '' })).toThrow('api_key')
    expect(() => start({ device_id: '' })).toThrow('device_id')
    mkdirSync(join(folder, 'rejected'))
    expect(readdirSync(folder)).toEqual(['rejected'])
  })
})
