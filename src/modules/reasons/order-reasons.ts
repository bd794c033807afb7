/**
 * The reasons for the score of an order, one sentence for each finding. Factors and strengths are
 * details and stay with the numbers.
 */

import { adjustmentReason } from './adjustment-reasons.ts'
import { largeAmount, type ReasonOrder, risingAmounts, smallAmount } from './order-amounts.ts'
import { type Numbers, nameOf, numberOf, textOf } from './reason.ts'
import {
  countText,
  minutesText,
  moneyText,
  numberText,
  roughMoneyText,
  shareText,
  usualText,
} from './texts.ts'

/** @returns one sentence without a full stop */
export function orderReason(finding: string, numbers: Numbers, order: ReasonOrder): string {
  return (
    SENTENCES.get(finding)?.(numbers, order) ??
    adjustmentReason(finding, numbers) ??
    nameOf(finding)
  )
}

/** Lists the findings that have a sentence. */
export const orderFindings = (): string[] => [...SENTENCES.keys()]

type Sentence = (numbers: Numbers, order: ReasonOrder) => string

const SENTENCES = new Map<string, Sentence>([
  // Velocity
  ['too_many_orders', (n) => `${ordersText(n)}, more than any customer places`],
  ['many_orders', (n) => `${ordersText(n)}${usuallyText(n)}`],
  [
    'split_amount',
    (n) =>
      `The orders ${byKey(n)} within ${windowText(n)} add up to ${numberText(numberOf(n, 'count') ?? 0)} times a usual order: possibly one amount that was split`,
  ],
  ['many_tiny_orders', tinyOrders],
  // Amount
  ['unusually_large', largeAmount],
  ['unusually_small', smallAmount],
  ['rising_amounts', risingAmounts],
  // Location
  ['impossible_travel', (n) => `${journeyText(n)}, faster than anyone travels`],
  ['fast_travel', (n) => `${journeyText(n)}, as fast as a flight`],
  [
    'unusual_place',
    (n) => {
      const areas = numberOf(n, 'cells_known') ?? 0
      const where =
        areas === 1 ? 'the area' : areas > 1 ? `the ${numberText(areas)} areas` : 'the places'
      return `Far from ${where} where this customer usually orders`
    },
  ],
  [
    'country_mismatch',
    (n) =>
      `The coordinates are far outside of ${countryText(n, 'stated_country')}, the stated country`,
  ],
  [
    'new_country',
    (n) => `In ${countryText(n)}, where this customer has rarely or never ordered before`,
  ],
  // Device
  [
    'shared_device',
    (n) => {
      const people = numberOf(n, 'profiles') ?? 0
      const fresh = numberOf(n, 'new_profiles_day') ?? 0
      const since =
        fresh < 2 ? '' : fresh >= people ? ', all since yesterday' : `, ${fresh} since yesterday`
      return `${countText(people, 'customer')} used this device within 30 days${since}`
    },
  ],
  [
    'rapid_device_change',
    (n) => {
      const [day, week] = [
        numberOf(n, 'new_devices_day') ?? 0,
        numberOf(n, 'new_devices_week') ?? 0,
      ]
      const ofWeek = `${countText(week, 'new device')} within a week`
      if (day < 2) return `This customer used ${ofWeek}`
      const ofDay = `This customer used ${countText(day, 'new device')} within a day`
      return week > day ? `${ofDay} and ${numberText(week)} within a week` : ofDay
    },
  ],
  [
    'account_takeover',
    (n, order) =>
      `From a device that is new for this customer, far from the usual places and for a large amount (${orderMoney(order)}); ${devicesText(n)}`,
  ],
  [
    'new_device_far_away',
    (n) =>
      `From a device that is new for this customer, far from the usual places; ${devicesText(n)}`,
  ],
  [
    'new_device_large_amount',
    (n, order) =>
      `From a device that is new for this customer, for a large amount (${orderMoney(order)}); ${devicesText(n)}`,
  ],
  ['new_device', (n) => `From a device that is new for this customer; ${devicesText(n)}`],
  [
    'flagged_device',
    (n) => {
      const told = numberOf(n, 'told')
      if (told !== undefined) return `A check of this device scored ${numberText(told)} of 100`
      return fraudText([[numberOf(n, 'fraud_rate'), 'from this device']])
    },
  ],
  [
    'undecided_fraud_on_device',
    (n) =>
      `An order of another customer from this device scored ${numberText(numberOf(n, 'undecided_score') ?? 0)} of 100 and waits for a decision`,
  ],
  [
    'recent_frauds_on_device',
    (n) => fraudText([[numberOf(n, 'device_fraud_rate'), 'from this device']]),
  ],
  [
    'shared_ip',
    (n) =>
      `${countText(numberOf(n, 'ip_profiles') ?? 0, 'customer')} used this IP address within a day`,
  ],
  // Time
  [
    'unusual_hour',
    (n) => {
      const hour = String(numberOf(n, 'local_hour') ?? 0).padStart(2, '0')
      const share = numberOf(n, 'hour_share') ?? 0
      return `Placed at ${hour}:00 local time, when ${share === 0 ? 'less than 0.1%' : shareText(share)} of the orders are usually placed`
    },
  ],
  // Pattern
  ['shared_reputation', reputation],
  ['recent_frauds', recentFrauds],
  [
    'first_order_by_crypto',
    (_, order) =>
      `${orderMoney(order)} paid by cryptocurrency, which cannot be taken back, by a customer without a history`,
  ],
  [
    'payment_switch',
    (n) =>
      `Paid by ${methodText(n, 'method')} after ${countText(numberOf(n, 'run') ?? 0, 'order')} paid by ${methodText(n, 'usual_method')}`,
  ],
  ['crypto_new_device', firstMethod],
  ['new_method_new_device', firstMethod],
  [
    'payment_hopping',
    (n) => `${countText(numberOf(n, 'methods_hour') ?? 0, 'payment method')} within an hour`,
  ],
  [
    'total_mismatch',
    (n, { currency, amount_cents }) => {
      const items = numberOf(n, 'items_cents') ?? 0
      const only = amount_cents < items ? 'only ' : ''
      return `The items add up to ${moneyText(items, currency)}, but the order ${only}to ${moneyText(amount_cents, currency)}`
    },
  ],
  [
    'line_mismatch',
    (n) =>
      `In ${numberText(numberOf(n, 'wrong_lines') ?? 0)} of ${countText(numberOf(n, 'lines') ?? 0, 'line')}, the total is not quantity times price`,
  ],
  [
    'huge_quantity',
    (n) => {
      const most = numberOf(n, 'pieces_max') ?? 0
      const pieces = `${countText(numberOf(n, 'pieces') ?? 0, 'piece')} of one item`
      return most === 0
        ? pieces
        : `${pieces}; this customer ordered at most ${numberText(most)} before`
    },
  ],
])

