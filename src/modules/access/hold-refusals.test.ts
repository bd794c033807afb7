import { setImmediate as settle } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createHold, HELD_MAX, HOLD_MAX_MS, HOLD_MIN_MS } from './hold-refusals.ts'

/** Holds many refusals. `release` ends all delays, and `sent` counts the refusals that may be sent. */
function holdMany(count: number) {
  const delays_ms: number[] = []
  const releases: (() => void)[] = []
  let sent = 0
  const hold = createHold((ms) => {
    delays_ms.push(ms)
    return new Promise<void>((resolve) => releases.push(resolve))
  })
  const more = (added: number) => {
    for (let index = 0; index < added; index += 1) void hold().then(() => (sent += 1))
  }
  more(count)
  const release = () => releases.splice(0).forEach((end) => end())
  return { delays_ms, release, more, sent: async () => (await settle(), sent) }
}

describe('a refusal', () => {
  it('is sent after one to four seconds, not together with the others', async () => {
    const { delays_ms, release, sent } = holdMany(200)
    expect(Math.min(...delays_ms)).toBeGreaterThanOrEqual(HOLD_MIN_MS)
    expect(Math.max(...delays_ms)).toBeLessThan(HOLD_MAX_MS)
    expect(new Set(delays_ms).size).toBeGreaterThan(100)
    expect(await sent()).toBe(0)
    release()
    expect(await sent()).toBe(200)
  })

  it('is sent immediately while too many others are held', async () => {
    const { release, more, sent } = holdMany(HELD_MAX + 5)
    expect(await sent()).toBe(5)
    release()
    expect(await sent()).toBe(HELD_MAX + 5)
    more(1)
    expect(await sent()).toBe(HELD_MAX + 5)
  })
})
