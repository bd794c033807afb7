/** Names of what the scoring of cashiers tells, in words. */
import type { CashierActionType } from '../../../../src/modules/cashier/reading/schema.ts'

const SIGNALS: Readonly<Record<string, string>> = {
  excessive_voids: 'Voids',
  excessive_refunds: 'Refunds',
  discount_abuse: 'Discounts',
  off_shift: 'Off shift',
  velocity_anomaly: 'Velocity',
  drawer_anomaly: 'Drawer',
  round_number_refund: 'Round refunds',
}

export const ACTION_TYPES: readonly CashierActionType[] = [
  'void',
  'refund',
  'discount_override',
  'price_override',
  'no_sale',
  'drawer_open',
  'cash_drop',
  'cash_pickup',
  'shift_start',
  'shift_end',
]

/** `no_sale` as "no sale". */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ')

export const signalName = (signal: string): string =>
  Object.hasOwn(SIGNALS, signal) ? (SIGNALS[signal] ?? signal) : wordsOf(signal)

/** Where cashiers are compared, as scoring names it, for people. */
export function placeName(location: string): string {
  if (location === 'organization') return 'All without a known place'
  if (location.startsWith('location ')) return location.slice('location '.length)
  if (location.startsWith('device ')) return `Till ${location.slice('device '.length)}`
  return location === '' ? 'Unknown place' : location
}
