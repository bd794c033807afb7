/** What was found about an order, in plain words with the numbers behind it, for those who review it. */
type Numbers = Readonly<Record<string, number | string>>

/**
 * By name of the finding; of several the first one whose numbers are all known. `{name}` is a number
 * as it is, `{name%}` a share in percent.
 */
const TEMPLATES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  too_many_orders: [
    '{count} orders within {window} where {expected} are expected: too many for any {key}',
  ],
  many_orders: ['{count} orders within {window} where {expected} are expected of this {key}'],
  split_amount: [
    'Orders within {window} that come to {count} ordinary ones where {expected} are expected of this {key}: perhaps one amount, split',
  ],
  many_tiny_orders: [
    '{count} tiny orders within {window}, {share%} % of all of this {key}: perhaps cards that are tried out',
  ],
  unusually_large: [
    'The amount lies {z} standard deviations above the usual {expected_cents} cents; orders known: {orders}',
  ],
  unusually_small: [
    'The amount is a small part of the usual {expected_cents} cents; orders known: {orders}',
  ],
  unusual_hour: [
    'It was {local_hour} o’clock there, an hour at which {hour_share%} % of the orders come',
  ],
  impossible_travel: [
    '{distance_km} km from the last place, {hours} hours apart: {speed_kmh} km/h, which nobody travels',
  ],
  fast_travel: [
    '{distance_km} km from the last place, {hours} hours apart: {speed_kmh} km/h, as fast as a flight',
  ],
  unusual_place: ['Far from the {cells_known} areas where the profile is usually found'],
  new_country: ['In {country}, where the profile is not at home'],
  shared_device: ['{profiles} profiles used the device within 30 days'],
  rapid_device_change: [
    '{new_devices_day} new devices of the profile within a day, {new_devices_week} within a week',
  ],
  account_takeover: [
    'From a device that the profile never used, far away and for a large amount; {devices_known} devices are known',
  ],
  new_device_far_away: [
    'From a device that the profile never used, far away; {devices_known} devices are known',
  ],
  new_device_large_amount: [
    'From a device that the profile never used, for a large amount; {devices_known} devices are known',
  ],
  new_device: ['From a device that the profile never used; {devices_known} devices are known'],
  flagged_device: [
    'A check of the device came to {told}',
    'The device was used for fraud: {fraud_rate%} % of its recent orders',
  ],
  shared_ip: ['{ip_profiles} profiles came from the address within a day'],
  recent_frauds_on_device: [
    'Decisions about the device make {device_fraud_rate%} % of its recent orders fraud',
  ],
  recent_frauds: [
    'Decisions make it {terminal_tampered%} % likely that the terminal was tampered with, and {profile_fraud_rate%} % of the recent orders of the profile fraud',
    'Decisions make it {terminal_tampered%} % likely that the terminal was tampered with',
    'Decisions make {terminal_fraud_rate%} % of the recent orders at the terminal fraud, and {profile_fraud_rate%} % of those of the profile',
    'Decisions make {terminal_fraud_rate%} % of the recent orders at the terminal fraud',
    'Decisions make {profile_fraud_rate%} % of the recent orders of the profile fraud',
  ],
  shared_reputation: [
    'Other organisations confirmed frauds of the profile: {profile_reputation} of 100',
    'Other organisations confirmed frauds from the device: {device_reputation} of 100',
    'Other organisations confirmed frauds from the address: {ip_reputation} of 100',
  ],
  payment_switch: ['Paid by {method} after {run} orders by {usual_method}'],
  crypto_new_device: [
    'Paid by {method} for the first time, after {usual_method}, from a device that the profile never used',
  ],
  payment_hopping: ['{methods_hour} ways of payment within an hour'],
  total_mismatch: [
    'The items come to {items_cents} cents, the order to {amount_cents}: {factor} times apart',
  ],
  line_mismatch: ['{wrong_lines} of {lines} lines do not come to quantity times price'],
  huge_quantity: ['{pieces} pieces of one item, where the most so far were {pieces_max}'],
}

const PLACE = /\{(\w+)(%?)\}/g

/** @returns one sentence; numbers that it does not use follow in brackets */
export function sentenceOf(finding: string, numbers: Numbers): string {
  const templates = Object.hasOwn(TEMPLATES, finding) ? (TEMPLATES[finding] ?? []) : []
  const template =
    templates.find((one) => placesOf(one).every((name) => Object.hasOwn(numbers, name))) ??
    capitalised(finding.replaceAll('_', ' '))
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

/** Findings that have a sentence of their own, with the numbers that it may use. */
export const toldFindings = (): { finding: string; numbers: string[] }[] =>
  Object.entries(TEMPLATES).map(([finding, templates]) => ({
    finding,
    numbers: templates.flatMap(placesOf),
  }))

const placesOf = (template: string): string[] =>
  [...template.matchAll(PLACE)].map(([, name = '']) => name)

const valueText = (value: number | string | undefined, isShare: boolean): string =>
  String(isShare ? Math.round(Number(value) * 10_000) / 100 : value)

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