const WINDOWS: Readonly<Record<string, string>> = {
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': 'an hour',
  '1d': 'a day',
}

function windowText(numbers: Numbers): string {
  const window = textOf(numbers, 'window') ?? ''
  return WINDOWS[window] ?? window
}

const KEYS: Readonly<Record<string, string>> = {
  profile: 'by this customer',
  device: 'from this device',
  ip: 'from this IP address',
  terminal: 'at this terminal',
  store: 'at this store',
  organization: 'by guests and new customers of the whole organization',
}

const byKey = (numbers: Numbers): string => KEYS[textOf(numbers, 'key') ?? ''] ?? ''

/** Counts decay, so they are never exact. */
const ordersText = (numbers: Numbers): string =>
  `About ${countText(numberOf(numbers, 'count') ?? 0, 'order')} ${byKey(numbers)} within ${windowText(numbers)}`

function usuallyText(numbers: Numbers): string {
  const expected = numberOf(numbers, 'expected')
  if (expected === undefined) return ''
  const usual = usualText(expected)
  return `; ${usual} ${usual === 'about 1' ? 'is' : 'are'} usual`
}

function tinyOrders(numbers: Numbers, { currency }: ReasonOrder): string {
  const below = numberOf(numbers, 'below_cents')
  const count = Math.round(numberOf(numbers, 'count') ?? 0)
  const size =
    below === undefined ? 'very small orders' : `orders under ${roughMoneyText(below, currency)}`
  return `About ${numberText(count)} ${size} ${byKey(numbers)} within ${windowText(numbers)}${usuallyText(numbers)}: possibly stolen cards are being tried out`
}

