/**
 * Tests the built edge agent with the built service: every entry that the agent received while the
 * service was killed and restarted can be read exactly once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { EdgeAgent, EdgeAgentOptions, LogLevel } from '../../sdk/edge-agent/src/types.ts'
import { freePort } from './free-port.ts'
import { startClients } from './load.ts'
import { hasAllArrived } from './log-books.ts'
import { readLogs } from './log-readings.ts'
import { createRoom, isLinux, MAIN, pause, type Room, type Service, serve } from './program.ts'
import { signIn } from './reviewer.ts'

type Library = { createEdgeAgent: (options: EdgeAgentOptions) => EdgeAgent }
type First = NonNullable<Service['ready']['first_run']>
type Entry = { device_id: string; level: string; message: string }
type Device = {
  device_id: string
  device_type: string | null
  name: string | null
  status: string
}

const SDK = join(MAIN, '..', '..', 'sdk', 'edge-agent')
const TIMEOUT_MS = 60_000
const WAIT = { timeout: 25_000, interval: 100 }
const WRITE_EVERY_MS = 10
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal']

let room: Room | undefined
let service: Service | undefined
let first: First | undefined
let token = ''
/** The port stays the same over all starts, because the agents are configured with it. */
let settings: Record<string, string> = {}

const cwd = (): string => room?.folder ?? ''
const url = (): string => service?.ready.url ?? ''
const org = (): string => first?.org_id ?? ''
const key = (): string => first?.keys.live_secret ?? ''
const killService = async (): Promise<void> => void (await service?.stop('SIGKILL'))
const restartService = async (): Promise<void> => {
  service = await serve({ cwd: cwd(), env: settings })
}

beforeAll(async () => {
  if (!isLinux) return
  room = createRoom()
  settings = {
    VIGIL_PORT: `${await freePort()}`,
    // A killed flush is sent again when its lease expires, a while after this deadline.
    VIGIL_SPOOL_FLUSH_DEADLINE_MS: '1000',
  }
  await restartService()
  first = service?.ready.first_run
  if (!first) throw new Error('the data directory was not new')
  token = await signIn(url(), first)
})
afterAll(async () => {
  await room?.close()
})

describe.skipIf(!isLinux).sequential('every entry of the edge agent can be read once', () => {
  it('through the library, if the service is killed before and after it has stored a batch', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { createEdgeAgent } = (await import(pathToFileURL(join(SDK, 'index.js')).href)) as Library
    const network = createLossyNetwork()
    let instant = Date.now()
    const agent = createEdgeAgent({
      base_url: url(),
      api_key: key(),
      device_id: 'till-1',
      folder: join(cwd(), 'library'),
      device: { device_type: 'pos', name: 'Till 1' },
      heartbeat_seconds: 1,
      flush_ms: 50,
      report: () => undefined,
      fetch: network.fetch,
      now: () => instant,
    })
    const written: Entry[] = []
    const writing = startClients(1, async (_, number) => {
      instant += 1
      const level = LEVELS[number % LEVELS.length] ?? 'info'
      const message = `entry ${number}`
      agent.log(level, message, { category: 'drawer', data: { number } })
      written.push({ device_id: 'till-1', level, message })
      await pause(WRITE_EVERY_MS)
      return true
    })
    await vi.waitFor(() => expect(agent.stats().acknowledged_entries).toBeGreaterThan(50), WAIT)

    // The batch is stored, but the agent gets no response and must send it again after the restart.
    network.loseResponses()
    await vi.waitFor(() => expect(network.hasLost()).toBe(true), { ...WAIT, interval: 5 })
    await killService()
    network.restore()
    const before = agent.stats().acknowledged_entries
    await restartService()
    await vi.waitFor(() => {
      expect(agent.stats().acknowledged_entries).toBeGreaterThan(before + 50)
    }, WAIT)

    // Killed at any stage of processing a batch.
    while (!agent.stats().is_sending) await nextTurn()
    await killService()
    await pause(500)
    await restartService()
    await writing.stop()
    await vi.waitFor(async () => expect(await agent.flush()).toBe(true), WAIT)
    await vi.waitFor(() => expect(agent.stats().is_registered).toBe(true), WAIT)
    const stats = agent.stats()
    await agent.close()

    expect(written.length).toBeGreaterThan(200)
    expect(stats).toMatchObject({
      waiting_entries: 0,
      acknowledged_entries: written.length,
      refused_entries: 0,
      rejected_entries: 0,
      dropped: { buffer_full: 0, evicted: 0, disk: 0, unreadable: 0, closed: 0 },
    })
    expect(stats.failed_requests).toBeGreaterThan(1)
    expect(network.hasRepeatedLost()).toBe(true)
    expect(readdirSync(join(cwd(), 'library'))).toEqual([])
    expect(sorted(await readAll('till-1'))).toEqual(sorted(written))
    expect(await findDevice('till-1')).toMatchObject({
      device_type: 'pos',
      name: 'Till 1',
      status: 'active',
    })
  })

  it('through the program, if it is killed while the service is down', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await killService()
    const lines = Array.from({ length: 300 }, (_, number) =>
      number % 3 === 0 ? `{"level":50,"msg":"line ${number}","by":7}` : `line ${number}`,
    )
    const killed = startProgram()
    const ended = once(killed, 'exit')
    write(killed, lines.slice(0, 200))
    await vi.waitFor(() => expect(onDisk()).toBe(200), WAIT)
    killed.kill('SIGKILL')
    await ended
    await restartService()

    const next = startProgram()
    const closed = once(next, 'exit')
    write(next, lines.slice(200))
    await vi.waitFor(async () => expect((await findDevice('till-2'))?.name).toBe('Till 2'), WAIT)
    next.stdin?.end()
    expect(await closed).toEqual([0, null])

    expect(readdirSync(join(cwd(), 'program'))).toEqual([])
    expect(sorted(await readAll('till-2'))).toEqual(
      sorted(
        lines.map((_, number) => ({
          device_id: 'till-2',
          level: number % 3 === 0 ? 'error' : 'info',
          message: `line ${number}`,
        })),
      ),
    )
    expect(await findDevice('till-2')).toMatchObject({ device_type: 'kiosk', status: 'active' })
  })
})

