import { describe, expect, it, vi } from 'vitest'
import { createLog } from '../../../platform/log.ts'
import type { Answer, PulledMessage } from '../providers/port.ts'
import { createPuller, type PullerOptions } from './puller.ts'
import type { TakenMessage } from './queue.ts'

const message = (number: number): PulledMessage => ({
  message_id: `m${number}`,
  ack_id: `a${number}`,
  notification_type: 'STATUS_REPORT',
  data: {},
})
const ok = <T>(value: T): Answer<T> => ({ ok: true, value })
const UNAVAILABLE: Answer<never> = {
  ok: false,
  fault: { kind: 'unavailable', message: 'Unavailable.', is_ambiguous: true },
}

/** The provider answers pulls from a script, and then holds the next pull until the puller stops. */
function setUp(script: Answer<PulledMessage[]>[], options: Partial<PullerOptions> = {}) {
  const waits: number[] = []
  const acknowledged: string[] = []
  const deadlines: [ackId: string, seconds: number][] = []
  let pulls = 0
  let ended = () => undefined as void
  const scriptEnded = new Promise<void>((resolve) => {
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
      modifyAckDeadline: (ids, seconds) => {
        deadlines.push(...ids.map((id) => [id, seconds] as [string, number]))
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
    ...options,
  })
  return { puller, waits, acknowledged, deadlines, scriptEnded, pulls: () => pulls }
}

describe('the puller', () => {
  it('acknowledges the messages that are done, and has others sent again in ten seconds', async () => {
    const set = setUp([ok([1, 2, 3, 4].map(message))], {
      take: (messages) =>
        Promise.resolve(
          messages.map(({ message_id }) => ({
            message_id,
            is_done: message_id === 'm1' || message_id === 'm3',
            ...(message_id === 'm4' && { is_faulty: true }),
          })),
        ),
    })
    set.puller.start()
    await set.scriptEnded
    await vi.waitFor(() => expect(set.acknowledged).toEqual(['a1', 'a3']), 10_000)
    await set.puller.stop(10_000)
    // A message that is itself the fault is sent again after the deadline of the subscription.
    expect(set.deadlines).toEqual([['a2', 10]])
  })

  it('pulls on while messages are put off, and keeps their deadlines from passing', async () => {
    let apply: (taken: TakenMessage) => void = () => undefined
    const later = new Promise<TakenMessage>((resolve) => {
      apply = resolve
    })
    const set = setUp(
      Array.from({ length: 6 }, (_, number) => ok([message(number)])),
      {
        extend_every_ms: 10,
        take: (messages) =>
          Promise.resolve(
            messages.map(({ message_id }) =>
              message_id === 'm0'
                ? { message_id, is_done: false, later }
                : { message_id, is_done: true },
            ),
          ),
      },
    )
    set.puller.start()
    await set.scriptEnded
    await vi.waitFor(() => {
      expect(set.acknowledged).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
      expect(set.deadlines).toContainEqual(['a0', 30])
    }, 10_000)
    expect(set.waits).toEqual([])
    apply({ message_id: 'm0', is_done: true })
    await vi.waitFor(() => expect(set.acknowledged).toContain('a0'), 10_000)
    await set.puller.stop(10_000)
  })

  it('gives messages that were put off back when it stops', async () => {
    const set = setUp([ok([message(1)])], {
      take: () =>
        Promise.resolve([
          { message_id: 'm1', is_done: false, later: new Promise(() => undefined) },
        ]),
    })
    set.puller.start()
    await set.scriptEnded
    await set.puller.stop(10_000)
    expect(set.deadlines).toEqual([['a1', 0]])
  })

  it('has no more than three batches in progress', async () => {
    let running = 0
    let most = 0
    const script = Array.from({ length: 9 }, (_, i) => ok([message(i)]))
    const { puller, acknowledged, scriptEnded } = setUp(script, {
      take: async (messages) => {
        running += 1
        most = Math.max(most, running)
        for (let turn = 0; turn < 5; turn += 1)
          await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return messages.map(({ message_id }) => ({ message_id, is_done: true }))
      },
    })
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    expect(most).toBe(3)
    expect(acknowledged).toHaveLength(9)
  })

  it('backs off exponentially while the provider is unavailable, and starts over after a success', async () => {
    const { puller, waits, scriptEnded } = setUp([
      UNAVAILABLE,
      UNAVAILABLE,
      UNAVAILABLE,
      ok([message(1)]),
      UNAVAILABLE,
    ])
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    const [first = 0, second = 0, third = 0, last = 0] = waits
    expect(first).toBeGreaterThanOrEqual(800)
    expect(first).toBeLessThanOrEqual(1200)
    expect(second).toBeGreaterThanOrEqual(1600)
    expect(third).toBeGreaterThanOrEqual(3200)
    expect(last).toBeLessThanOrEqual(1200)
    expect(waits).toHaveLength(4)
  })

  it('never waits much longer than a minute', async () => {
    const { puller, waits, scriptEnded } = setUp(Array.from({ length: 12 }, () => UNAVAILABLE))
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(72_000)
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(48_000)
  })

  it('does not pull while there is no enterprise', async () => {
    let checks = 0
    const { puller, waits, pulls, scriptEnded } = setUp([], {
      hasEnterprise: () => Promise.resolve((checks += 1) > 3),
    })
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    expect(pulls()).toBe(1)
    expect(waits).toEqual([5000, 5000, 5000])
  })

  it('does not pull again immediately after an immediate empty answer', async () => {
    const { puller, waits, scriptEnded } = setUp([ok([]), ok([])])
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    expect(waits).toHaveLength(2)
    for (const ms of waits) expect(ms).toBeGreaterThan(0)
  })

  it('waits after a batch that cannot be applied, and continues after an exception', async () => {
    let taken = 0
    const { puller, waits, acknowledged, scriptEnded } = setUp(
      [1, 2, 3].map((number) => ok([message(number)])),
      {
        take: (messages) => {
          taken += 1
          if (taken === 1) return Promise.reject(new Error('the database is unavailable'))
          return Promise.resolve(
            messages.map(({ message_id }) => ({ message_id, is_done: taken > 2 })),
          )
        },
      },
    )
    puller.start()
    await scriptEnded
    await puller.stop(10_000)
    expect(acknowledged).toEqual(['a3'])
    expect(waits.length).toBeGreaterThanOrEqual(1)
  })

  it('stops although a batch hangs', async () => {
    const { puller, scriptEnded } = setUp([ok([message(1)])], {
      take: () => new Promise(() => undefined),
    })
    puller.start()
    await scriptEnded
    await puller.stop(1)
  })
})
