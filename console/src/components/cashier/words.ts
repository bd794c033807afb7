import type { CashierActionType } from '../../../../src/modules/cashier/reading/schema.ts'
import { nameIn } from '../format.ts'

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

export const signalName = (signal: string): string => nameIn(SIGNALS, signal)

/** All stores, also the selected one where it has no actions. */
export function storeOptions(stores: readonly { location: string }[], selected: string) {
  const listed = stores.map(({ location }) => location)
  const all = new Set(selected === '' ? listed : [...listed, selected])
  return [...all].map((value) => ({ value, label: storeName(value) }))
}

/** The store of a peer group; scoring uses the terminal where no store is known. */
export function storeName(location: string): string {
  if (location === 'organization') return 'Without a store'
  if (location.startsWith('location ')) return location.slice('location '.length)
  if (location.startsWith('device ')) return `Terminal ${location.slice('device '.length)}`
  return location === '' ? 'Unknown store' : location
}
