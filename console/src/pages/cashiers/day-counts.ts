import type { CashierQuarter } from '../../../../src/modules/cashier/reading/schema.ts'
import { dayOf } from '../../components/days.ts'
import { fieldsIn, midnightOf } from '../../components/zone.ts'

export type DayCount = { day: string; actions: number; flagged: number; highest_score: number }

const NONE = { actions: 0, flagged: 0, highest_score: 0 }

/** The last days including empty ones, oldest first. */
export function countDays(quarters: readonly CashierQuarter[], now: Date, days: number) {
  const byDay = new Map<string, DayCount>()
  const today = fieldsIn(now)
  for (let back = days - 1; back >= 0; back -= 1) {
    const day = dayOf(midnightOf(today.year, today.month, today.day - back))
    byDay.set(day, { ...NONE, day })
  }
  for (const { at, actions, flagged, highest_score } of quarters) {
    const day = dayOf(new Date(at))
    const sum = byDay.get(day) ?? NONE
    byDay.set(day, {
      day,
      actions: sum.actions + actions,
      flagged: sum.flagged + flagged,
      highest_score: Math.max(sum.highest_score, highest_score),
    })
  }
  return [...byDay.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}
