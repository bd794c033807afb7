/**
 * Numbers, money, times and names as text. Words are English, also those of months; separators and the sequence
 * of day and month are those of the viewer's region.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time-units.ts'
import { inZone } from './zone.ts'

/** English as it is written in the region of the viewer. */
export const LOCALE = englishOf(new Intl.DateTimeFormat().resolvedOptions().locale)

export function englishOf(locale: string): string {
  const { region } = new Intl.Locale(locale).maximize()
  return region === undefined ? 'en' : `en-${region}`
}

const AGES: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
]

type NumberOptions = { digits?: number; short?: boolean }

/** 12,345 or 0.25; 12.3K with `short`. */
export function numberText(value: number, options: NumberOptions = {}): string {
  const { digits = 2, short = false } = options
  return new Intl.NumberFormat(LOCALE, {
    maximumFractionDigits: short ? 1 : digits,
    ...(short && { notation: 'compact' as const }),
  }).format(value)
}

/** @param share 0 to 1; null when the divisor is 0 */
export function percentText(share: number | null, maximumFractionDigits = 1): string {
  if (share === null) return '–'
  return new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits }).format(share)
}

/**
 * @param cents in the smallest unit of the currency: cents, but whole yen
 * @param currency ISO 4217; any other text is appended to the number
 */
export function amountText(cents: number, currency: string | null | undefined): string {
  if (currency !== null && currency !== undefined && /^[A-Z]{3}$/.test(currency)) {
    const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency })
    return format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  }
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const number = new Intl.NumberFormat(LOCALE, digits).format(cents / 100)
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

const STEPS = new Map([
  [MINUTE_MS, 'minute'],
  [HOUR_MS, 'hour'],
  [DAY_MS, 'day'],
])

/** The step of a chart, as in "errors per hour" and "errors per 5 min". */
export const stepText = (ms: number): string => STEPS.get(ms) ?? durationText(ms)

/** In English whatever the locale, like the sentences around it: "5 min. ago". */
export function ageText(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime()
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
  for (const [unit, length] of AGES) {
    if (Math.abs(ms) >= length) return relative.format(Math.trunc(ms / length), unit)
  }
  return 'just now'
}

const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const

export const timeText = (time: Date, isExact = false): string =>
  new Intl.DateTimeFormat(LOCALE, {
    ...DAY,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(isExact && { fractionalSecondDigits: 3 as const }),
    hourCycle: 'h23',
    ...inZone(),
  }).format(time)

export const dayText = (time: Date): string =>
  new Intl.DateTimeFormat(LOCALE, { ...DAY, ...inZone() }).format(time)

const PLURALS = new Intl.PluralRules('en')

/** "1 delivery", "1 address", "1,200 deliveries". @param plural of a word with a regular singular */
export const countText = (count: number, plural: string): string =>
  `${numberText(count)} ${formOf(count, plural)}`

/** The singular of a regular plural for one, otherwise the plural. */
export const formOf = (count: number, plural: string): string =>
  PLURALS.select(count) === 'one'
    ? plural
        .replace(/ies$/, 'y')
        .replace(/(ss|x|ch|sh)es$/, '$1')
        .replace(/(?<!s)s$/, '')
    : plural

/** `amount_anomaly` as "amount anomaly". */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ')

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The name that a table has for a key, otherwise the words of the key. */
export const nameIn = (names: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(names, key) ? (names[key] ?? key) : wordsOf(key)