/** A network that delivers every batch to the service but can lose the responses. */
function createLossyNetwork() {
  let isLosing = false
  let lost: Uint8Array | undefined
  let hasRepeatedLost = false
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const body = init?.body
    if (response.status !== 200 || !(body instanceof Uint8Array)) return response
    if (!isLosing) {
      if (lost) hasRepeatedLost ||= Buffer.compare(lost, body) === 0
      return response
    }
    await response.arrayBuffer()
    lost ??= body
    throw new TypeError('the response was lost')
  }
  return {
    fetch: send,
    loseResponses: () => {
      isLosing = true
    },
    restore: () => {
      isLosing = false
    },
    hasLost: () => lost !== undefined,
    /** Whether the batch with the lost response was sent again with the same bytes. */
    hasRepeatedLost: () => hasRepeatedLost,
  }
}

function startProgram(): ChildProcess {
  const address = `http://127.0.0.1:${settings['VIGIL_PORT']}/v1`
  const folder = join(cwd(), 'program')
  const device = ['--device', 'till-2', '--name', 'Till 2', '--type', 'kiosk']
  return spawn(
    process.execPath,
    [join(SDK, 'bin.js'), '--url', address, '--folder', folder, ...device],
    { env: { ...process.env, VIGIL_API_KEY: key() }, stdio: ['pipe', 'ignore', 'ignore'] },
  )
}

const write = ({ stdin }: ChildProcess, lines: readonly string[]): void =>
  void stdin?.write(lines.map((line) => `${line}\n`).join(''))

/** Number of lines in the folder of the program. */
function onDisk(): number {
  const folder = join(cwd(), 'program')
  if (!existsSync(folder)) return 0
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1)
    .reduce((sum, count) => sum + count, 0)
}

/** Reads all entries of a device after everything has arrived. */
async function readAll(deviceId: string): Promise<Entry[]> {
  const dataDir = service?.ready.data_dir ?? ''
  await vi.waitFor(async () => expect(await hasAllArrived(dataDir)).toBe(true), WAIT)
  const { pages, total } = await readLogs(url(), { org_id: org(), token }, 'live')
  expect(pages).toHaveLength(total)
  return pages
    .filter((one) => one.device_id === deviceId)
    .map(({ device_id, level, message }) => ({ device_id, level, message }))
}

async function findDevice(deviceId: string): Promise<Device | undefined> {
  const response = await fetch(`${url()}/edge/devices?org_id=${org()}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { content } = (await response.json()) as { content: { devices: Device[] } }
  return content.devices.find(({ device_id }) => device_id === deviceId)
}

const sorted = (entries: readonly Entry[]): string[] =>
  entries.map(({ device_id, level, message }) => `${device_id} ${level} ${message}`).toSorted()
