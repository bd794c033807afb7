/** Days by the clock of the viewer, as the address names them: `2026-03-01`. */
import type { CashierQuarter } from '../../../../src/modules/cashier/reading/schema.ts'

export type DayCount = { day: string; actions: number; flagged: number; highest_score: number }

export function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** From midnight to midnight, which are 23 or 25 hours apart when clocks are changed. */
export function boundsOf(day: string): { start: Date; end: Date } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return undefined
  const start = new Date(Number(year), Number(month) - 1, Number(date))
  if (dayOf(start) !== day) return undefined
  return { start, end: new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1) }
}

/** The last days, oldest first, those without anything too. */
export function countDays(
  quarters: readonly CashierQuarter[],
  now: Date,
  days: number,
): DayCount[] {
  const byDay = new Map<string, DayCount>()
  for (let back = days - 1; back >= 0; back -= 1) {
    const day = dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back))
    byDay.set(day, { day, actions: 0, flagged: 0, highest_score: 0 })
  }
  for (const { at, actions, flagged, highest_score } of quarters) {
    const day = dayOf(new Date(at))
    const sum = byDay.get(day) ?? { day, actions: 0, flagged: 0, highest_score: 0 }
    byDay.set(day, {
      day,
      actions: sum.actions + actions,
      flagged: sum.flagged + flagged,
      highest_score: Math.max(sum.highest_score, highest_score),
    })
  }
  return [...byDay.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}
