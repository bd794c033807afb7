/** How a delivery is signed (specification, "Delivery rules"), and the secret it is signed with. */
import { createHmac } from 'node:crypto'
import { newToken } from '../../platform/crypto/tokens.ts'

const SECRET_PREFIX = 'whsec_'
const SHOWN_CHARS = 4

export type NewSecret = { secret: string; secret_prefix: string }

/** `whsec_`, 32 random base62 characters, 6 of checksum. The first four stay visible. */
export function newSecret(): NewSecret {
  const secret = newToken(SECRET_PREFIX)
  return { secret, secret_prefix: secret.slice(0, SECRET_PREFIX.length + SHOWN_CHARS) }
}

export type SignedDelivery = {
  /** The secret as it was shown, prefix included. */
  secret: string
  body: string
  event_id: string
  event_type: string
  /** Of the attempt, not of the event: receivers refuse what is stale. */
  now: Date
}

export function signedHeaders(delivery: SignedDelivery): Record<string, string> {
  const { secret, body, now } = delivery
  const t = Math.floor(now.getTime() / 1000)
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return { ...constantHeaders(delivery), 'x-service-signature': `t=${t},v1=${v1}` }
}

/** What does not differ from attempt to attempt. */
export const constantHeaders = ({
  event_id,
  event_type,
}: Pick<SignedDelivery, 'event_id' | 'event_type'>): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Vigil-Webhooks',
  'x-service-event': event_type,
  'x-service-delivery': event_id,
})
