/**
 * Evidence from the device: the number of distinct people who use it. Except for what a device
 * reports about itself (device-reports.ts) and the report of the device SDK (signed-report/), everything
 * else inside `device` and `behavior` is opaque (OP-7), and its absence is never risk.
 */
import { curve, type Evidence, step } from '../risk/index.ts'

/** Distinct e-mails or phones on one device within 30 days, with their strength (fraud research 3.5). */
const SHARING = curve({ 2: 10, 3: 35, 5: 60, 7: 70, 10: 85 })

/** @returns the fingerprint that identifies a device, when the SDK sent one */
export function fingerprintOf(device: Record<string, unknown> | undefined): string | undefined {
  const fingerprint = device?.['fingerprint_hash']
  return typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : undefined
}

export function assessSharing(people: number): Evidence | undefined {
  const score = step(SHARING, people)
  if (score === 0) return undefined
  return {
    signal: 'device',
    score,
    finding: 'shared_device',
    detail: `${people} different people used this device within 30 days`,
  }
}
