import { describe, expect, it, vi } from 'vitest'
import type { WireMessage } from '../providers/port.ts'
import { type Applied, createNotificationQueue } from './queue.ts'

const message = (enterprise: string, number: number): WireMessage => ({
  message_id: `${enterprise}${number}`,
  notification_type: 'STATUS_REPORT',
  data: { name: `enterprises/${enterprise}/devices/1` },
})
const messages = (enterprise: string, count: number) =>
  Array.from({ length: count }, (_, number) => message(enterprise, number))
const enterprisesOf = (batch: readonly WireMessage[]) =>
  new Set(batch.map(({ message_id }) => message_id.slice(0, 1)))
const turn = () => new Promise((resolve) => setImmediate(resolve))
const NONE: Applied = new Map()

/** Applies everything except for the enterprises that are locked at the time. */
function setUp() {
  const locks = new Set<string>()
  const applied: string[] = []
  const batches: number[] = []
  const running = new Map<string, number>()
  const most = { of_enterprise: 0, in_total: 0 }
  const putOff: string[] = []
  const queue = createNotificationQueue({
    apply: async (batch) => {
      const enterprises = enterprisesOf(batch)
      for (const one of enterprises) running.set(one, (running.get(one) ?? 0) + 1)
      most.of_enterprise = Math.max(most.of_enterprise, ...running.values())
      most.in_total = Math.max(most.in_total, [...running.values()].filter((n) => n > 0).length)
      await turn()
      for (const one of enterprises) running.set(one, (running.get(one) ?? 0) - 1)
      if ([...enterprises].some((one) => locks.has(one))) return 'locked'
      batches.push(batch.length)
      applied.push(...batch.map(({ message_id }) => message_id))
      return NONE
    },
    onPutOff: (enterprise) => void putOff.push(enterprise),
  })
  return { ...queue, locks, applied, batches, most, putOff }
}

describe('notifications', () => {
  it('of one enterprise are applied in their order, by one transaction at a time', async () => {
    const { add, applied, batches, most } = setUp()
    const all = messages('a', 1200)
    const parts = [0, 500, 1000].map((start) => add(all.slice(start, start + 500)))
    const taken = (await Promise.all(parts)).flat()
    expect(taken.every(({ is_done }) => is_done)).toBe(true)
    expect(applied).toEqual(all.map(({ message_id }) => message_id))
    expect(most.of_enterprise).toBe(1)
    expect(Math.max(...batches)).toBe(500)
  })

  it('of many enterprises share transactions', async () => {
    const { add, batches } = setUp()
    await add(Array.from('abcdefghij', (enterprise) => message(enterprise, 1)))
    expect(batches).toEqual([10])
  })

  it('that wait while a transaction is under way are applied together', async () => {
    const { add, batches } = setUp()
    await Promise.all(messages('a', 100).map((one) => add([one])))
    expect(batches).toEqual([1, 99])
  })

  it('of a locked enterprise are put off, and hold up no others', async () => {
    const { add, locks, applied, status, putOff } = setUp()
    locks.add('a')
    const first = await add([message('a', 1), message('b', 1), message('c', 1)])
    expect(first.filter(({ is_done }) => is_done)).toHaveLength(2)
    const [second] = await add([message('a', 2)])
    expect(second).toMatchObject({ is_done: false, later: expect.any(Promise) as unknown })
    expect(await add([message('b', 2)])).toEqual([{ message_id: 'b2', is_done: true }])
    expect(status().put_off).toBe(2)
    expect(status().oldest_ms).toBeGreaterThan(0)
    expect(new Set(putOff)).toEqual(new Set(['enterprises/a']))
    locks.clear()
    expect(await second?.later).toEqual({ message_id: 'a2', is_done: true })
    expect(applied.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2'])
    expect(status()).toEqual({ put_off: 0, oldest_ms: 0 })
  })

  it('of a locked enterprise are left to the provider beyond 2,000', async () => {
    const { add, locks, status } = setUp()
    locks.add('a')
    await add([message('a', 0)])
    const taken = await add(messages('a', 2500))
    expect(taken.flatMap(({ later }) => later ?? []).length).toBe(status().put_off - 1)
    expect(status().put_off).toBeLessThanOrEqual(2000)
    expect(taken.filter(({ is_done }) => is_done)).toEqual([])
    locks.clear()
    await vi.waitFor(() => expect(status().put_off).toBe(0), { timeout: 5000 })
  })

  it('that cannot be applied are reported as such', async () => {
    const { add } = createNotificationQueue({
      apply: () =>
        Promise.resolve(
          new Map([
            ['a0', 'again'],
            ['a1', 'faulty'],
          ]),
        ),
      onPutOff: () => undefined,
    })
    expect(await add(messages('a', 3))).toEqual([
      { message_id: 'a0', is_done: false },
      { message_id: 'a1', is_done: false, is_faulty: true },
      { message_id: 'a2', is_done: true },
    ])
  })
})
