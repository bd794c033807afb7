import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addShiftEvent, type ShiftEvent, shiftAt } from './shifts.ts'

const RULES = { grace_minutes: 10, longest_hours: 16 }
const HOUR = 3_600_000
const MINUTE = 60_000
const at = (hour: number, minute = 0) => hour * HOUR + minute * MINUTE

const fold = (events: readonly ShiftEvent[]) =>
  events.reduce<readonly ShiftEvent[]>((list, event) => addShiftEvent(list, event), [])

describe('a shift', () => {
  const day = fold([
    [at(9), 'start'],
    [at(17), 'end'],
  ])

  it.each([
    ['before anything is known', at(8), 'unknown'],
    ['when it has begun', at(9), 'open'],
    ['within ten minutes of its end', at(17, 10), 'grace'],
    ['after that', at(17, 11), 'closed'],
    ['the next morning', at(33), 'closed'],
  ])('is assessed %s', (_, when, state) => {
    expect(shiftAt(day, when, RULES).state).toBe(state)
  })

  it('without an end event is over after sixteen hours', () => {
    const open = fold([[at(9), 'start']])
    expect(shiftAt(open, at(25), RULES)).toEqual({ state: 'open' })
    expect(shiftAt(open, at(25, 1), RULES)).toEqual({
      state: 'closed',
      ended_at: at(25),
      how: 'expired',
    })
  })

  it('that follows another at the same instant is open', () => {
    const list = fold([
      [at(17), 'start'],
      [at(17), 'end'],
    ])
    expect(shiftAt(list, at(17, 30), RULES)).toEqual({ state: 'open' })
  })
})

describe('shift events', () => {
  const event: fc.Arbitrary<ShiftEvent> = fc.tuple(
    fc.integer({ min: 0, max: 200 }).map((n) => n * 10 * MINUTE),
    fc.constantFrom('start' as const, 'end' as const),
  )

  it('have the same result in any order of arrival, and when repeated', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 20 }),
        fc.infiniteStream(fc.nat()),
        (events, randoms) => {
          const again = [...events, ...events.slice(0, 3)]
          const shuffled = again
            .map((each) => ({ each, key: randoms.next().value as number }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ each }) => each)
          expect(fold(shuffled)).toEqual(fold(events))
        },
      ),
    )
  })

  it('are stored in a bounded number', () => {
    const many = Array.from({ length: 100 }, (_, n): ShiftEvent => [n * HOUR, 'start'])
    expect(fold(many).length).toBeLessThanOrEqual(8)
    expect(fold(many).at(-1)).toEqual([99 * HOUR, 'start'])
  })
})
