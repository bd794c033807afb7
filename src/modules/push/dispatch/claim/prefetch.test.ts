import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Room } from '../../../../platform/dispatch/index.ts'
import { createLog } from '../../../../platform/log.ts'
import type { Channel, Job } from '../job.ts'
import { createPrefetch, type PrefetchOptions } from './prefetch.ts'

const channelOf = (group: string, is_probing = false) => ({ group, is_probing }) as Channel

const jobsOf = (
  count: number,
  group = 'a',
  { is_probing = false, send_before_ms = Number.POSITIVE_INFINITY } = {},
): Job[] => {
  const batch = { channel: channelOf(group, is_probing), send_before_ms } as Job['batch']
  return Array.from(
    { length: count },
    (_, index) => ({ batch, subscription_id: `${index}` }) as Job,
  )
}

/** A prefetcher whose refills return these jobs, one list after the other, and then nothing. */
function setUp(deliveries: Job[][], given: Partial<PrefetchOptions> = {}) {
  const rooms: Room[] = []
  const returned: Job[] = []
  const hint = vi.fn()
  const prefetch = createPrefetch({
    refill: (room) => {
      rooms.push(room)
      const jobs = deliveries.shift() ?? []
      return Promise.resolve({ jobs, is_more: deliveries.length > 0 })
    },
    release: (jobs) => {
      returned.push(...jobs)
      return Promise.resolve()
    },
    hint,
    log: createLog('silent'),
    prefetch_max: 100,
    shareOf: ({ is_probing }) => (is_probing ? 5 : 75),
    ...given,
  })
  const claim = async (jobs: number, in_flight: Record<string, number> = {}) =>
    (await prefetch.claim({ jobs, in_flight: new Map(Object.entries(in_flight)) })).jobs
  return { prefetch, claim, rooms, returned, hint }
}

const perGroup = (jobs: readonly Job[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { batch } of jobs) counts[batch.channel.group] = (counts[batch.channel.group] ?? 0) + 1
  return counts
}

// On the real clock, a busy machine could let the pause between two refills pass within a test.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('prefetched jobs', () => {
  it('are waited for when nothing else is under way', async () => {
    const { claim, rooms } = setUp([jobsOf(30)])
    expect(await claim(100)).toHaveLength(30)
    expect(rooms).toHaveLength(1)
  })

  it('are returned immediately as capacity becomes free', async () => {
    const { claim } = setUp([jobsOf(60)])
    expect(await claim(25)).toHaveLength(25)
    expect(await claim(25, { a: 25 })).toHaveLength(25)
    expect(await claim(25, { a: 50 })).toHaveLength(10)
  })

  it('are replenished in the background while others are sent', async () => {
    const { claim, rooms, hint } = setUp([jobsOf(60), jobsOf(30)])
    await claim(50)
    await vi.waitFor(() => expect(hint).toHaveBeenCalled(), 10_000)
    expect(rooms).toHaveLength(2)
    expect(rooms[1]).toEqual({ jobs: 90, in_flight: new Map([['a', 10]]) })
    expect(await claim(50, { a: 25 })).toHaveLength(40)
  })

  it('are fetched a moment later when a claim comes too soon', async () => {
    const { claim, rooms, hint } = setUp([jobsOf(10)])
    await claim(50)
    await claim(50, { a: 10 })
    expect(rooms).toHaveLength(1)
    await vi.waitFor(() => expect(hint).toHaveBeenCalled(), 10_000)
    await claim(50, { a: 10 })
    expect(rooms).toHaveLength(2)
  })

  it('go first to the groups with the fewest under way, up to their share', async () => {
    const { claim } = setUp([[...jobsOf(80, 'a'), ...jobsOf(40, 'b')]])
    expect(await claim(0)).toEqual([])
    expect(perGroup(await claim(50, { a: 30 }))).toEqual({ b: 40, a: 10 })
    expect(perGroup(await claim(100, { a: 40 }))).toEqual({ a: 35 })
    expect(perGroup(await claim(100, { a: 75 }))).toEqual({})
  })

  it('are limited to a few after a pause, until one is accepted', async () => {
    const jobs = jobsOf(40, 'a', { is_probing: true })
    const { claim } = setUp([jobs])
    expect(await claim(100)).toHaveLength(5)
    expect(await claim(100, { a: 5 })).toHaveLength(0)
    for (const { batch } of jobs) batch.channel.is_probing = false
    expect(await claim(100, { a: 5 })).toHaveLength(35)
  })
})

describe('jobs that are not sent', () => {
  it('are released when their lease would expire', async () => {
    const { claim, returned } = setUp([
      [...jobsOf(3, 'a', { send_before_ms: 0 }), ...jobsOf(2, 'b')],
    ])
    expect(perGroup(await claim(10))).toEqual({ b: 2 })
    expect(perGroup(returned)).toEqual({ a: 3 })
  })

  it('are released when their provider asks to stop', async () => {
    const { claim, prefetch, returned } = setUp([[...jobsOf(30, 'a'), ...jobsOf(30, 'b')]])
    await claim(20)
    prefetch.drop('a')
    expect(perGroup(returned)).toEqual({ a: 10 })
    expect(perGroup(await claim(100, { a: 20 }))).toEqual({ b: 30 })
  })

  it('are released on close, including jobs that were being fetched', async () => {
    const late = { arrive: () => {} }
    const second = new Promise<Job[]>((resolve) => {
      late.arrive = () => resolve(jobsOf(7, 'b'))
    })
    const sources = [Promise.resolve(jobsOf(20)), second]
    const refill = async () => ({ jobs: (await sources.shift()) ?? [], is_more: true })
    const { claim, prefetch, returned } = setUp([], { refill })
    await claim(5)
    const closed = prefetch.close()
    late.arrive()
    await closed
    expect(perGroup(returned)).toEqual({ a: 15, b: 7 })
  })

  it('stay leased when releasing them fails', async () => {
    const release = () => Promise.reject(new Error('unavailable'))
    const { claim, prefetch } = setUp([jobsOf(20)], { release })
    await claim(5)
    await expect(prefetch.close()).resolves.toBeUndefined()
  })
})

it('a failed refill in the background is repeated and does not stop claims', async () => {
  let failures = 0
  const fetched = [jobsOf(60)]
  const { claim } = setUp([], {
    refill: () => {
      const jobs = fetched.shift()
      if (jobs) return Promise.resolve({ jobs, is_more: true })
      failures += 1
      return Promise.reject(new Error('unavailable'))
    },
  })
  await claim(50)
  await vi.waitFor(() => expect(failures).toBe(1), 10_000)
  expect(await claim(50, { a: 50 })).toHaveLength(10)
})
