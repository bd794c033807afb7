/**
 * What the device says: how many distinct people use it. Everything else inside of `device` and
 * `behavior` is opaque (OP-7), and its absence is never risk.
 */
import type { Evidence } from '../../risk/index.ts'

/** Distinct e-mails or phones on one device within 30 days → strength (fraud research 3.5). */
const SHARING: readonly (readonly [people: number, score: number])[] = [
  [10, 85],
  [7, 70],
  [5, 60],
  [3, 35],
  [2, 10],
]

/** @returns the fingerprint that identifies a device, when the SDK sent one */
export function fingerprintOf(device: Record<string, unknown> | undefined): string | undefined {
  const fingerprint = device?.['fingerprint_hash']
  return typeof fingerprint === 'string' && fingerprint !== '' ? fingerprint : undefined
}

export function assessSharing(people: number): Evidence | undefined {
  const score = SHARING.find(([least]) => people >= least)?.[1]
  if (score === undefined) return undefined
  return {
    signal: 'device',
    score,
    finding: 'shared_device',
    detail: `${people} different people used this device within 30 days`,
  }
}
