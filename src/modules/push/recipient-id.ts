/** Id of a message for one subscription. It is derived, not stored, and the same in every attempt. */
import { hash } from 'node:crypto'

/**
 * UUID version 8 (RFC 9562, section 5.8): the first bits of SHA-256 over both ids, which must be in lower
 * case, as the database returns them.
 */
export function recipientIdOf(messageId: string, subscriptionId: string): string {
  const hex = hash('sha256', `${messageId}:${subscriptionId}`)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  const time = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}`
  return `${time}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
