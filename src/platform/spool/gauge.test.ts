import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createSpoolGauge } from './gauge.ts'

const log = createLog('silent')
const NEVER_MS = 1_000_000

function gaugeOf(readings: (() => Promise<number>)[], every_ms = 0) {
  let count = 0
  const gauge = createSpoolGauge({
    read: async () => {
      const reading = readings[Math.min(count, readings.length - 1)]
      count += 1
      return (await reading?.()) ?? 0
    },
    max_bytes: 100,
    log,
    every_ms,
  })
  return { ...gauge, count: () => count }
}
const of = (bytes: number) => () => Promise.resolve(bytes)

describe('how full the spool is', () => {
  it('is known when it was read, and never waited for', async () => {
    const gauge = gaugeOf([of(101), of(100)])
    expect(gauge.fullFor()).toBeUndefined()
    await vi.waitFor(() => expect(gauge.fullFor()).toBeGreaterThan(0))
    await vi.waitFor(() => expect(gauge.fullFor()).toBeUndefined())
  })

  it('counts what was added since it was read', async () => {
    const gauge = gaugeOf([of(60)], NEVER_MS)
    gauge.fullFor()
    await nextTurn()
    gauge.note(40)
    expect(gauge.fullFor()).toBeUndefined()
    gauge.note(1)
    expect(gauge.fullFor()).toBeGreaterThan(0)
  })

  it('is not read more often than it may', async () => {
    const gauge = gaugeOf([of(0)], NEVER_MS)
    for (let index = 0; index < 100; index += 1) {
      gauge.fullFor()
      await Promise.resolve()
    }
    expect(gauge.count()).toBe(1)
  })

  it('stays as it was when it cannot be read', async () => {
    const gauge = gaugeOf([of(101), () => Promise.reject(new Error('away'))])
    await vi.waitFor(() => expect(gauge.fullFor()).toBeGreaterThan(0))
    await vi.waitFor(() => {
      gauge.fullFor()
      expect(gauge.count()).toBeGreaterThan(3)
    })
    expect(gauge.fullFor()).toBeGreaterThan(0)
  })
})
