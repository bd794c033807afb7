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

/** Number of logs by the minute after the start. */
const logs = (counts: Record<number, number>): MinuteCounts =>
  new Map(Object.entries(counts).map(([minute, count]) => [START + Number(minute), count]))

type Evaluated = { state: AlertState; transitions: Transition[] }

function evaluateAt(
  state: AlertState,
  minute: number,
  counts: MinuteCounts,
  { rule = RULE, lateness = 2 }: { rule?: AlertRule; lateness?: number } = {},
): Evaluated {
  const span = dueSpan(state, time(minute))
  if (!span) return { state, transitions: [] }
  return judge(state, rule, { counts, span, lateness_minutes: lateness })
}

const fired = (minute: number) => ({ kind: 'fired', at: time(minute) })
const resolved = (minute: number) => ({ kind: 'resolved', at: time(minute) })

describe('an alert about absence', () => {
  const ABSENCE: AlertRule = { ...RULE, kind: 'absence', threshold: 1 }
  const at = (minute: number, counts: MinuteCounts, state = NEW) =>
    evaluateAt(state, minute, counts, { rule: ABSENCE })
  // Before it was created, the device logged every minute.
  const before = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [-index, 1]))

  it('fires when no window within the lateness has a log, and ends with the next log', () => {
    const found = at(20, logs({ ...before, 12: 1 }))
    expect(found.transitions).toEqual([fired(8), resolved(13), fired(20)])
    expect(at(7, logs(before)).transitions).toEqual([])
  })

  it('waits for logs that arrive late, and does not fire when they fill the gap', () => {
    expect(at(8, logs({ ...before, 4: 1 })).transitions).toEqual([])
    expect(at(11, logs({ ...before, 4: 1 })).transitions).toEqual([])
    expect(at(12, logs({ ...before, 4: 1 })).transitions).toEqual([fired(12)])
  })

  it('does not take the time before its creation for silence', () => {
    expect(at(2, logs({})).transitions).toEqual([])
    expect(at(3, logs({})).transitions).toEqual([fired(3)])
  })

  it('can ask for more than one log', () => {
    const rule: AlertRule = { ...ABSENCE, threshold: 3 }
    const steady = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [index - 9, 1]))
    expect(evaluateAt(NEW, 30, logs(steady), { rule }).transitions).toEqual([])
    expect(
      evaluateAt(NEW, 30, logs(steady), { rule: { ...rule, threshold: 6 } }).transitions,
    ).toEqual([fired(3)])
  })
})

describe('an alert about a ratio', () => {
  const RATIO: AlertRule = { ...RULE, kind: 'ratio', ratio_percent: 50 }
  const judged = (counts: MinuteCounts, totals: MinuteCounts) =>
    judge(NEW, RATIO, {
      counts,
      totals,
      span: { first: START + 1, last: START + 1 },
      lateness_minutes: 2,
    }).transitions

  it('needs both the least number of logs and the least share of all', () => {
    expect(judged(logs({ 0: 3 }), logs({ 0: 6 }))).toEqual([fired(1)])
    expect(judged(logs({ 0: 3 }), logs({ 0: 7 }))).toEqual([])
    expect(judged(logs({ 0: 2 }), logs({ 0: 2 }))).toEqual([])
    expect(judged(logs({ [-1]: 1, 0: 2 }), logs({ [-3]: 4, 0: 2 }))).toEqual([fired(1)])
  })
})

