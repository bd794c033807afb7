import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createDispatcher, type Dispatcher, type Room, type Sent } from './dispatcher.ts'

type Job = { name: string; group?: string }
type Outcome = 'sent' | 'stopped'

/** An in-memory queue in place of a table. */
function createQueue() {
  const due: Job[] = []
  const rooms: Room[] = []
  const settled: Sent<Job, Outcome>[] = []
  const sending = new Map<string, () => void>()
  return {
    due,
    rooms,
    settled,
    sending,
    names: () => settled.map(({ job }) => job.name),
    claim: (room: Room) => {
      rooms.push({ jobs: room.jobs, in_flight: new Map(room.in_flight) })
      const jobs = due.splice(0, room.jobs)
      return Promise.resolve({ jobs, is_more: due.length > 0 })
    },
    groupsOf: ({ group }: Job) => (group === undefined ? [] : [group]),
    send: ({ name }: Job, signal: AbortSignal) =>
      new Promise<Outcome>((resolve) => {
        sending.set(name, () => resolve('sent'))
        const stop = () => resolve('stopped')
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop)
      }),
    settle: (sent: readonly Sent<Job, Outcome>[]) => {
      settled.push(...sent)
      return Promise.resolve()
    },
  }
}

const running: Dispatcher[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
})

const NEVER_MS = 1_000_000

function start(
  queue: ReturnType<typeof createQueue>,
  given: Partial<Parameters<typeof createDispatcher<Job, Outcome>>[0]> = {},
): Dispatcher {
  const dispatcher = createDispatcher<Job, Outcome>({
    name: 'test',
    log: createLog('silent'),
    in_flight_max: 4,
    poll_ms: NEVER_MS,
    ...queue,
    ...given,
  })
  running.push(dispatcher)
  dispatcher.start()
  return dispatcher
}

const jobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, index) => ({ name: `job-${index}` }))
const until = async (check: () => void) => await vi.waitFor(check, { timeout: 10_000 })

