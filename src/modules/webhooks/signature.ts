/** Signing of deliveries (specification, "Delivery rules") and generation of signing secrets. */
import { createHmac } from 'node:crypto'
import { newToken } from '../../platform/crypto/tokens.ts'

const SECRET_PREFIX = 'whsec_'
const SHOWN_CHARS = 4

export type NewSecret = { secret: string; secret_prefix: string }

/**
 * 40 base62 characters with the checksum are also 30 bytes in base64 without padding, which is the form of secrets
 * in Standard Webhooks.
 */
const RANDOM_CHARS = 34

/** `whsec_`, random base62 characters and a checksum. The prefix shows the first four. */
export function newSecret(): NewSecret {
  const secret = newToken(SECRET_PREFIX, RANDOM_CHARS)
  return { secret, secret_prefix: secret.slice(0, SECRET_PREFIX.length + SHOWN_CHARS) }
}

/** Context that binds a sealed signing secret to its endpoint. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`

export type SignedDelivery = {
  /** The whole secret, including `whsec_`. */
  secret: string
  /** The secret before the last roll, while both sign. */
  previous_secret?: string | undefined
  body: string
  event_id: string
  event_type: string
  /** Whether it was sent to test the receiver. */
  is_test?: boolean | undefined
  /** Time of the attempt, not of the event, because receivers refuse old signatures. */
  now: Date
}

/**
 * Signs in the documented form, and in that of Standard Webhooks, which has room for a second signature: the
 * documented verifiers accept one signature only.
 */
export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const { secret, previous_secret, body, event_id, now } = delivery
  const t = Math.floor(now.getTime() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  const secrets = previous_secret === undefined ? [secret] : [secret, previous_secret]
  const signed = `${event_id}.${t}.${body}`
  return {
    ...constantHeaders(delivery),
    'x-service-signature': `t=${t},v1=${v1}`,
    'webhook-timestamp': `${t}`,
    'webhook-signature': secrets.map((one) => `v1,${standardMac(one, signed)}`).join(' '),
  }
}

const standardMac = (secret: string, signed: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .update(signed)
    .digest('base64')

/** Headers that are the same in every attempt. */
export const constantHeaders = ({
  event_id,
  event_type,
  is_test = false,
}: Pick<SignedDelivery, 'event_id' | 'event_type' | 'is_test'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Vigil-Webhooks',
  'x-service-event': event_type,
  'x-service-delivery': event_id,
  'webhook-id': event_id,
  ...(is_test && { 'x-service-test': 'true' }),
})
