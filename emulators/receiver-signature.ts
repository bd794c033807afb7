/**
 * Verifies the signature of a webhook delivery, as an example for receivers:
 * `X-Service-Signature: t=<unix seconds>,v1=<hex>` with HMAC-SHA256 over `<t>.<raw body>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `unchecked`: the receiver has no secret. */
export type SignatureState = 'valid' | 'invalid' | 'stale' | 'malformed' | 'missing' | 'unchecked'

export type SignatureCheck = {
  readonly header: string | undefined
  /** The bytes as received: a document that was parsed and serialized again differs. */
  readonly body: Buffer
  /** The secrets that are valid; two while a secret is rotated. */
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

/** Ignores members other than `t` and `v1`, which belong to other versions of the scheme. */
function readHeader(header: string): { time: string | undefined; digests: Buffer[] } {
  const members = header.split(',').map((member) => member.trim())
  const values = (name: string) =>
    members.filter((member) => member.startsWith(`${name}=`)).map((m) => m.slice(name.length + 1))
  const [time] = values('t').filter((value) => /^\d{1,12}$/.test(value))
  const digests = values('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  return { time, digests: digests.map((digest) => Buffer.from(digest, 'hex')) }
}
