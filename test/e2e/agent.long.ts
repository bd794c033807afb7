/**
 * The built edge agent and the built service: whatever the agent was given while the service died and
 * came back can be read, each entry once.
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
/** The port stays the same over all starts: it is what the agents were told. */
let settings: Record<string, string> = {}

const cwd = (): string => room?.folder ?? ''
const url = (): string => service?.ready.url ?? ''
const org = (): string => first?.org_id ?? ''
const key = (): string => first?.keys.live_secret ?? ''
const die = async (): Promise<void> => void (await service?.stop('SIGKILL'))
const comeBack = async (): Promise<void> => {
  service = await serve({ cwd: cwd(), env: settings })
}

beforeAll(async () => {
  if (!isLinux) return
  room = createRoom()
  settings = {
    VIGIL_PORT: `${await freePort()}`,
    // What the dead had on its way is free when its lease is over, after this and a while.
    VIGIL_SPOOL_FLUSH_DEADLINE_MS: '1000',
  }
  await comeBack()
  first = service?.ready.first_run
  if (!first) throw new Error('it was not the first start')
  token = await signIn(url(), first)
})
afterAll(async () => {
  await room?.close()
})

describe.skipIf(!isLinux).sequential('what the edge agent was given can be read once', () => {
  it('by the library, when the service is killed before and after it has stored a batch', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { createEdgeAgent } = (await import(pathToFileURL(join(SDK, 'index.js')).href)) as Library
    const line = createBadLine()
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
      fetch: line.fetch,
      now: () => instant,
    })
    const given: Entry[] = []
    const writing = startClients(1, async (_, number) => {
      instant += 1
      const level = LEVELS[number % LEVELS.length] ?? 'info'
      const message = `entry ${number}`
      agent.log(level, message, { category: 'drawer', data: { number } })
      given.push({ device_id: 'till-1', level, message })
      await pause(WRITE_EVERY_MS)
      return true
    })
    await vi.waitFor(() => expect(agent.stats().acknowledged_entries).toBeGreaterThan(50), WAIT)

    // Stored, but the agent does not learn of it: it has to send the batch again to the next one.
    line.loseAnswers()
    await vi.waitFor(() => expect(line.hasLost()).toBe(true), { ...WAIT, interval: 5 })
    await die()
    line.restore()
    const before = agent.stats().acknowledged_entries
    await comeBack()
    await vi.waitFor(() => {
      expect(agent.stats().acknowledged_entries).toBeGreaterThan(before + 50)
    }, WAIT)

    // Whatever it is doing with a batch.
    while (!agent.stats().is_sending) await nextTurn()
    await die()
    await pause(500)
    await comeBack()
    await writing.stop()
    await vi.waitFor(async () => expect(await agent.flush()).toBe(true), WAIT)
    await vi.waitFor(() => expect(agent.stats().is_registered).toBe(true), WAIT)
    const stats = agent.stats()
    await agent.close()

    expect(given.length).toBeGreaterThan(200)
    expect(stats).toMatchObject({
      waiting_entries: 0,
      acknowledged_entries: given.length,
      refused_entries: 0,
      rejected_entries: 0,
      dropped: { buffer_full: 0, evicted: 0, disk: 0, unreadable: 0, closed: 0 },
    })
    expect(stats.failed_requests).toBeGreaterThan(1)
    expect(line.hasBroughtAgain()).toBe(true)
    expect(readdirSync(join(cwd(), 'library'))).toEqual([])
    expect(sorted(await readAll('till-1'))).toEqual(sorted(given))
    expect(await findDevice('till-1')).toMatchObject({
      device_type: 'pos',
      name: 'Till 1',
      status: 'active',
    })
  })

  it('by the program, when it is killed while the service is away', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await die()
    const lines = Array.from({ length: 300 }, (_, number) =>
      number % 3 === 0 ? `{"level":50,"msg":"line ${number}","by":7}` : `line ${number}`,
    )
    const killed = startProgram()
    const ended = once(killed, 'exit')
    write(killed, lines.slice(0, 200))
    await vi.waitFor(() => expect(onDisk()).toBe(200), WAIT)
    killed.kill('SIGKILL')
    await ended
    await comeBack()

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

/** A line that takes every batch to the service, and may keep the answer to itself. */
function createBadLine() {
  let isLosing = false
  let lost: Uint8Array | undefined
  let hasBroughtAgain = false
  const send: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const body = init?.body
    if (answer.status !== 200 || !(body instanceof Uint8Array)) return answer
    if (!isLosing) {
      if (lost) hasBroughtAgain ||= Buffer.compare(lost, body) === 0
      return answer
    }
    await answer.arrayBuffer()
    lost ??= body
    throw new TypeError('the answer was lost')
  }
  return {
    fetch: send,
    loseAnswers: () => {
      isLosing = true
    },
    restore: () => {
      isLosing = false
    },
    hasLost: () => lost !== undefined,
    /** What was stored without the agent knowing was taken again, with the same bytes. */
    hasBroughtAgain: () => hasBroughtAgain,
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

/** So many lines are in the folder of the program. */
function onDisk(): number {
  const folder = join(cwd(), 'program')
  if (!existsSync(folder)) return 0
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1)
    .reduce((sum, count) => sum + count, 0)
}

/** All that there is of a device, once nothing is on its way any more. */
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
  const answer = await fetch(`${url()}/edge/devices?org_id=${org()}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { content } = (await answer.json()) as { content: { devices: Device[] } }
  return content.devices.find(({ device_id }) => device_id === deviceId)
}

const sorted = (entries: readonly Entry[]): string[] =>
  entries.map(({ device_id, level, message }) => `${device_id} ${level} ${message}`).toSorted()
