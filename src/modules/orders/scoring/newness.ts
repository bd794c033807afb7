/** Decides whether an order is suspicious only because its place or device is new. */
import type { Assessment } from '../../behavior/index.ts'
import { ORDER_SIGNALS, type OrderSignal } from './signals.ts'

/** Strength up to which another signal is ignored. */
const SILENT_STRENGTH = 20

export function isOnlyNew(
  found: Readonly<Record<OrderSignal, Assessment>>,
  { places }: { readonly places: { readonly fast_kmh: number } },
): boolean {
  for (const signal of ORDER_SIGNALS) {
    if (signal === 'location_anomaly' || signal === 'device_anomaly') continue
    if (found[signal].strength > SILENT_STRENGTH) return false
  }
  const { location_anomaly: location, device_anomaly: device } = found
  if (!NEW_PLACES.has(location.finding) || !NEW_DEVICES.has(device.finding)) return false
  if (Number(location.numbers['speed_kmh'] ?? 0) > places.fast_kmh) return false
  for (const name of Object.keys(device.numbers)) if (!NEW_NUMBERS.has(name)) return false
  return true
}

const NEW_PLACES: ReadonlySet<string | null> = new Set(['new_country', 'unusual_place'])
const NEW_DEVICES: ReadonlySet<string | null> = new Set([null, 'new_device', 'new_device_far_away'])
/** Weaker device findings show in their numbers only. A shared address is allowed. */
const NEW_NUMBERS: ReadonlySet<string> = new Set(['devices_known', 'orders', 'ip_profiles'])
