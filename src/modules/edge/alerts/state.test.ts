import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AlertRule,
  type AlertState,
  CATCH_UP_MINUTES,
  countedTime,
  dueSpan,
  judge,
  type MinuteCounts,
  minuteOf,
  type Transition,
} from './state.ts'

const START = minuteOf(new Date('2026-03-01T10:00:00Z'))
const time = (minute: number) => new Date((START + minute) * 60_000)
const RULE: AlertRule = { threshold: 3, window_minutes: 5, created_at: time(0) }
const NEW: AlertState = {
  status: 'ok',
  last_fired_at: null,
  last_resolved_at: null,
  evaluated_until: time(0),
}

/** How many logs happened in which minute after the start. */
const logs = (counts: Record<number, number>): MinuteCounts =>
  new Map(Object.entries(counts).map(([minute, count]) => [START + Number(minute), count]))

type Looked = { state: AlertState; transitions: Transition[] }

function look(
  state: AlertState,
  minute: number,
  counts: MinuteCounts,
  { rule = RULE, lateness = 2 }: { rule?: AlertRule; lateness?: number } = {},
): Looked {
  const span = dueSpan(state, time(minute))
  if (!span) return { state, transitions: [] }
  return judge(state, rule, { counts, span, lateness_minutes: lateness })
}

const fired = (minute: number) => ({ kind: 'fired', at: time(minute) })
const resolved = (minute: number) => ({ kind: 'resolved', at: time(minute) })

describe('an alert', () => {
  it('fires when a window holds the threshold, and not with one log less', () => {
    expect(look(NEW, 1, logs({ 0: 3 })).transitions).toEqual([fired(1)])
    expect(look(NEW, 1, logs({ 0: 2 })).transitions).toEqual([])
    const spread = look(NEW, 5, logs({ 0: 1, 2: 1, 4: 1 }))
    expect(spread.transitions).toEqual([fired(5)])
    expect(look(NEW, 6, logs({ 0: 1, 2: 1, 5: 1 })).transitions).toEqual([])
  })

  it('says since when it fires, and fires once for as long as it goes on', () => {
    let found = look(NEW, 1, logs({ 0: 9 }))
    expect(found.state).toEqual({
      status: 'firing',
      last_fired_at: time(1),
      last_resolved_at: null,
      evaluated_until: time(1),
    })
    for (let minute = 2; minute <= 7; minute += 1) {
      found = look(found.state, minute, logs({ 0: 9 }))
      expect(found).toMatchObject({ transitions: [], state: { last_fired_at: time(1) } })
    }
    // The last window with the nine logs ended at minute 5, and two more minutes are waited for.
    found = look(found.state, 8, logs({ 0: 9 }))
    expect(found).toMatchObject({
      transitions: [resolved(8)],
      state: { status: 'ok', last_fired_at: time(1), last_resolved_at: time(8) },
    })
  })

  it('fires again for what happens after it was resolved', () => {
    const found = look(NEW, 30, logs({ 0: 3, 20: 3 }))
    expect(found.transitions).toEqual([fired(1), resolved(8), fired(21), resolved(28)])
  })

  it('counts what comes late, within the lateness, for the time when it happened', () => {
    const rule = { ...RULE, window_minutes: 1 }
    const quiet = look(NEW, 10, logs({}), { rule }).state
    // Happened in the minute that ended at 9, which was judged at 9 and at 10 already.
    expect(look(quiet, 11, logs({ 8: 3 }), { rule }).transitions).toEqual([fired(11)])
    expect(look(quiet, 11, logs({ 7: 3 }), { rule }).transitions).toEqual([])
  })

  it('does not look at the time after now, whatever a clock of a device says', () => {
    expect(look(NEW, 5, logs({ 5: 99, 6: 99, 40_000_000: 99 })).transitions).toEqual([])
  })

  it('does not look at windows that ended before it was made', () => {
    const rule = { ...RULE, window_minutes: 1, created_at: new Date(time(0).getTime() + 30_000) }
    expect(look(NEW, 5, logs({ [-1]: 9, [-2]: 9 }), { rule }).transitions).toEqual([])
    expect(look(NEW, 5, logs({ 0: 9 }), { rule }).transitions).toEqual([fired(1), resolved(4)])
  })

  it('resolves at once where no lateness is allowed', () => {
    const rule = { ...RULE, window_minutes: 1 }
    const found = look(NEW, 4, logs({ 1: 3 }), { rule, lateness: 0 })
    expect(found.transitions).toEqual([fired(2), resolved(3)])
  })

  it('looks at the last hour only when nobody looked for longer', () => {
    const found = look(NEW, 600, logs({ 100: 9, 541: 9 }))
    expect(found.transitions).toEqual([fired(542), resolved(549)])
    expect(found.state.evaluated_until).toEqual(time(600))
    expect(dueSpan(NEW, time(600))).toEqual({
      first: START + 600 - CATCH_UP_MINUTES + 1,
      last: START + 600,
    })
  })

  it('has nothing to judge within the same minute, or when a clock went back', () => {
    const { state } = look(NEW, 5, logs({}))
    expect(dueSpan(state, new Date(time(6).getTime() - 1))).toBeUndefined()
    expect(dueSpan(state, time(-500))).toBeUndefined()
  })
})

