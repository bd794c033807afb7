/**
 * What a receiver of webhooks does with the signature header, as an example of how to do it:
 * `X-Service-Signature: t=<unix seconds>,v1=<hex>` with HMAC-SHA256 over `<t>.<raw body>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `unchecked`: the receiver was told no secret. */
export type SignatureState = 'valid' | 'invalid' | 'stale' | 'malformed' | 'missing' | 'unchecked'

export type SignatureCheck = {
  readonly header: string | undefined
  /** The bytes as they came, not a document that was parsed and written again. */
  readonly body: Buffer
  /** During a rotation there are two. */
  readonly secrets: readonly string[]
  readonly tolerance_s: number
  readonly now: Date
}

export function checkSignature(check: SignatureCheck): SignatureState {
  const { header, body, secrets, tolerance_s, now } = check
  if (header === undefined) return 'missing'
  const { time, digests } = readHeader(header)
  if (time === undefined || digests.length === 0) return 'malformed'
  if (secrets.length === 0) return 'unchecked'
  const isGenuine = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
    return digests.some((digest) => timingSafeEqual(digest, expected))
  })
  if (!isGenuine) return 'invalid'
  return Math.abs(now.getTime() / 1000 - Number(time)) > tolerance_s ? 'stale' : 'valid'
}

/** Other members than `t` and `v1` are for other versions and are passed over. */
function readHeader(header: string): { time: string | undefined; digests: Buffer[] } {
  const members = header.split(',').map((member) => member.trim())
  const values = (name: string) =>
    members.filter((member) => member.startsWith(`${name}=`)).map((m) => m.slice(name.length + 1))
  const [time] = values('t').filter((value) => /^\d{1,12}$/.test(value))
  const digests = values('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  return { time, digests: digests.map((digest) => Buffer.from(digest, 'hex')) }
}