describe('the dispatcher', () => {
  it('sends due jobs at its start, within the limit of concurrent jobs', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(6))
    start(queue)
    await until(() => expect(queue.sending.size).toBe(4))
    queue.sending.get('job-1')?.()
    await until(() => expect(queue.sending.size).toBe(5))
    expect(queue.names()).toEqual(['job-1'])
    expect(queue.rooms.every(({ jobs: room }) => room <= 4)).toBe(true)
  })

  it('claims immediately after a hint', async () => {
    const queue = createQueue()
    const dispatcher = start(queue)
    await until(() => expect(queue.rooms).toHaveLength(1))
    queue.due.push(...jobs(1))
    dispatcher.hint()
    await until(() => expect(queue.sending.size).toBe(1))
  })

  it('finds jobs by polling, without a hint', async () => {
    const queue = createQueue()
    start(queue, { poll_ms: 5 })
    await until(() => expect(queue.rooms.length).toBeGreaterThan(1))
    queue.due.push(...jobs(1))
    await until(() => expect(queue.sending.size).toBe(1))
  })

  it('combines many hints into few claims', async () => {
    const queue = createQueue()
    const dispatcher = start(queue)
    await until(() => expect(queue.rooms).toHaveLength(1))
    for (let n = 0; n < 1000; n += 1) dispatcher.hint()
    await until(() => expect(queue.rooms.length).toBeGreaterThan(1))
    expect(queue.rooms.length).toBeLessThan(4)
  })

  it('claims less often while hints find nothing, until one does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const queue = createQueue()
    const dispatcher = start(queue)
    const hintedFor = async (milliseconds: number): Promise<number> => {
      const before = queue.rooms.length
      for (let passed = 0; passed < milliseconds; passed += 1) {
        dispatcher.hint()
        await vi.advanceTimersByTimeAsync(1)
      }
      return queue.rooms.length - before
    }
    // Pauses of 5, 10, 20, 40 and then 50 ms.
    expect(await hintedFor(500)).toBeLessThan(16)
    expect(await hintedFor(500)).toBeLessThan(12)
    queue.due.push(...jobs(1))
    for (let passed = 0; queue.due.length > 0 && passed < 60; passed += 1) await hintedFor(1)
    expect(queue.sending.size).toBe(1)
    expect(await hintedFor(40)).toBeGreaterThan(2)
  })

  it('passes the jobs in flight of each group to the claim', async () => {
    const queue = createQueue()
    queue.due.push({ name: 'a', group: 'x' }, { name: 'b', group: 'x' }, { name: 'c' })
    const dispatcher = start(queue)
    await until(() => expect(queue.sending.size).toBe(3))
    queue.sending.get('a')?.()
    await until(() => expect(queue.settled).toHaveLength(1))
    dispatcher.hint()
    await until(() => expect(queue.rooms.at(-1)?.in_flight).toEqual(new Map([['x', 1]])))
    expect(queue.rooms.at(-1)?.jobs).toBe(2)
  })

  it('claims after a job only if another one may wait for it', async () => {
    const queue = createQueue()
    queue.due.push({ name: 'a', group: 'x' }, { name: 'b', group: 'x' })
    start(queue, { limitOf: () => 2 })
    await until(() => expect(queue.sending.size).toBe(2))
    const claims = queue.rooms.length
    queue.sending.get('a')?.()
    await until(() => expect(queue.rooms).toHaveLength(claims + 1))
    queue.sending.get('b')?.()
    await until(() => expect(queue.names()).toEqual(['a', 'b']))
    await pause(100)
    expect(queue.rooms).toHaveLength(claims + 1)
  })

  it('claims for the groups of a sent job while its outcome is being written', async () => {
    const queue = createQueue()
    queue.due.push({ name: 'a', group: 'x' }, { name: 'b', group: 'x' })
    const sentAtClaim: string[][] = []
    let write = () => {}
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    start(queue, {
      limitOf: () => 2,
      isFreeWhenSent: ({ outcome }) => outcome === 'sent',
      claim: (room, sent) => {
        sentAtClaim.push([...sent].map(({ name }) => name))
        return queue.claim(room)
      },
      settle: async (sent) => {
        await written
        await queue.settle(sent)
      },
    })
    await until(() => expect(queue.sending.size).toBe(2))
    queue.sending.get('a')?.()
    await until(() => expect(sentAtClaim.at(-1)).toEqual(['a']))
    expect(queue.rooms.at(-1)).toEqual({ jobs: 2, in_flight: new Map([['x', 1]]) })
    expect(queue.settled).toEqual([])
    write()
    queue.sending.get('b')?.()
    await until(() => expect(queue.names()).toEqual(['a', 'b']))
  })

  it('continues after a failed claim', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(1))
    let failures = 1
    const claim = (room: Room) => {
      failures -= 1
      return failures >= 0 ? Promise.reject(new Error('unavailable')) : queue.claim(room)
    }
    start(queue, { claim })
    await until(() => expect(queue.sending.size).toBe(1))
  })

  it('logs a claim that fails repeatedly once', async () => {
    vi.useFakeTimers()
    const lines: string[] = []
    let claims = 0
    start(createQueue(), {
      log: createLog('info', { write: (line) => void lines.push(line) }),
      claim: () => {
        claims += 1
        return Promise.reject(new Error('the database is down'))
      },
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(claims).toBeGreaterThan(5)
    expect(lines).toHaveLength(1)
  })

  it('retries writing an outcome until it succeeds', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(1))
    let failures = 7
    const settle: typeof queue.settle = (sent) => {
      failures -= 1
      return failures >= 0 ? Promise.reject(new Error('unavailable')) : queue.settle(sent)
    }
    start(queue, { settle })
    await until(() => expect(queue.sending.size).toBe(1))
    queue.sending.get('job-0')?.()
    await until(() => expect(queue.settled).toMatchObject([{ outcome: 'sent' }]))
  })

  it.each([
    ['without limits of groups', {}],
    ['without a job that may wait for another', { limitOf: () => 100 }],
  ])('claims nothing while outcomes cannot be written, %s', async (_, limits) => {
    const queue = createQueue()
    queue.due.push(...jobs(1))
    let isUnavailable = true
    const settle = vi.fn<typeof queue.settle>((sent) =>
      isUnavailable ? Promise.reject(new Error('unavailable')) : queue.settle(sent),
    )
    const dispatcher = start(queue, { settle, poll_ms: 5, ...limits })
    await until(() => expect(queue.sending.size).toBe(1))
    queue.sending.get('job-0')?.()
    await until(() => expect(settle).toHaveBeenCalledTimes(2))
    const claims = queue.rooms.length
    queue.due.push(...jobs(2))
    dispatcher.hint()
    await until(() => expect(settle).toHaveBeenCalledTimes(4))
    expect(queue.rooms).toHaveLength(claims)
    isUnavailable = false
    await until(() => expect(queue.settled).toHaveLength(1))
    await until(() => expect(queue.due).toEqual([]))
  })

  it('writes all other outcomes when one cannot be written', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(3))
    const settle: typeof queue.settle = (sent) =>
      sent.some(({ job }) => job.name === 'job-1')
        ? Promise.reject(Object.assign(new Error('bad value'), { code: '22P02' }))
        : queue.settle(sent)
    start(queue, { settle })
    await until(() => expect(queue.sending.size).toBe(3))
    for (const finish of queue.sending.values()) finish()
    await until(() => expect(queue.names().toSorted()).toEqual(['job-0', 'job-2']))
  })
})

describe('a dispatcher that is stopped', () => {
  it('claims nothing more, aborts jobs in flight and writes their outcomes', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(6))
    const dispatcher = start(queue)
    await until(() => expect(queue.sending.size).toBe(4))
    await dispatcher.stop(0)
    expect(queue.settled.map(({ outcome }) => outcome)).toEqual(Array(4).fill('stopped'))
    dispatcher.hint()
    expect(queue.due).toHaveLength(2)
  })

  it('lets jobs finish that finish in time', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(1))
    const dispatcher = start(queue)
    await until(() => expect(queue.sending.size).toBe(1))
    const stopped = dispatcher.stop(NEVER_MS)
    queue.sending.get('job-0')?.()
    await stopped
    expect(queue.settled).toMatchObject([{ outcome: 'sent' }])
  })

  it('does not wait for an unavailable database', async () => {
    const queue = createQueue()
    queue.due.push(...jobs(1))
    const dispatcher = start(queue, { settle: () => Promise.reject(new Error('unavailable')) })
    await until(() => expect(queue.sending.size).toBe(1))
    await dispatcher.stop(0)
    expect(queue.settled).toEqual([])
  })
})
