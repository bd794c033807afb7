import { describe, expect, it } from 'vitest'
import type { Broadcasts, Sending } from './push-broadcast.ts'
import type { Fairness } from './push-fairness.ts'
import { aimLines, type PushReport, printPush } from './push-report.ts'

const sending = (perSecond: number): Sending => ({
  per_second: perSecond,
  connections: 4,
  cpu_us: { service: 90, postgres: 30, provider: 80, sender: 0 },
})
const BROADCASTS: Broadcasts = {
  recipients: 100_000,
  connections: 4,
  in_flight: 750,
  path: sending(7500),
  sender: sending(9000),
  raw: sending(10_000),
  ratio: 0.75,
  ratio_each: [0.72, 0.75, 0.81],
  sender_ratio: 0.9,
  expanded_per_second: 80_000,
  settled_ms: 40,
  loop: { p99_ms: 30, max_ms: 50 },
  memory: {
    ready_mb: 190,
    rounds: [
      [240, 300, 330],
      [250, 310, 340],
      [260, 320, 350],
    ],
  },
  taken_elsewhere: 0.02,
}
const FAIRNESS: Fairness = {
  probes: 20,
  alone: { p50_ms: 20, p99_ms: 40, max_ms: 50 },
  beside_broadcast: { p50_ms: 90, p99_ms: 300, max_ms: 400 },
  left: 60_000,
}
const GOOD: PushReport = { machine: 'two cores', broadcasts: BROADCASTS, fairness: FAIRNESS }

const verdicts = (broadcasts: Partial<Broadcasts> = {}, fairness: Partial<Fairness> = {}) =>
  aimLines({
    broadcasts: { ...BROADCASTS, ...broadcasts },
    fairness: { ...FAIRNESS, ...fairness },
  })
    .slice(1)
    .map((line) => line.trim().split(' ')[0])

describe('the aims of push', () => {
  it('are met by good numbers', () => {
    expect(verdicts()).toEqual(['met', 'met', 'met'])
  })

  it('are about the ratio, the growth from the first broadcast to the last, and the slowest probe', () => {
    const slow = { p50_ms: 10, p99_ms: 10, max_ms: 2500 }
    expect(verdicts({ ratio: 0.69 })).toEqual(['MISSED', 'met', 'met'])
    const growing = { ...BROADCASTS.memory, rounds: [[200], [400], [251]] }
    expect(verdicts({ memory: growing })).toEqual(['met', 'MISSED', 'met'])
    expect(verdicts({}, { beside_broadcast: slow })).toEqual(['met', 'met', 'MISSED'])
  })

  it('are not met by probes that the broadcast did not last for', () => {
    expect(verdicts({}, { left: 0 })).toEqual(['met', 'met', 'MISSED'])
  })

  it('say nothing about growth after a single broadcast', () => {
    expect(verdicts({ memory: { ready_mb: 190, rounds: [[300]] } })).toEqual(['met', 'met'])
  })
})

it('prints each broadcast with its memory, and the ratio with its range', () => {
  const text = printPush(GOOD)
  expect(text).toContain('(least, most): 0.75 0.72 0.81')
  expect(text).toMatch(/^ +2 +250 +310 +340$/m)
  expect(text).toMatch(/^ *beside a broadcast +90\.00 +400\.00$/m)
})
