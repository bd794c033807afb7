import { describe, expect, it } from 'vitest'
import { hoursOf, shiftsOf } from './shifts.ts'

const HOUR = 3_600_000
const LONGEST = 16
const start = (hour: number) => ({ action_type: 'shift_start' as const, at_ms: hour * HOUR })
const end = (hour: number) => ({ action_type: 'shift_end' as const, at_ms: hour * HOUR })
const read = (events: Parameters<typeof shiftsOf>[0], untilHour: number) =>
  shiftsOf(events, untilHour * HOUR, LONGEST).map(({ started_ms, ended_ms, how }) => [
    started_ms === null ? null : started_ms / HOUR,
    ended_ms === null ? null : ended_ms / HOUR,
    how,
  ])

describe('shifts are derived from their events', () => {
  it.each([
    ['begun and ended', [start(8), end(17)], 24, [[8, 17, 'ended']]],
    [
      'begun before what was read',
      [end(2), start(8), end(9)],
      24,
      [
        [null, 2, 'ended'],
        [8, 9, 'ended'],
      ],
    ],
    ['still open', [start(8)], 12, [[8, null, 'open']]],
    ['never ended', [start(8)], 40, [[8, 24, 'expired']]],
    ['ended too late to belong to it', [start(8), end(30)], 40, [[8, 24, 'expired']]],
    [
      'begun again without an end',
      [start(8), start(12), end(14)],
      24,
      [
        [8, 12, 'expired'],
        [12, 14, 'ended'],
      ],
    ],
    ['ended twice', [start(8), end(9), end(10)], 24, [[8, 9, 'ended']]],
    ['none', [], 24, []],
  ] as const)('%s', (_, events, until, expected) => {
    expect(read(events, until)).toEqual(expected)
  })

  it('and last until their end, or until now while they are open', () => {
    const shifts = shiftsOf([end(1), start(8), end(17), start(30)], 33 * HOUR, LONGEST)
    expect(hoursOf(shifts, 33 * HOUR)).toBe(12)
  })
})
