import { describe, expect, it } from 'vitest'
import { createLog } from '../../../platform/log.ts'
import type { Answer, PulledMessage } from '../providers/port.ts'
import { createPuller, type PullerOptions } from './puller.ts'

const message = (number: number): PulledMessage => ({
  message_id: `m${number}`,
  ack_id: `a${number}`,
  notification_type: 'STATUS_REPORT',
  data: {},
})
const ok = <T>(value: T): Answer<T> => ({ ok: true, value })
const AWAY: Answer<never> = {
  ok: false,
  fault: { kind: 'unavailable', message: 'Away.', is_ambiguous: true },
}

/** A provider that answers pulls from a script and then has nothing until it is stopped. */
function setUp(script: Answer<PulledMessage[]>[], given: Partial<PullerOptions> = {}) {
  const waits: number[] = []
  const acknowledged: string[] = []
  let pulls = 0
  let ended = () => undefined as void
  const isThrough = new Promise<void>((resolve) => {
    ended = resolve
  })
  const puller = createPuller({
    provider: {
      pull: async (_max, signal) => {
        const answer = script[pulls]
        pulls += 1
        if (answer) return answer
        ended()
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        return ok([])
      },
      acknowledge: (ids) => {
        acknowledged.push(...ids)
        return Promise.resolve(ok({}))
      },
    },
    take: (messages) =>
      Promise.resolve(messages.map(({ message_id }) => ({ message_id, is_done: true }))),
    hasEnterprise: () => Promise.resolve(true),
    log: createLog('silent'),
    wait: (ms) => {
      waits.push(ms)
      return new Promise((resolve) => setImmediate(resolve))
    },
    ...given,
  })
  return { puller, waits, acknowledged, isThrough, pulls: () => pulls }
}

describe('the puller', () => {
  it('acknowledges what is done, and nothing else', async () => {
    const { puller, acknowledged, isThrough } = setUp([ok([1, 2, 3].map(message))], {
      take: (messages) =>
        Promise.resolve(
          messages.map(({ message_id }) => ({ message_id, is_done: message_id !== 'm2' })),
        ),
    })
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(acknowledged).toEqual(['a1', 'a3'])
  })

  it('has no more than three batches under way', async () => {
    let under = 0
    let most = 0
    const script = Array.from({ length: 9 }, (_, i) => ok([message(i)]))
    const { puller, acknowledged, isThrough } = setUp(script, {
      take: async (messages) => {
        under += 1
        most = Math.max(most, under)
        for (let turn = 0; turn < 5; turn += 1)
          await new Promise((resolve) => setImmediate(resolve))
        under -= 1
        return messages.map(({ message_id }) => ({ message_id, is_done: true }))
      },
    })
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(most).toBe(3)
    expect(acknowledged).toHaveLength(9)
  })

  it('waits longer and longer while the provider is away, and no more once it is back', async () => {
    const { puller, waits, isThrough } = setUp([AWAY, AWAY, AWAY, ok([message(1)]), AWAY])
    puller.start()
    await isThrough
    await puller.stop(10_000)
    const [first = 0, second = 0, third = 0, last = 0] = waits
    expect(first).toBeGreaterThanOrEqual(800)
    expect(first).toBeLessThanOrEqual(1200)
    expect(second).toBeGreaterThanOrEqual(1600)
    expect(third).toBeGreaterThanOrEqual(3200)
    expect(last).toBeLessThanOrEqual(1200)
    expect(waits).toHaveLength(4)
  })

  it('never waits longer than a minute, give or take', async () => {
    const { puller, waits, isThrough } = setUp(Array.from({ length: 12 }, () => AWAY))
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(72_000)
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(48_000)
  })

  it('asks for nothing while there is no enterprise', async () => {
    let asked = 0
    const { puller, waits, pulls, isThrough } = setUp([], {
      hasEnterprise: () => Promise.resolve((asked += 1) > 3),
    })
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(pulls()).toBe(1)
    expect(waits).toEqual([5000, 5000, 5000])
  })

  it('does not ask again at once when it is answered at once that there is nothing', async () => {
    const { puller, waits, isThrough } = setUp([ok([]), ok([])])
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(waits).toHaveLength(2)
    for (const ms of waits) expect(ms).toBeGreaterThan(0)
  })

  it('waits after a batch that could not be applied, and goes on when that throws', async () => {
    let taken = 0
    const { puller, waits, acknowledged, isThrough } = setUp(
      [1, 2, 3].map((number) => ok([message(number)])),
      {
        take: (messages) => {
          taken += 1
          if (taken === 1) return Promise.reject(new Error('the database is away'))
          return Promise.resolve(
            messages.map(({ message_id }) => ({ message_id, is_done: taken > 2 })),
          )
        },
      },
    )
    puller.start()
    await isThrough
    await puller.stop(10_000)
    expect(acknowledged).toEqual(['a3'])
    expect(waits.length).toBeGreaterThanOrEqual(1)
  })

  it('stops though a batch hangs', async () => {
    const { puller, isThrough } = setUp([ok([message(1)])], {
      take: () => new Promise(() => undefined),
    })
    puller.start()
    await isThrough
    await puller.stop(1)
  })
})
