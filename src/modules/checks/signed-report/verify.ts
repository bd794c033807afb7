/**
 * Verifies a report that the device SDK has signed with a public key: `vdr1.<payload>.<HMAC-SHA-256>`, both in
 * base64url. The key of the HMAC is the SHA-256 hash of the public key, which is what is stored of it. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isObject } from '../../../platform/is-object.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { readReport, type SignedReport } from './facts.ts'

/** A report before its signature is verified. */
export type ClaimedReport = {
  /** Identifies the public key to its owner: `pk_live_…a1B2`. */
  key_hint: string
  signed: string
  mac: Buffer
  report: SignedReport
}

export type Verdict =
  | { state: 'valid'; report: SignedReport }
  | { state: 'changed' | 'expired' | 'unknown_key' }

/** Those of the SDK have about 900 characters. */
const REPORT_MAX_CHARS = 8192
const FORM = /^(vdr1\.([\w-]+))\.([\w-]{43})$/
const KEY_HINT = /^pk_(?:live|test)_…[0-9A-Za-z]{4}$/
/** Clocks of browsers are seldom further ahead. */
const AHEAD_MAX_MS = 5 * MINUTE_MS

/** Whether a value is meant as a report. Anything else is opaque, as every member of `device`. */
export const isReport = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('vdr1.')

/** @returns undefined for a text that is too long, cut off or no report of the SDK */
export function parseReport(text: string): ClaimedReport | undefined {
  if (text.length > REPORT_MAX_CHARS) return undefined
  const [, signed, payload, mac] = FORM.exec(text) ?? []
  if (signed === undefined || payload === undefined || mac === undefined) return undefined
  const value = parseJson(Buffer.from(payload, 'base64url').toString('utf8'))
  const key_hint = isObject(value) ? value['key'] : undefined
  const report = readReport(value)
  if (report === undefined || typeof key_hint !== 'string' || !KEY_HINT.test(key_hint)) {
    return undefined
  }
  return { key_hint, signed, mac: Buffer.from(mac, 'base64url'), report }
}

/** @param keyHashes those of the active public keys of the organization and mode with this hint */
export function verifyReport(
  { signed, mac, report }: ClaimedReport,
  keyHashes: readonly Buffer[],
  now: Date,
  lifetimeMinutes: number,
): Verdict {
  if (keyHashes.length === 0) return { state: 'unknown_key' }
  const isGenuine = keyHashes.some((hash) =>
    timingSafeEqual(createHmac('sha256', hash).update(signed).digest(), mac),
  )
  if (!isGenuine) return { state: 'changed' }
  const age_ms = now.getTime() - report.issued_at.getTime()
  const isCurrent = age_ms <= lifetimeMinutes * MINUTE_MS && age_ms >= -AHEAD_MAX_MS
  return isCurrent ? { state: 'valid', report } : { state: 'expired' }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
