import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createSpoolGauge, type WaitingBytes } from './gauge.ts'

const log = createLog('silent')
const NEVER_MS = 1_000_000
const [A, B, C] = ['a', 'b', 'c']

function gaugeOf(readings: (() => Promise<WaitingBytes>)[], every_ms = 0) {
  let count = 0
  const gauge = createSpoolGauge({
    read: async () => {
      const reading = readings[Math.min(count, readings.length - 1)]
      count += 1
      return (await reading?.()) ?? { total: 0, by_organization: new Map() }
    },
    max_bytes: 100,
    log,
    every_ms,
  })
  return { ...gauge, count: () => count }
}
const of = (bytes: Record<string, number>) => () =>
  Promise.resolve({
    total: Object.values(bytes).reduce((sum, one) => sum + one, 0),
    by_organization: new Map(Object.entries(bytes)),
  })

describe('the size of the spool', () => {
  it('is known after a read, for which no caller waits', async () => {
    const gauge = gaugeOf([of({ a: 101 }), of({ a: 50 })])
    expect(gauge.fullFor(A)).toBeUndefined()
    await vi.waitFor(() => expect(gauge.fullFor(A)).toBeGreaterThan(0), 10_000)
    await vi.waitFor(() => expect(gauge.fullFor(A)).toBeUndefined(), 10_000)
  })

  it('includes what was added since the last read', async () => {
    const gauge = gaugeOf([of({ a: 30 })], NEVER_MS)
    gauge.fullFor(A)
    await nextTurn()
    gauge.add(A, 20)
    expect(gauge.fullFor(A)).toBeUndefined()
    gauge.add(A, 1)
    expect(gauge.fullFor(A)).toBeGreaterThan(0)
  })

  it('includes what was added during a read, once', async () => {
    let answer: (bytes: WaitingBytes) => void = () => undefined
    const slow = async () => await new Promise<WaitingBytes>((resolve) => (answer = resolve))
    const gauge = gaugeOf([slow, of({ a: 0 })], NEVER_MS)
    gauge.add(A, 30)
    gauge.fullFor(A)
    gauge.add(A, 21)
    answer({ total: 29, by_organization: new Map([[A, 29]]) })
    await nextTurn()
    expect(gauge.fullFor(A)).toBeUndefined()
    gauge.add(A, 1)
    expect(gauge.fullFor(A)).toBeGreaterThan(0)
  })

  it('is not read more often than allowed', async () => {
    const gauge = gaugeOf([of({})], NEVER_MS)
    for (let index = 0; index < 100; index += 1) {
      gauge.fullFor(A)
      await Promise.resolve()
    }
    expect(gauge.count()).toBe(1)
  })

  it('keeps its last value if it cannot be read', async () => {
    const gauge = gaugeOf([of({ a: 101 }), () => Promise.reject(new Error('unavailable'))])
    await vi.waitFor(() => expect(gauge.fullFor(A)).toBeGreaterThan(0), 10_000)
    await vi.waitFor(() => {
      gauge.fullFor(A)
      expect(gauge.count()).toBeGreaterThan(3)
    }, 10_000)
    expect(gauge.fullFor(A)).toBeGreaterThan(0)
  })
})

describe('the share of an organization', () => {
  const readingOf = async (bytes: Record<string, number>) => {
    const gauge = gaugeOf([of(bytes)], NEVER_MS)
    gauge.fullFor(A)
    await nextTurn()
    return (orgId: string) => gauge.fullFor(orgId) === undefined
  }

  it('is half of the spool while no other organization has anything in it', async () => {
    expect((await readingOf({ a: 50 }))(A)).toBe(true)
    const mayAdd = await readingOf({ a: 51 })
    expect([mayAdd(A), mayAdd(B)]).toEqual([false, true])
  })

  it('is what is free, so that several cannot keep out another one', async () => {
    const mayAdd = await readingOf({ a: 40, b: 40 })
    expect([mayAdd(A), mayAdd(B), mayAdd(C)]).toEqual([false, false, true])
  })

  it('is nothing in a full spool', async () => {
    expect((await readingOf({ a: 50, b: 51 }))(C)).toBe(false)
  })
})
