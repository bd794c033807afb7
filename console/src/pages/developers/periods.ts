/** Months and ranges of days in the time zone of the page. */
import { dayOf } from '../../components/days.ts'
import { fieldsIn, inZone, midnightOf } from '../../components/zone.ts'

export type Period = { from: string; to: string }

/** The option for a range of days in place of a month. */
export const OTHER = 'other'
const MONTHS_SHOWN = 13

/** This month and the ones before it; the value of this month is empty, as in an address without filters. */
export function monthsUntil(now: Date): { value: string; label: string }[] {
  const months = Array.from({ length: MONTHS_SHOWN }, (_, back) => {
    const { year, month } = fieldsIn(now)
    const first = midnightOf(year, month - back, 1)
    const form = { month: 'long', year: 'numeric', ...inZone() } as const
    const label = new Intl.DateTimeFormat('en', form).format(first)
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
  const [y, m] =
    year === undefined
      ? [fieldsIn(now).year, fieldsIn(now).month]
      : [Number(year), Number(number) - 1]
  return { from: dayOf(midnightOf(y, m, 1)), to: dayOf(midnightOf(y, m + 1, 0)) }
}

const DAY = /^\d{4}-\d\d-\d\d$/
