import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createStoryClock } from './clock.ts'

const T1 = Date.UTC(2026, 1, 1)
const T2 = Date.UTC(2026, 1, 2)

describe('the clock of the story', () => {
  it('is that of the system until it is frozen, and again when it follows', () => {
    const clock = createStoryClock()
    const isNow = () => Math.abs(clock.now().getTime() - Date.now()) < 5000
    expect(isNow()).toBe(true)
    clock.freezeAt(T1)
    expect(clock.now().getTime()).toBe(T1)
    clock.follow()
    expect(isNow()).toBe(true)
  })

  it('keeps the time of each piece of work, also after it has awaited something', async () => {
    const clock = createStoryClock()
    clock.freezeAt(0)
    const readLater = async () => {
      await pause(1)
      return clock.now().getTime()
    }
    const times = await Promise.all([clock.runAt(T1, readLater), clock.runAt(T2, readLater)])
    expect(times).toEqual([T1, T2])
    expect(clock.now().getTime()).toBe(0)
  })

  it('gives work that was left running the common time once that changes', async () => {
    const clock = createStoryClock()
    let later: Promise<number> = Promise.resolve(0)
    await clock.runAt(T1, () => {
      later = pause(5).then(() => clock.now().getTime())
      return Promise.resolve()
    })
    clock.freezeAt(T2)
    expect(await later).toBe(T2)
  })
})
