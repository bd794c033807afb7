/** Months and ranges of days in the viewer's time zone. */
import { dayOf } from '../../components/days.ts'

export type Period = { from: string; to: string }

/** The option for a range of days in place of a month. */
export const OTHER = 'other'
const MONTHS_SHOWN = 13

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** This month and the ones before it; the value of this month is empty, as in an address without filters. */
export function monthsUntil(now: Date): { value: string; label: string }[] {
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => {
    const first = new Date(now.getFullYear(), now.getMonth() - back, 1)
    const label = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(first)
    return { value: back === 0 ? '' : dayOf(first).slice(0, 'YYYY-MM'.length), label }
  })
  return [...months, { value: OTHER, label: 'Other days' }]
}

/** An invalid month or range is this month. */
export function periodOf(
  { month, from, to }: { month: string; from: string; to: string },
  now: Date,
): Period {
  if (month === OTHER && DAY.test(from) && DAY.test(to) && from <= to) return { from, to }
  const [, year, number] = /^(\d{4})-(\d\d)$/.exec(month) ?? []
  const first =
    year === undefined
      ? new Date(now.getFullYear(), now.getMonth(), 1)
      : new Date(Number(year), Number(number) - 1, 1)
  const last = new Date(first.getFullYear(), first.getMonth() + 1, 0)
  return { from: dayOf(first), to: dayOf(last) }
}

const DAY = /^\d{4}-\d\d-\d\d$/
