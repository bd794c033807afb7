/**
 * The secret with which an app proves its subscription. It derives from the registration id, which only the
 * app has, and a salt, which only the database has: a registration that is repeated because its response was
 * lost returns the same secret, and neither of both reveals it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../../platform/crypto/tokens.ts'

export const SECRET_PREFIX = 'vps_'
const SALT_BYTES = 16

export type SubscriptionSecret = { secret: string; secret_hash: Buffer; secret_salt: Buffer }

export const newSecret = (registrationId: string): SubscriptionSecret =>
  secretOf(registrationId, randomBytes(SALT_BYTES))

/** @returns undefined unless this registration has issued the secret of the subscription */
export function sameSecret(
  registrationId: string,
  { secret_hash, secret_salt }: { secret_hash: Buffer | null; secret_salt: Buffer | null },
): SubscriptionSecret | undefined {
  if (!secret_hash || !secret_salt) return undefined
  const derived = secretOf(registrationId, secret_salt)
  return timingSafeEqual(derived.secret_hash, secret_hash) ? derived : undefined
}

export const isProvedBy = (
  secretHash: Buffer,
  { secret_hash }: { secret_hash: Buffer | null },
): boolean => secret_hash !== null && timingSafeEqual(secretHash, secret_hash)

function secretOf(registrationId: string, secret_salt: Buffer): SubscriptionSecret {
  const digest = createHmac('sha256', secret_salt).update(registrationId.toLowerCase())
  const secret = `${SECRET_PREFIX}${digest.digest('base64url')}`
  return { secret, secret_hash: hashToken(secret), secret_salt }
}