const MINUTES = 90
const rules = fc.record({
  threshold: fc.integer({ min: 1, max: 6 }),
  window_minutes: fc.integer({ min: 1, max: 12 }),
  created_at: fc.constant(time(0)),
})
const latenesses = fc.integer({ min: 0, max: 10 })
const manyCounts = fc
  .array(fc.tuple(fc.integer({ min: -20, max: MINUTES }), fc.integer({ min: 1, max: 4 })), {
    maxLength: 40,
  })
  .map((pairs) => logs(Object.fromEntries(pairs)))

/** Minutes at which somebody looked. */
const looks = fc
  .uniqueArray(fc.integer({ min: 1, max: MINUTES }), { minLength: 1, maxLength: MINUTES })
  .map((minutes) => minutes.toSorted((a, b) => a - b))
  // Never longer than an hour without anyone.
  .map((minutes) => [...new Set([...minutes, 45, MINUTES])].toSorted((a, b) => a - b))

function lookAt(
  minutes: readonly number[],
  countsAt: (minute: number) => MinuteCounts,
  options: { rule: AlertRule; lateness: number },
): Looked {
  let state = NEW
  const transitions: Transition[] = []
  for (const minute of minutes) {
    const found = look(state, minute, countsAt(minute), options)
    state = found.state
    transitions.push(...found.transitions)
  }
  return { state, transitions }
}

const holds = (counts: MinuteCounts, { window_minutes, threshold }: AlertRule, end: number) => {
  let sum = 0
  for (let minute = end - window_minutes; minute < end; minute += 1) {
    sum += counts.get(START + minute) ?? 0
  }
  return end > 0 && sum >= threshold
}

describe('for any rule and any logs', () => {
  it('it makes no difference how often somebody looks, or who was started again between', () => {
    fc.assert(
      fc.property(rules, latenesses, manyCounts, looks, (rule, lateness, counts, minutes) => {
        const everyMinute = Array.from({ length: MINUTES }, (_, index) => index + 1)
        const options = { rule, lateness }
        const often = lookAt(everyMinute, () => counts, options)
        expect(lookAt(minutes, () => counts, options)).toEqual(often)
      }),
    )
  })

  it('it fires if and only if a window holds the threshold', () => {
    fc.assert(
      fc.property(rules, latenesses, manyCounts, looks, (rule, lateness, counts, minutes) => {
        const { transitions } = lookAt(minutes, () => counts, { rule, lateness })
        const everyEnd = Array.from({ length: MINUTES }, (_, index) => index + 1)
        const isReached = everyEnd.some((end) => holds(counts, rule, end))
        expect(transitions.length > 0).toBe(isReached)
      }),
    )
  })

  it('what is counted outside of the time that was asked for changes nothing', () => {
    fc.assert(
      fc.property(rules, latenesses, manyCounts, (rule, lateness, counts) => {
        const span = { first: START + 30, last: START + 50 }
        const { from, until } = countedTime(rule, span, lateness)
        const within = new Map(
          [...counts].filter(([minute]) => minute >= minuteOf(from) && minute < minuteOf(until)),
        )
        const all = judge(NEW, rule, { counts, span, lateness_minutes: lateness })
        expect(judge(NEW, rule, { counts: within, span, lateness_minutes: lateness })).toEqual(all)
      }),
    )
  })

  it('logs that come late, but not too late, never fire the same breach twice', () => {
    const arriving = fc.array(
      fc.record({
        minute: fc.integer({ min: 0, max: MINUTES - 1 }),
        /** How late, as a part of what is allowed. */
        delay: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(rules, latenesses, arriving, looks, (rule, lateness, entries, minutes) => {
        const arrivedBy = (end: number): MinuteCounts => {
          const counts = new Map<number, number>()
          for (const { minute, delay } of entries) {
            if (minute + delay * lateness >= end) continue
            counts.set(START + minute, (counts.get(START + minute) ?? 0) + 1)
          }
          return counts
        }
        const { transitions } = lookAt(minutes, arrivedBy, { rule, lateness })
        const all = arrivedBy(Number.POSITIVE_INFINITY)
        transitions.forEach(({ kind, at }, index) => {
          expect(kind).toBe(index % 2 === 0 ? 'fired' : 'resolved')
          const before = transitions[index - 1]
          if (!before) return
          expect(at.getTime()).toBeGreaterThan(before.at.getTime())
          if (kind === 'resolved') return
          // Since the firing before, a window had ended without the threshold, and nothing that
          // came later has filled it.
          const quiet = minuteOf(before.at) - START - lateness
          expect(holds(all, rule, quiet)).toBe(false)
        })
      }),
    )
  })
})
