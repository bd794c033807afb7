/** Tokens of devices, as apps get them from their providers. */
import { createHash } from 'node:crypto'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'

export const TOKEN_MAX_CHARS = 4096
export const TOKEN_TAIL_CHARS = 6

const HEX_TOKEN = /^(?:[0-9a-fA-F]{2}){8,100}$/
/** Google promises no form; what it has given so far is a few hundred of these. */
const FCM_TOKEN = /^[\x21-\x7e]{16,4096}$/

/**
 * Apple's in lower case, as they are sent: one device may tell both spellings.
 * @returns undefined for what cannot be a token of this provider
 */
export function readToken(provider: PushProvider, text: string): string | undefined {
  if (provider === 'apns') return HEX_TOKEN.test(text) ? text.toLowerCase() : undefined
  return FCM_TOKEN.test(text) ? text : undefined
}

/** 128 bits of SHA-256 in the form of a UUID: `token_hash`. */
export function tokenHashOf(token: string): string {
  const hex = createHash('sha256').update(token).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}
