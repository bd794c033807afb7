/**
 * Reads dates in the notations of the registries. In a date of numbers with the year last, the day
 * comes first: no registry is known to write the month first.
 */

import { MINUTE_MS } from '../../../../platform/time-units.ts'

type Parts = { year: number; month: number; day: number }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const SHAPES: readonly { shape: RegExp; order: readonly ('year' | 'month' | 'day')[] }[] = [
  // 2001-03-14, 2001/03/14, 2001.03.14, 2001. 03. 14, 2001-Mar-14, 20010314
  {
    shape: /^(\d{4})[-/. ]+(\d{1,2}|[a-z]{3,9})[-/. ]+(\d{1,2})(?!\d)/i,
    order: ['year', 'month', 'day'],
  },
  { shape: /^(\d{4})(\d{2})(\d{2})(?!\d)/, order: ['year', 'month', 'day'] },
  // 14.03.2001, 14/03/2001, 14-Mar-2001, 14 March 2001
  {
    shape: /^(\d{1,2})[-/. ]+(\d{1,2}|[a-z]{3,9})[-/., ]+(\d{4})(?!\d)/i,
    order: ['day', 'month', 'year'],
  },
  // Mar 14 2001, March 14, 2001
  { shape: /^([a-z]{3,9}) +(\d{1,2}),? +(\d{4})(?!\d)/i, order: ['month', 'day', 'year'] },
  // Wed Mar 14 2001; Wed Mar 14 09:26:53 UTC 2001
  {
    shape: /^[a-z]{3},? +([a-z]{3}) +(\d{1,2})(?: +[\d:]{5,8})?(?: +[a-z]{3,4})? +(\d{4})(?!\d)/i,
    order: ['month', 'day', 'year'],
  },
  // Wed, 14 Mar 2001
  { shape: /^[a-z]{3},? +(\d{1,2}) +([a-z]{3}) +(\d{4})(?!\d)/i, order: ['day', 'month', 'year'] },
]

/** Returns ISO 8601 in UTC; undefined when the text does not start with a date. */
export function parseWhoisDate(text: string): string | undefined {
  const trimmed = text.trim()
  for (const { shape, order } of SHAPES) {
    const match = shape.exec(trimmed)
    if (match === null) continue
    const parts = partsOf(match, order)
    const rest = trimmed.slice(match[0].length)
    const time = parts === undefined ? undefined : instantOf(parts, rest)
    if (time !== undefined) return new Date(time).toISOString()
  }
  return undefined
}

function partsOf(
  match: RegExpExecArray,
  order: readonly ('year' | 'month' | 'day')[],
): Parts | undefined {
  const parts: Parts = { year: 0, month: 0, day: 0 }
  for (const [index, name] of order.entries()) {
    const text = match[index + 1] ?? ''
    parts[name] = /^\d+$/.test(text)
      ? Number(text)
      : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1
  }
  const date = new Date(Date.UTC(parts.year, parts.month - 1, parts.day))
  const exists = date.getUTCMonth() === parts.month - 1 && date.getUTCDate() === parts.day
  // The first domains were registered in 1985.
  return exists && parts.year >= 1985 && parts.year <= 2100 ? parts : undefined
}

/** Adds the time of day and its offset, if they follow the date; the default is midnight UTC. */
function instantOf({ year, month, day }: Parts, rest: string): number | undefined {
  const clock = /^[T, ]*(?:at +)?(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?/i.exec(rest)
  if (clock === null) return Date.UTC(year, month - 1, day)
  const [hours, minutes, seconds] = [clock[1], clock[2], clock[3]].map((text) => Number(text ?? 0))
  const zone = /^ *\(?(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})?(?!\d)/i.exec(
    rest.slice(clock[0].length),
  )
  const offset =
    (Number(zone?.[2] ?? 0) * 60 + Number(zone?.[3] ?? 0)) * (zone?.[1] === '-' ? -1 : 1)
  const time = Date.UTC(year, month - 1, day, hours, minutes, seconds) - offset * MINUTE_MS
  return (hours ?? 0) < 24 && (minutes ?? 0) < 60 ? time : undefined
}