function journeyText(numbers: Numbers): string {
  const km = numberText(numberOf(numbers, 'distance_km') ?? 0)
  const apart = minutesText(60 * (numberOf(numbers, 'hours') ?? 0))
  const speed = numberText(numberOf(numbers, 'speed_kmh') ?? 0)
  return `${km} km from the previous place, ${apart} apart: ${speed} km/h`
}

/** The code of a country as its English name; other texts stay unchanged. */
function countryText(numbers: Numbers, name = 'country'): string {
  const country = textOf(numbers, name)
  if (country === undefined) return 'a country'
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country
}

function devicesText(numbers: Numbers): string {
  const known = numberOf(numbers, 'devices_known') ?? 0
  return `${countText(known, 'earlier device')} ${known === 1 ? 'is' : 'are'} known`
}

const orderMoney = ({ amount_cents, currency }: ReasonOrder): string =>
  moneyText(amount_cents, currency)

const REPUTATIONS = [
  ['profile_reputation', 'by this customer'],
  ['device_reputation', 'from this device'],
  ['ip_reputation', 'from this IP address'],
] as const

function reputation(numbers: Numbers): string {
  let worst: readonly [score: number, where: string] | undefined
  for (const [name, where] of REPUTATIONS) {
    const score = numberOf(numbers, name)
    if (score !== undefined && score > (worst?.[0] ?? 0)) worst = [score, where]
  }
  if (worst === undefined) return 'Other organizations confirmed fraud'
  return `Other organizations confirmed fraud ${worst[1]} (reputation ${numberText(worst[0])} of 100)`
}

function recentFrauds(numbers: Numbers, { place = 'terminal' }: ReasonOrder): string {
  return fraudText([
    [numberOf(numbers, 'terminal_fraud_rate'), `at this ${place}`],
    [numberOf(numbers, 'profile_fraud_rate'), 'by this customer'],
  ])
}

/** Rates are estimates: a single fraud does not make them 100%. */
function fraudText(rates: readonly (readonly [rate: number | undefined, where: string])[]): string {
  const known = rates.flatMap(([rate = 0, where]) => (rate === 0 ? [] : [{ rate, where }]))
  const [first, ...others] = known
  if (first === undefined) return 'Recent orders were confirmed as fraud'
  const more = others.map(({ rate, where }) => ` and ${shareText(rate)} of those ${where}`)
  return `Orders ${known.map(({ where }) => where).join(' and ')} were confirmed as fraud; an estimated ${shareText(first.rate)} of the next ones ${first.where}${more.join('')} are fraud`
}

function firstMethod(numbers: Numbers): string {
  const before = methodText(numbers, 'usual_method')
  return `Paid by ${methodText(numbers, 'method')} for the first time, from a device that is new for this customer; the previous order was paid by ${before}`
}

const METHODS: Readonly<Record<string, string>> = {
  mobile: 'mobile phone',
  crypto: 'cryptocurrency',
  other: 'another method',
}

function methodText(numbers: Numbers, name: string): string {
  const method = textOf(numbers, name) ?? 'another method'
  return METHODS[method] ?? method
}
