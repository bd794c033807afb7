/** Renders findings about an order as sentences for reviewers, with the numbers behind them. */
type Numbers = Readonly<Record<string, number | string>>

/**
 * Templates by finding; the first one whose numbers are all present is used. `{name}` inserts a
 * number unchanged, `{name%}` as a percentage.
 */
const TEMPLATES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  too_many_orders: [
    '{count} orders within {window} where {expected} are expected: too many for any {key}',
  ],
  many_orders: ['{count} orders within {window} where {expected} are expected of this {key}'],
  split_amount: [
    'Orders within {window} add up to {count} usual ones where {expected} are expected of this {key}: possibly one amount that was split',
  ],
  many_tiny_orders: [
    '{count} tiny orders by strangers within {window} where {expected} are expected of the {key}: possibly card testing',
    '{count} tiny orders within {window}, {share%} % of all orders of this {key}: possibly card testing',
  ],
  rising_amounts: [
    'The recent amounts rose: this one is {times} times the {level_cents} cents that were usual before',
  ],
  unusually_large: [
    'The amount is {z} standard deviations above the usual {expected_cents} cents of the organization, and more than the {record_cents} cents that it sold at most; known orders: {orders}',
    'The amounts of a day, {day_cents} cents, are {z} standard deviations above the usual {expected_cents} cents of the organization; known orders: {orders}',
    'The amount is {z} standard deviations above the usual {expected_cents} cents; known orders: {orders}',
  ],
  unusually_small: [
    'The amount is a small fraction of the usual {expected_cents} cents; known orders: {orders}',
  ],
  unusual_hour: [
    'Placed at {local_hour}:00 local time, an hour that accounts for {hour_share%} % of the orders',
  ],
  impossible_travel: [
    '{distance_km} km from the last place, {hours} hours apart: {speed_kmh} km/h, faster than anyone travels',
  ],
  fast_travel: [
    '{distance_km} km from the last place, {hours} hours apart: {speed_kmh} km/h, as fast as a flight',
  ],
  unusual_place: ['Far from the {cells_known} areas where the profile usually orders'],
  new_country: ['In {country}, which is new for the profile'],
  shared_device: ['{profiles} profiles used the device within 30 days'],
  rapid_device_change: [
    'The profile used {new_devices_day} new devices within a day and {new_devices_week} within a week',
  ],
  account_takeover: [
    'From a device that is new for the profile, far from its usual places and for a large amount; known devices: {devices_known}',
  ],
  new_device_far_away: [
    'From a device that is new for the profile, far from its usual places; known devices: {devices_known}',
  ],
  new_device_large_amount: [
    'From a device that is new for the profile, for a large amount; known devices: {devices_known}',
  ],
  new_device: ['From a device that is new for the profile; known devices: {devices_known}'],
  flagged_device: [
    'A check of the device scored {told}',
    'Confirmed fraud accounts for {fraud_rate%} % of the recent orders from the device',
  ],
  shared_ip: ['{ip_profiles} profiles used the IP address within a day'],
  recent_frauds_on_device: [
    'By review decisions, {device_fraud_rate%} % of the recent orders from the device are fraud',
  ],
  recent_frauds: [
    'By review decisions, {terminal_fraud_rate%} % of such orders at the terminal and {profile_fraud_rate%} % of the recent orders of the profile are fraud',
    'By review decisions, {terminal_fraud_rate%} % of such orders at the terminal are fraud',
    'By review decisions, {profile_fraud_rate%} % of the recent orders of the profile are fraud',
  ],
  shared_reputation: [
    'Other organizations confirmed fraud by the profile: reputation score {profile_reputation} of 100',
    'Other organizations confirmed fraud from the device: reputation score {device_reputation} of 100',
    'Other organizations confirmed fraud from the IP address: reputation score {ip_reputation} of 100',
  ],
  first_order_by_crypto: ['Paid by {method}, like cash, for a large amount on a first order'],
  undecided_fraud_on_device: [
    'An order of another profile from the device scored {undecided_score} and is not decided',
  ],
  payment_switch: ['Paid by {method} after {run} orders by {usual_method}'],
  crypto_new_device: [
    'Paid by {method} for the first time, after {usual_method}, from a device that is new for the profile',
  ],
  payment_hopping: ['{methods_hour} payment methods within an hour'],
  total_mismatch: [
    'The items add up to {items_cents} cents, the order to {amount_cents}: a factor of {factor}',
  ],
  line_mismatch: ['{wrong_lines} of {lines} lines do not match quantity times price'],
  huge_quantity: ['{pieces} pieces of one item; the previous maximum was {pieces_max}'],
}

const PLACE = /\{(\w+)(%?)\}/g

/** @returns one sentence; numbers without a place in it follow in parentheses */
export function sentenceOf(finding: string, numbers: Numbers): string {
  const templates = Object.hasOwn(TEMPLATES, finding) ? (TEMPLATES[finding] ?? []) : []
  const template =
    templates.find((one) => placesOf(one).every((name) => Object.hasOwn(numbers, name))) ??
    capitalized(finding.replaceAll('_', ' '))
  const sentence = template.replaceAll(PLACE, (_, name: string, percent: string) =>
    valueText(numbers[name], percent !== ''),
  )
  const used = placesOf(template)
  const rest = Object.entries(numbers).filter(([name]) => !used.includes(name))
  return rest.length === 0 ? sentence : `${sentence} (${numbersText(Object.fromEntries(rest))})`
}

/** `distance_km 8312, hours 2` */
export const numbersText = (numbers: Numbers): string =>
  Object.entries(numbers)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

/** Lists the findings that have templates, with the numbers that these can use. */
export const findingsWithSentences = (): { finding: string; numbers: string[] }[] =>
  Object.entries(TEMPLATES).map(([finding, templates]) => ({
    finding,
    numbers: templates.flatMap(placesOf),
  }))

const placesOf = (template: string): string[] =>
  [...template.matchAll(PLACE)].map(([, name = '']) => name)

const valueText = (value: number | string | undefined, isShare: boolean): string =>
  String(isShare ? Math.round(Number(value) * 10_000) / 100 : value)

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
