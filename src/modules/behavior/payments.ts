/**
 * Payments: changes of the payment method, several methods within an hour, and items that do not
 * match the total (fraud research 3.3 and 3.7). Times are in ms since 1970.
 */
import { HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { type Assessment, QUIET } from './measurement.ts'
import { readable } from './numbers.ts'

export type PaymentMethod = 'card' | 'cash' | 'mobile' | 'crypto' | 'other'

export type PaymentsState = {
  /** Method of the newest order with a method. */
  readonly method: PaymentMethod | null
  /** Consecutive orders by that method, up to a cap. */
  readonly run: number
  /** Last use of each method in minutes since 1970. */
  readonly used_minute: Readonly<Partial<Record<PaymentMethod, number>>>
  /** Most pieces of one item in one order so far. */
  readonly pieces_max: number
}

export const EMPTY_PAYMENTS: PaymentsState = {
  method: null,
  run: 0,
  used_minute: {},
  pieces_max: 0,
}

export type BasketFact = {
  /** Integer, below zero when more is returned than bought. So are the numbers of an item. */
  readonly amount_cents: number
  readonly item_count: number | undefined
  readonly items: readonly {
    readonly quantity: number
    readonly unit_price_cents: number
    readonly total_price_cents: number
    /** 0 when the request has none */
    readonly discount_cents: number
    readonly discount_type: string | undefined
    /** Read by custom rules only. */
    readonly category?: string | undefined
  }[]
}

/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const PAYMENTS_PARAMETERS = {
  switch_score: 20,
  crypto_switch_score: 50,
  crypto_new_device_score: 60,
  new_method_new_device_score: 30,
  mismatch_score: 25,
  absurd_mismatch_score: 40,
  quantity_score: 35,
}
export type PaymentsParameters = Readonly<typeof PAYMENTS_PARAMETERS>

const METHODS: readonly PaymentMethod[] = ['card', 'cash', 'mobile', 'crypto', 'other']

const RUN_MAX = 100
/** Consecutive orders that make a habit. */
const LONG_RUN = 10
/** Strengths by the number of methods within an hour. */
const HOPPING_SCORES = [0, 0, 15, 60, 75, 85]

/**
 * @param isNewDevice whether a profile with a past uses a device that is new for it
 * @returns findings `payment_switch`, `crypto_new_device` and `new_method_new_device`
 */
export function assessPaymentChange(
  state: PaymentsState | undefined,
  method: PaymentMethod | undefined,
  isNewDevice: boolean,
  parameters: PaymentsParameters,
): Assessment {
  if (state === undefined || method === undefined) return QUIET
  if (state.method === null || state.method === method) return QUIET
  const wasUsed = state.used_minute[method] !== undefined
  const numbers = { method, usual_method: state.method, run: state.run }
  if (isNewDevice && !wasUsed && method !== 'cash') {
    const { crypto_new_device_score, new_method_new_device_score } = parameters
    if (method === 'crypto') return found(crypto_new_device_score, 'crypto_new_device', numbers)
    return found(new_method_new_device_score, 'new_method_new_device', numbers)
  }
  if (state.run < LONG_RUN || method === 'cash') return QUIET
  const { switch_score, crypto_switch_score } = parameters
  const score = method === 'crypto' ? crypto_switch_score : switch_score
  return found(wasUsed ? score / 2 : score, 'payment_switch', numbers)
}

/** @returns finding `payment_hopping` by the number of methods within an hour of this order */
export function assessPaymentHopping(
  state: PaymentsState | undefined,
  method: PaymentMethod | undefined,
  at_ms: number,
): Assessment {
  if (state === undefined || method === undefined) return QUIET
  let methods = 1
  for (const other of METHODS) {
    const minute = state.used_minute[other]
    if (other === method || minute === undefined) continue
    if (Math.abs(at_ms - minute * MINUTE_MS) <= HOUR_MS) methods += 1
  }
  const score = HOPPING_SCORES[methods] ?? 0
  return found(score, 'payment_hopping', { methods_hour: methods })
}

/** Tax, tips and shipping raise a total and vouchers lower it, but not beyond these factors. */
const GROSS_FACTOR = 2
const ABSURD_FACTOR = 5
/** Allowance for shipping a small basket, in cents. */
const SHIPPING_CENTS = 5000

/**
 * @returns findings `total_mismatch` and `line_mismatch`; weak, because terminals produce odd
 *   receipts
 */
export function assessTotal(
  { amount_cents, item_count, items }: BasketFact,
  { mismatch_score, absurd_mismatch_score }: PaymentsParameters,
): Assessment {
  if (items.length === 0) return QUIET
  let sum = 0
  let sold = 0
  let pieces = 0
  let wrong_lines = 0
  for (const item of items) {
    sum += item.total_price_cents
    sold += Math.max(0, item.total_price_cents)
    pieces += Math.abs(item.quantity)
    if (isWrongLine(item)) wrong_lines += 1
  }
  // A voucher can be a line or a payment, so the total lies between the sum and what was sold. A line
  // below zero does not excuse a total beyond that.
  const items_cents = amount_cents < sum ? sum : sold
  // A partial list of items does not limit the total.
  const isWhole = item_count === undefined || pieces >= item_count || items.length >= item_count
  const factor = mismatchFactor(amount_cents, { sum, sold }, isWhole)
  if (factor > GROSS_FACTOR) {
    // Vouchers can reduce the amount to zero.
    const isAbsurd = factor >= ABSURD_FACTOR && amount_cents > 0
    const score = isAbsurd ? absurd_mismatch_score : mismatch_score
    const numbers = { items_cents, amount_cents, factor: readable(Math.min(factor, 1000)) }
    return found(score, 'total_mismatch', numbers)
  }
  if (wrong_lines === 0) return QUIET
  const numbers = { wrong_lines, lines: items.length }
  return found(mismatch_score, 'line_mismatch', numbers)
}

function mismatchFactor(
  amount_cents: number,
  { sum, sold }: { sum: number; sold: number },
  isWhole: boolean,
): number {
  if (sold <= 0) return 1
  if (sum > 0 && amount_cents < sum) return sum / Math.max(1, amount_cents)
  return isWhole ? Math.max(1, (amount_cents - SHIPPING_CENTS) / sold) : 1
}

/** Discounts per piece and per line are both accepted, because senders differ. */
function isWrongLine(item: BasketFact['items'][number]): boolean {
  if (item.quantity <= 0 || item.unit_price_cents <= 0 || item.discount_type === 'override') {
    return false
  }
  const full = item.quantity * item.unit_price_cents
  const least = Math.max(0, full - item.quantity * Math.abs(item.discount_cents))
  const { total_price_cents } = item
  return total_price_cents > GROSS_FACTOR * full || total_price_cents * GROSS_FACTOR < least
}

/**
 * Pieces of one item that are too many for any profile, and the least and the factor for a known
 * one.
 */
const HUGE_PIECES = 1000
const MANY_PIECES = 100
const MANY_FACTOR = 10

/** @returns finding `huge_quantity` */
export function assessQuantity(
  state: PaymentsState | undefined,
  fact: BasketFact,
  { quantity_score }: PaymentsParameters,
): Assessment {
  const pieces = mostPieces(fact)
  if (pieces < MANY_PIECES) return QUIET
  const pieces_max = state?.pieces_max ?? 0
  const numbers = { pieces, pieces_max }
  const limit = pieces_max > 0 ? MANY_FACTOR * pieces_max : HUGE_PIECES
  return pieces < limit ? QUIET : found(quantity_score, 'huge_quantity', numbers)
}

function mostPieces({ items }: BasketFact): number {
  let most = 0
  for (const { quantity } of items) if (quantity > most) most = quantity
  return most
}

/** Learns a payment. A late order updates the last use of its method but not the current habit. */
export function learnPayment(
  state: PaymentsState,
  method: PaymentMethod | undefined,
  fact: BasketFact,
  at_ms: number,
): PaymentsState {
  const pieces_max = Math.max(state.pieces_max, mostPieces(fact))
  if (method === undefined) {
    return pieces_max === state.pieces_max ? state : { ...state, pieces_max }
  }
  const minute = Math.floor(at_ms / MINUTE_MS)
  const newest = state.method === null ? undefined : state.used_minute[state.method]
  const isNewest = newest === undefined || minute >= newest
  const isSame = state.method === method
  const before = state.used_minute[method]
  return {
    method: isNewest ? method : state.method,
    run: isSame ? Math.min(RUN_MAX, state.run + 1) : isNewest ? 1 : state.run,
    used_minute: {
      ...state.used_minute,
      [method]: before === undefined ? minute : Math.max(before, minute),
    },
    pieces_max,
  }
}

function found(score: number, finding: string, numbers: Assessment['numbers']): Assessment {
  return score === 0 ? QUIET : { score: Math.round(score), strength: score, finding, numbers }
}
