/** A service with several processes behaves as one. */
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startLoad } from './load.ts'
import { killMember, membersOf } from './members.ts'
import { kill, killProcessesOf } from './processes.ts'
import {
  createRoom,
  isLinux,
  pause,
  type Room,
  type Running,
  type Service,
  serve,
} from './program.ts'

const PROCESSES = 3
/** No check has this id. */
const UNKNOWN = '00000000-0000-7000-8000-000000000000'
const SETTINGS = { VIGIL_PROCESSES: String(PROCESSES) }

let room: Room | undefined
let keys: Record<string, string> = {}
beforeAll(async () => {
  if (!isLinux) return
  room = createRoom()
  const service = await serve({ cwd: room.folder, env: SETTINGS })
  keys = service.ready.first_run?.keys ?? {}
  await service.stop()
})
afterAll(async () => {
  await room?.close()
})

async function start(env: Record<string, string> = {}): Promise<Service> {
  const cwd = room?.folder ?? ''
  onTestFinished(() => killProcessesOf(cwd))
  return await serve({ cwd, env: { ...SETTINGS, ...env } })
}

const pidsOf = (service: Service) => membersOf(service).map(({ pid }) => pid)

const targetOf = ({ ready }: Service) => ({ url: ready.url, key: keys['live_secret'] ?? '' })

/** Waits as long as the test may take, because processes start slowly on a busy machine. */
async function logged(running: Running, text: string): Promise<void> {
  while (!running.stderr().includes(text)) await pause(20)
}

/** Opens connections until it is stopped. */
function startKnocking({ ready }: Service) {
  const { hostname, port } = new URL(ready.url)
  const outcomes = new Map<string, number>()
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const stopped = new AbortController()
  const knock = async () =>
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      const end = (outcome: string) => {
        count(outcome)
        socket.destroy()
        resolve()
      }
      socket.once('connect', () => end('open'))
      socket.once('error', (error: Error & { code?: string }) => end(error.code ?? error.message))
    })
  const knocking = (async () => {
    while (!stopped.signal.aborted) {
      await knock()
      await pause(2)
    }
  })()
  return async (): Promise<string[]> => {
    stopped.abort()
    await knocking
    return [...outcomes.keys()]
  }
}

describe.skipIf(!isLinux)('a service with several processes', { timeout: 300_000 }, () => {
  it('replaces a killed process under load while its port stays open', async () => {
    const service = await start()
    const before = pidsOf(service)
    expect(before).toHaveLength(PROCESSES)
    const stopKnocking = startKnocking(service)
    const load = startLoad(targetOf(service), 'killed')
    for (const pid of before) {
      await killMember(
        service,
        membersOf(service).find((one) => one.pid === pid),
      )
    }
    await load.stop()
    expect(await stopKnocking()).toEqual(['open'])
    expect(load.acknowledged.size).toBeGreaterThan(0)
    expect(pidsOf(service)).toHaveLength(PROCESSES)
    expect(pidsOf(service).filter((pid) => before.includes(pid))).toEqual([])
    expect((await service.stop()).status).toBe(0)
    await room?.empty()
  })

  it('restarts all processes on SIGHUP without a failed request', async () => {
    const service = await start()
    const before = pidsOf(service)
    const stopKnocking = startKnocking(service)
    const load = startLoad(targetOf(service), 'restarted')
    service.child.kill('SIGHUP')
    await logged(service, 'all processes were restarted')
    await load.stop()
    expect(load.open).toEqual([])
    expect(load.acknowledged.size).toBeGreaterThan(0)
    expect(await stopKnocking()).toEqual(['open'])
    expect(pidsOf(service)).toHaveLength(PROCESSES)
    expect(pidsOf(service).filter((pid) => before.includes(pid))).toEqual([])
    expect((await service.stop()).status).toBe(0)
    await room?.empty()
  })

  it('finishes requests when it stops, and ends all processes', async () => {
    const service = await start()
    const load = startLoad(targetOf(service), 'stopped')
    onTestFinished(load.stop)
    while (load.acknowledged.size === 0) await pause(5)
    const { status, stderr } = await service.stop()
    expect(status).toBe(0)
    expect(stderr).not.toMatch(/"level":(40|50|60)/)
    await room?.empty()
  })

  it('ends all processes when its supervisor is killed', async () => {
    const service = await start()
    kill(service.pid, 'SIGKILL')
    await service.ended
    await room?.empty()
  })

  it('counts requests and rate limits as one process', async () => {
    const limit = 40
    const service = await start({ VIGIL_RATE_LIMIT_READ: `${limit}/3600` })
    const read = async () =>
      await fetch(`${service.ready.url}/check/${UNKNOWN}`, {
        headers: { 'x-api-key': keys['live_secret'] ?? '', connection: 'close' },
      })
    const statuses: number[] = []
    for (let number = 0; number < 2 * limit; number += 1) {
      statuses.push((await read()).status)
      // Longer than processes take to report what they have counted.
      if (number > limit / 2) await pause(60)
    }
    const accepted = statuses.filter((status) => status !== 429).length
    expect(accepted).toBe(limit)
    const metrics = await fetch(service.ready.url.replace(/v1$/, 'metrics'))
    const counts = [
      ...(await metrics.text()).matchAll(
        /^vigil_http_request_seconds_count\{.*route="\/v1\/check\/:\w+".*\} (\d+)$/gm,
      ),
    ]
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(2 * limit)
    await service.stop()
  })

  it('applies changed settings on SIGHUP, and keeps its processes if they are wrong', async () => {
    const file = join(room?.folder ?? '', '.env')
    onTestFinished(() => rmSync(file, { force: true }))
    const service = await start()
    const before = pidsOf(service)
    writeFileSync(file, 'VIGIL_BODY_MAX_BYTES=many\n')
    service.child.kill('SIGHUP')
    await logged(service, 'a new process could not be started')
    expect(pidsOf(service)).toEqual(before)

    writeFileSync(file, 'VIGIL_BODY_MAX_BYTES=1024\n')
    service.child.kill('SIGHUP')
    await logged(service, 'all processes were restarted')
    const { url, key } = targetOf(service)
    const answer = await fetch(`${url}/check`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${'a'.repeat(2000)}@mailinator.com` }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('1024')
    await service.stop()
  })
})
