/**
 * Numbers in sentences: amounts in major units with their currency, shares, counts and durations.
 * The same in every language setting, because the sentences are English.
 */

/** Returns an amount such as `EUR 252.67`, or `252.67` while the currency is unknown. */
export function moneyText(cents: number, currency: string | undefined): string {
  const digits = minorDigits(currency)
  return withCurrency(plainMoney(cents / 10 ** digits, digits), currency)
}

/** Returns a usual amount without needless precision: `EUR 8`, `EUR 1,250`, `EUR 0.85`. */
export function roughMoneyText(cents: number, currency: string | undefined): string {
  const digits = roughDigits(cents, currency)
  return withCurrency(plainMoney(cents / 10 ** minorDigits(currency), digits), currency)
}

/** Returns a range of usual amounts, such as `EUR 8–119`. */
export function moneyRangeText(
  from_cents: number,
  to_cents: number,
  currency: string | undefined,
): string {
  const unit = 10 ** minorDigits(currency)
  const digits = roughDigits(to_cents, currency)
  const [from, to] = [plainMoney(from_cents / unit, digits), plainMoney(to_cents / unit, digits)]
  return withCurrency(from === to ? from : `${from}–${to}`, currency)
}

/** Small amounts differ in their cents. */
function roughDigits(cents: number, currency: string | undefined): number {
  const digits = minorDigits(currency)
  return cents / 10 ** digits < ROUGH_FROM ? digits : 0
}

const ROUGH_FROM = 4

const plainMoney = (amount: number, digits: number): string =>
  new Intl.NumberFormat('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount)

const withCurrency = (amount: string, currency: string | undefined): string =>
  currency === undefined ? amount : `${currency} ${amount}`

/** Decimal places of a currency (ISO 4217): 0 for JPY, 3 for KWD, and 2 while it is unknown. */
function minorDigits(currency: string | undefined): number {
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency)) return 2
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

/** Returns `1 order`, `1,200 orders`. Decayed counts are rounded. */
export function countText(count: number, one: string, many = `${one}s`): string {
  const whole = Math.round(count)
  return `${numberText(whole)} ${whole === 1 ? one : many}`
}

/** Returns up to three significant digits below 100, otherwise an integer with separators. */
export const numberText = (value: number): string =>
  new Intl.NumberFormat('en', {
    maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0,
  }).format(value)

/** Returns the number of a count that is usual: never 0, which would be a rounded one. */
export function usualText(expected: number): string {
  if (expected < 0.1) return 'fewer than 0.1'
  return `about ${numberText(expected)}`
}

/** @param share 0-1 @returns `less than 0.1%`, `0.4%`, `38%` */
export function shareText(share: number): string {
  if (share > 0 && share < 0.001) return 'less than 0.1%'
  return `${Number((100 * share).toPrecision(2))}%`
}

/** Returns `less than a minute`, `40 minutes`, `5 hours`, `3 days`. */
export function minutesText(minutes: number): string {
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return countText(minutes, 'minute')
  return minutes < 48 * 60 ? countText(minutes / 60, 'hour') : countText(minutes / (24 * 60), 'day')
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
