/** Numbers, money and times as text, in the language and zone of the viewer. */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const AGES: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
]

/** 12,345 or 0.25; `short` makes 12.3K of it. */
export function numberText(
  value: number,
  options: { digits?: number; short?: boolean } = {},
): string {
  const { digits = 2, short = false } = options
  return new Intl.NumberFormat(undefined, {
    maximumFractionDigits: short ? 1 : digits,
    ...(short && { notation: 'compact' as const }),
  }).format(value)
}

/** @param share 0 to 1; null where there is nothing to divide by */
export const percentText = (share: number | null, digits = 1): string =>
  share === null
    ? '–'
    : new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: digits }).format(
        share,
      )

/**
 * @param cents in the smallest unit of the currency, as the service has it: cents, but whole yen
 * @param currency ISO 4217; any other text is shown behind the number
 */
export function amountText(cents: number, currency: string | null | undefined): string {
  if (currency !== null && currency !== undefined && /^[A-Z]{3}$/.test(currency)) {
    const format = new Intl.NumberFormat(undefined, { style: 'currency', currency })
    return format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const number = new Intl.NumberFormat(undefined, digits).format(cents / 100)
  return `${number} ${currency ?? ''}`.trimEnd()
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${numberText(bytes / 1000 ** power, { digits: 1 })} ${units[power]}`
}

/** 350 ms, 4.2 s, 12 min, 3 h, 5 d. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${numberText(ms, { digits: 0 })} ms`
  if (ms < MINUTE_MS) return `${numberText(ms / SECOND_MS, { digits: 1 })} s`
  if (ms < HOUR_MS) return `${numberText(ms / MINUTE_MS, { digits: 0 })} min`
  if (ms < 2 * DAY_MS) return `${numberText(ms / HOUR_MS, { digits: 1 })} h`
  return `${numberText(ms / DAY_MS, { digits: 0 })} d`
}

export function ageText(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime()
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
  for (const [unit, length] of AGES) {
    if (Math.abs(ms) >= length) return relative.format(Math.trunc(ms / length), unit)
  }
  return 'just now'
}

export const timeText = (time: Date, isExact = false): string =>
  new Intl.DateTimeFormat(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(isExact && { fractionalSecondDigits: 3 as const }),
    hourCycle: 'h23',
  }).format(time)

export const dayText = (time: Date): string =>
  new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' }).format(
    time,
  )
