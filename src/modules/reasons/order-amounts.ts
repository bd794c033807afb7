/** Reasons that concern the amount of an order. */
import { type Numbers, numberOf } from './reason.ts'
import { countText, moneyRangeText, moneyText, numberText, roughMoneyText } from './texts.ts'

/** The order as its reasons describe it, in addition to the numbers of the finding. */
export type ReasonOrder = {
  amount_cents: number
  currency: string
  /** Whether the order names no profile. */
  is_guest: boolean
  /** Where a guest is compared. */
  place: 'terminal' | 'store' | undefined
}

export function largeAmount(numbers: Numbers, order: ReasonOrder): string {
  const record = numberOf(numbers, 'record_cents')
  const day = dayOf(numbers, order)
  const { currency } = order
  const amount =
    day === undefined
      ? moneyText(order.amount_cents, currency)
      : `${moneyText(day, currency)} within a day`
  if (record !== undefined) {
    return `${amount}; the largest order that was sold before was ${moneyText(record, currency)}${historyText(numbers, order)}`
  }
  if (day !== undefined) {
    const usual = roughMoneyText(numberOf(numbers, 'expected_cents') ?? 0, currency)
    return `${amount}; the usual order here is about ${usual}${historyText(numbers, order)}`
  }
  return comparisonText(numbers, order)
}

export const smallAmount = (numbers: Numbers, order: ReasonOrder): string =>
  `Only ${comparisonText(numbers, order)}`

export function risingAmounts(numbers: Numbers, { amount_cents, currency }: ReasonOrder): string {
  const level = numberOf(numbers, 'level_cents')
  const times = numberOf(numbers, 'times')
  const amount = moneyText(amount_cents, currency)
  if (level === undefined || times === undefined) return `${amount}; the recent amounts rose`
  return `${amount}, ${numberText(times)} times the ${roughMoneyText(level, currency)} that was usual before; the recent amounts rose step by step`
}

/** Sum of a day, when it is more than this order. */
function dayOf(numbers: Numbers, { amount_cents }: ReasonOrder): number | undefined {
  const day = numberOf(numbers, 'day_cents')
  return day === undefined || day <= amount_cents ? undefined : day
}

function comparisonText(numbers: Numbers, order: ReasonOrder): string {
  const { amount_cents, currency } = order
  const amount = moneyText(amount_cents, currency)
  const usual = usualOf(numbers, amount_cents)
  if (usual === undefined) return amount
  const { from, to } = usual
  const range = moneyRangeText(from, to, currency)
  const who = whoText(numbers, order)
  if (amount_cents < from || amount_cents > to) {
    return `${amount}; ${who} usually ${spendsText(numbers, order)} ${range}${historyText(numbers, order)}`
  }
  const isRepeated = numberOf(numbers, 'unusual_lately') !== undefined
  const why = isRepeated ? 'and follows other unusual amounts' : 'and rarer than most'
  return `${amount} is at the upper end of the ${range} that ${who} usually ${spendsText(numbers, order)}, ${why}${historyText(numbers, order)}`
}

/** Two standard deviations of the square roots of amounts, as the console draws them. */
const USUAL_SD = 2
const Z_MIN = 0.2

/**
 * Usual amounts, from the stored distance: the amount lies `z` standard deviations of roots above the
 * expected root.
 */
function usualOf(numbers: Numbers, amount_cents: number): { from: number; to: number } | undefined {
  const expected = numberOf(numbers, 'expected_cents')
  const z = numberOf(numbers, 'z')
  if (expected === undefined) return undefined
  const mean = Math.sqrt(expected)
  if (z === undefined || Math.abs(z) < Z_MIN) return { from: expected, to: expected }
  const sd = Math.max(0, (Math.sqrt(Math.max(0, amount_cents)) - mean) / z)
  return { from: Math.max(0, mean - USUAL_SD * sd) ** 2, to: (mean + USUAL_SD * sd) ** 2 }
}

const isOfOrganization = (numbers: Numbers): boolean => numbers['compared_with'] === 'organization'

function whoText(numbers: Numbers, { is_guest, place }: ReasonOrder): string {
  if (isOfOrganization(numbers)) return 'customers here'
  if (!is_guest) return 'this customer'
  return place === undefined ? 'guests' : `guests at this ${place}`
}

const spendsText = (numbers: Numbers, { is_guest }: ReasonOrder): string =>
  is_guest || isOfOrganization(numbers) ? 'spend' : 'spends'

function historyText(numbers: Numbers, { is_guest }: ReasonOrder): string {
  const orders = numberOf(numbers, 'orders')
  if (orders === undefined || (is_guest && orders === 0)) return ''
  if (is_guest) return ` (${countText(orders, 'order')})`
  if (!isOfOrganization(numbers)) return ` (${countText(orders, 'order')})`
  return orders === 0
    ? '. This customer has no history yet'
    : `. This customer has a history of ${countText(orders, 'order')}`
}