describe('an alert', () => {
  it('fires when a window holds the threshold, and not with one log less', () => {
    expect(evaluateAt(NEW, 1, logs({ 0: 3 })).transitions).toEqual([fired(1)])
    expect(evaluateAt(NEW, 1, logs({ 0: 2 })).transitions).toEqual([])
    const spread = evaluateAt(NEW, 5, logs({ 0: 1, 2: 1, 4: 1 }))
    expect(spread.transitions).toEqual([fired(5)])
    expect(evaluateAt(NEW, 6, logs({ 0: 1, 2: 1, 5: 1 })).transitions).toEqual([])
  })

  it('records since when it fires and fires once while the condition lasts', () => {
    let found = evaluateAt(NEW, 1, logs({ 0: 9 }))
    expect(found.state).toEqual({
      status: 'firing',
      last_fired_at: time(1),
      last_resolved_at: null,
      evaluated_until: time(1),
    })
    for (let minute = 2; minute <= 7; minute += 1) {
      found = evaluateAt(found.state, minute, logs({ 0: 9 }))
      expect(found).toMatchObject({ transitions: [], state: { last_fired_at: time(1) } })
    }
    // The last window with the nine logs ended at minute 5, and the lateness adds two minutes.
    found = evaluateAt(found.state, 8, logs({ 0: 9 }))
    expect(found).toMatchObject({
      transitions: [resolved(8)],
      state: { status: 'ok', last_fired_at: time(1), last_resolved_at: time(8) },
    })
  })

  it('fires again for logs that happen after it was resolved', () => {
    const found = evaluateAt(NEW, 30, logs({ 0: 3, 20: 3 }))
    expect(found.transitions).toEqual([fired(1), resolved(8), fired(21), resolved(28)])
  })

  it('counts logs that arrive within the lateness for the time when they happened', () => {
    const rule = { ...RULE, window_minutes: 1 }
    const quiet = evaluateAt(NEW, 10, logs({}), { rule }).state
    // These logs happened in the minute that ended at 9, which was evaluated at 9 and at 10 already.
    expect(evaluateAt(quiet, 11, logs({ 8: 3 }), { rule }).transitions).toEqual([fired(11)])
    expect(evaluateAt(quiet, 11, logs({ 7: 3 }), { rule }).transitions).toEqual([])
  })

  it('ignores logs in the future, which come from devices with wrong clocks', () => {
    expect(evaluateAt(NEW, 5, logs({ 5: 99, 6: 99, 40_000_000: 99 })).transitions).toEqual([])
  })

  it('ignores windows that ended before it was created', () => {
    const rule = { ...RULE, window_minutes: 1, created_at: new Date(time(0).getTime() + 30_000) }
    expect(evaluateAt(NEW, 5, logs({ [-1]: 9, [-2]: 9 }), { rule }).transitions).toEqual([])
    expect(evaluateAt(NEW, 5, logs({ 0: 9 }), { rule }).transitions).toEqual([
      fired(1),
      resolved(4),
    ])
  })

  it('resolves immediately if no lateness is allowed', () => {
    const rule = { ...RULE, window_minutes: 1 }
    const found = evaluateAt(NEW, 4, logs({ 1: 3 }), { rule, lateness: 0 })
    expect(found.transitions).toEqual([fired(2), resolved(3)])
  })

  it('covers only the last hour after a longer gap in the evaluation', () => {
    const found = evaluateAt(NEW, 600, logs({ 100: 9, 541: 9 }))
    expect(found.transitions).toEqual([fired(542), resolved(549)])
    expect(found.state.evaluated_until).toEqual(time(600))
    expect(dueSpan(NEW, time(600))).toEqual({
      first: START + 600 - CATCH_UP_MINUTES + 1,
      last: START + 600,
    })
  })

  it('has nothing to evaluate within the same minute or when a clock went back', () => {
    const { state } = evaluateAt(NEW, 5, logs({}))
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

/** Minutes at which an evaluation ran. */
const evaluationMinutes = fc
  .uniqueArray(fc.integer({ min: 1, max: MINUTES }), { minLength: 1, maxLength: MINUTES })
  .map((minutes) => minutes.toSorted((a, b) => a - b))
  // No gap is longer than the hour that an evaluation catches up on.
  .map((minutes) => [...new Set([...minutes, 45, MINUTES])].toSorted((a, b) => a - b))

function evaluateEach(
  minutes: readonly number[],
  countsAt: (minute: number) => MinuteCounts,
  options: { rule: AlertRule; lateness: number },
): Evaluated {
  let state = NEW
  const transitions: Transition[] = []
  for (const minute of minutes) {
    const found = evaluateAt(state, minute, countsAt(minute), options)
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
  it('the result does not depend on how often the evaluation runs', () => {
    fc.assert(
      fc.property(
        rules,
        latenesses,
        manyCounts,
        evaluationMinutes,
        (rule, lateness, counts, minutes) => {
          const everyMinute = Array.from({ length: MINUTES }, (_, index) => index + 1)
          const options = { rule, lateness }
          const often = evaluateEach(everyMinute, () => counts, options)
          expect(evaluateEach(minutes, () => counts, options)).toEqual(often)
        },
      ),
    )
  })

  it('it fires if and only if a window holds the threshold', () => {
    fc.assert(
      fc.property(
        rules,
        latenesses,
        manyCounts,
        evaluationMinutes,
        (rule, lateness, counts, minutes) => {
          const { transitions } = evaluateEach(minutes, () => counts, { rule, lateness })
          const everyEnd = Array.from({ length: MINUTES }, (_, index) => index + 1)
          const isReached = everyEnd.some((end) => holds(counts, rule, end))
          expect(transitions.length > 0).toBe(isReached)
        },
      ),
    )
  })

  it('counts outside of the counted period change nothing', () => {
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

  it('logs that arrive within the lateness never fire for the same breach twice', () => {
    const arriving = fc.array(
      fc.record({
        minute: fc.integer({ min: 0, max: MINUTES - 1 }),
        /** Delay as a fraction of the lateness. */
        delay: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(
        rules,
        latenesses,
        arriving,
        evaluationMinutes,
        (rule, lateness, entries, minutes) => {
          const arrivedBy = (end: number): MinuteCounts => {
            const counts = new Map<number, number>()
            for (const { minute, delay } of entries) {
              if (minute + delay * lateness >= end) continue
              counts.set(START + minute, (counts.get(START + minute) ?? 0) + 1)
            }
            return counts
          }
          const { transitions } = evaluateEach(minutes, arrivedBy, { rule, lateness })
          const all = arrivedBy(Number.POSITIVE_INFINITY)
          transitions.forEach(({ kind, at }, index) => {
            expect(kind).toBe(index % 2 === 0 ? 'fired' : 'resolved')
            const before = transitions[index - 1]
            if (!before) return
            expect(at.getTime()).toBeGreaterThan(before.at.getTime())
            if (kind === 'resolved') return
            // Since the previous firing a window ended below the threshold, and no late log filled it.
            const quiet = minuteOf(before.at) - START - lateness
            expect(holds(all, rule, quiet)).toBe(false)
          })
        },
      ),
    )
  })
})
