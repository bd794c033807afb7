import { describe, expect, it } from 'vitest'
import type { Pending } from './batch.ts'
import { createQueue, NotTakenError } from './queue.ts'

/** Longer than any of these tests. */
const LONG_MS = 3_600_000

type Submitted = { pending: Pending; refusal: Promise<unknown> }

function pendingOf(identity?: string): Submitted {
  let refuse: (error: unknown) => void = () => undefined
  const refusal = new Promise<unknown>((resolve) => {
    refuse = resolve
  })
  const step = {
    org_id: 'o',
    keys: [],
    reads: [],
    ...(identity !== undefined && { identity }),
    apply: () => ({ states: [], rows: [], result: undefined }),
  }
  return { pending: { step, resolve: () => undefined, reject: refuse }, refusal }
}

const newQueue = (steps_max = 10, wait_max_ms = LONG_MS, onExpired = () => {}) =>
  createQueue({ steps_max, wait_max_ms, onExpired })

describe('the queue of a lane', () => {
  it('returns steps in order, one batch at a time', () => {
    const queue = newQueue()
    const steps = Array.from({ length: 5 }, () => pendingOf().pending)
    for (const step of steps) queue.add(step)
    expect(queue.take(3)).toEqual(steps.slice(0, 3))
    expect(queue.take(3)).toEqual(steps.slice(3))
    expect(queue.length).toBe(0)
  })

  it('holds a step back until its identity is released and then keeps its order', () => {
    const queue = newQueue()
    const [a, again, b] = [pendingOf('a').pending, pendingOf('a').pending, pendingOf('b').pending]
    for (const step of [a, again, b]) queue.add(step)
    expect(queue.take(3)).toEqual([a, b])
    queue.add(pendingOf('c').pending)
    expect(queue.take(0)).toEqual([])
    queue.release(a)
    expect(queue.take(1)).toEqual([again])
    expect(queue.length).toBe(1)
  })

  it('refuses steps beyond its size immediately and accepts more when there is room', async () => {
    const queue = newQueue(2)
    const [first, second, third] = [pendingOf(), pendingOf(), pendingOf()]
    for (const { pending } of [first, second, third]) queue.add(pending)
    expect(await third.refusal).toBeInstanceOf(NotTakenError)
    expect(queue.take(5)).toEqual([first.pending, second.pending])
    queue.add(third.pending)
    expect(queue.take(5)).toEqual([third.pending])
  })

  it('refuses only steps that were not taken in time, also those waiting for an identity', async () => {
    let notify: () => void = () => undefined
    const expired = new Promise<void>((resolve) => {
      notify = resolve
    })
    const queue = newQueue(10, 20, () => notify())
    const [taken, blocked] = [pendingOf('a'), pendingOf('a')]
    queue.add(taken.pending)
    queue.add(blocked.pending)
    expect(queue.take(2)).toEqual([taken.pending])
    expect(await blocked.refusal).toBeInstanceOf(NotTakenError)
    await expired
    expect(queue.length).toBe(0)
    queue.release(taken.pending)
    queue.add(taken.pending)
    expect(queue.take(1)).toEqual([taken.pending])
  })
})
