/** Device tokens, which apps obtain from their providers. */
import { hash } from 'node:crypto'
import type { PushProvider } from '../tables.ts'

export const TOKEN_MAX_CHARS = 4096
export const TOKEN_TAIL_CHARS = 6

/** Google documents no format; tokens so far are a few hundred of these characters. */
export const TOKEN_PATTERN = {
  android: String.raw`^[\x21-\x7e]{16,4096}$`,
  ios: '^(?:[0-9a-fA-F]{2}){8,100}$',
} as const
const HEX_TOKEN = new RegExp(TOKEN_PATTERN.ios)
const FCM_TOKEN = new RegExp(TOKEN_PATTERN.android)

/** Completes "must be …". */
export const TOKEN_WANTED: Readonly<Record<PushProvider, string>> = {
  apns: 'a device token of APNs: 16 to 200 hexadecimal digits',
  fcm: 'a registration token of FCM: 16 to 4,096 ASCII characters without spaces',
}

/**
 * Converts Apple's tokens to lower case, as they are sent, because a device may report either case.
 * @returns undefined for what cannot be a token of this provider
 */
export function readToken(provider: PushProvider, text: string): string | undefined {
  if (provider === 'apns') return HEX_TOKEN.test(text) ? text.toLowerCase() : undefined
  return FCM_TOKEN.test(text) ? text : undefined
}

/** The first 128 bits of SHA-256, formatted as a UUID. */
export function tokenHashOf(token: string): string {
  const hex = hash('sha256', token)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
