/** Signing of deliveries (specification, "Delivery rules") and generation of signing secrets. */
import { createHmac } from 'node:crypto'
import { newToken } from '../../platform/crypto/tokens.ts'

const SECRET_PREFIX = 'whsec_'
const SHOWN_CHARS = 4

export type NewSecret = { secret: string; secret_prefix: string }

/** `whsec_`, 32 random base62 characters and a checksum of 6. The prefix shows the first four. */
export function newSecret(): NewSecret {
  const secret = newToken(SECRET_PREFIX)
  return { secret, secret_prefix: secret.slice(0, SECRET_PREFIX.length + SHOWN_CHARS) }
}

/** Context that binds a sealed signing secret to its endpoint. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`

export type SignedDelivery = {
  /** The whole secret, including `whsec_`. */
  secret: string
  body: string
  event_id: string
  event_type: string
  /** Time of the attempt, not of the event, because receivers refuse old signatures. */
  now: Date
}

export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const { secret, body, now } = delivery
  const t = Math.floor(now.getTime() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return { ...constantHeaders(delivery), 'x-service-signature': `t=${t},v1=${v1}` }
}

/** Headers that are the same in every attempt. */
export const constantHeaders = ({
  event_id,
  event_type,
}: Pick<SignedDelivery, 'event_id' | 'event_type'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Vigil-Webhooks',
  'x-service-event': event_type,
  'x-service-delivery': event_id,
})
