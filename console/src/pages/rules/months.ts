/** Months in the viewer's time zone. */
import { LOCALE } from '../../components/format.ts'

export type Month = { value: string; label: string; from: string; to: string }

/** The current month first. */
export function monthsBefore(now: Date, count: number): Month[] {
  const name = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric' })
  return Array.from({ length: count }, (_, back) => {
    const from = new Date(now.getFullYear(), now.getMonth() - back, 1)
    const to = new Date(now.getFullYear(), now.getMonth() - back + 1, 1)
    const value = `${from.getFullYear()}-${String(from.getMonth() + 1).padStart(2, '0')}`
    return { value, label: name.format(from), from: from.toISOString(), to: to.toISOString() }
  })
}
