/** Tests the arithmetic of the vitals. The tests in test/browser cover the entries of browsers. */
import { describe, expect, it } from 'vitest'
import { createInteractionScore } from './interactions.ts'
import { createLayoutShiftScore } from './layout-shift.ts'

describe('Cumulative Layout Shift', () => {
  const scoreOf = (...shifts: [startTime: number, value: number, hadRecentInput?: boolean][]) => {
    const score = createLayoutShiftScore()
    for (const [startTime, value, hadRecentInput = false] of shifts) {
      score.add({ startTime, value, hadRecentInput })
    }
    return Math.round(score.value() * 1e6) / 1e6
  }

  it('is 0 without shifts', () => expect(scoreOf()).toBe(0))

  it('adds shifts that are less than a second apart', () =>
    expect(scoreOf([0, 0.1], [999, 0.1], [1_998, 0.1])).toBe(0.3))

  it('starts a new window after a second, and is the largest window', () =>
    expect(scoreOf([0, 0.1], [500, 0.2], [1_500, 0.25])).toBe(0.3))

  it('limits a window to 5 seconds', () => {
    const eachHalfSecond = Array.from({ length: 20 }, (_, index) => index * 500)
    expect(scoreOf(...eachHalfSecond.map((at): [number, number] => [at, 0.01]))).toBe(0.1)
  })

  it('ignores shifts that follow an input of the user', () =>
    expect(scoreOf([0, 0.1], [100, 5, true], [200, 0.1])).toBe(0.2))
})

describe('Interaction to Next Paint', () => {
  const scoreOf = (durations: number[], count?: number) => {
    const score = createInteractionScore()
    durations.forEach((duration, index) => score.add({ duration, interactionId: 100 + index * 7 }))
    return score.value(count)
  }

  it('is undefined before the first interaction', () => {
    expect(scoreOf([])).toBeUndefined()
    const score = createInteractionScore()
    score.add({ duration: 500, interactionId: 0 })
    expect(score.value()).toBeUndefined()
  })

  it('is the longest of up to 49 interactions', () =>
    expect(scoreOf([40, 300, 80, ...Array<number>(46).fill(48)])).toBe(300))

  it('ignores one for each 50 interactions, observed or counted by the browser', () => {
    expect(scoreOf([40, 300, 80, ...Array<number>(47).fill(48)])).toBe(80)
    expect(scoreOf([40, 300, 80], 100)).toBe(40)
    expect(scoreOf([40, 300, 80], 5_000)).toBe(40)
  })

  it('measures an interaction of several events by the longest of them', () => {
    const score = createInteractionScore()
    for (const duration of [80, 200, 120]) score.add({ duration, interactionId: 7 })
    expect(score.value(3)).toBe(200)
    expect(score.value(60)).toBe(200)
  })
})
