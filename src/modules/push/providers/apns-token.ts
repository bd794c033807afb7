/**
 * Provider tokens of APNs (Apple, "Establishing a token-based connection to APNs"): one per team and key,
 * shared by all connections and renewed within the intervals that Apple requires.
 */
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'

export type ApnsCredential = {
  readonly team_id: string
  readonly key_id: string
  /** Contents of the `.p8` file (PEM). */
  readonly private_key: string
  readonly environment: 'production' | 'sandbox'
}

export type ApnsTokens = {
  /** @returns undefined when the key cannot be used */
  token(credential: ApnsCredential): string | undefined
  /**
   * Replaces a token that Apple reported as expired.
   *
   * @returns undefined when the last renewal is too recent for Apple to accept another
   */
  renew(credential: ApnsCredential, expired: string): string | undefined
  /** Stops signing new tokens with this key for 20 minutes, after Apple reported too many of them. */
  hold(credential: ApnsCredential): void
}

/**
 * Tokens are issued as of the start of fixed 35-minute periods, so that all processes use the same ones.
 * A token signed at the end of a period is used for 20 more minutes and is then 56 minutes old; Apple
 * accepts 60. With periods of 40 minutes it would be 61 minutes old.
 */
export const PERIOD_MS = 35 * 60_000
/** Periods start late, because Apple rejects times in the future and this clock may be ahead. */
const LATE_MS = 60_000
/** Minimum time between two tokens, as Apple requires it. */
export const RENEWAL_MIN_MS = 20 * 60_000
const KEYS_MAX = 1000
const ID = /^[A-Z0-9]{10}$/

type CachedToken = { key: KeyObject; token: string; issued_ms: number; minted_ms: number }

export function createApnsTokens({ now }: { now: () => Date }): ApnsTokens {
  const cache = new Map<string, CachedToken>()

  const mint = (credential: ApnsCredential, key: KeyObject, issued_ms: number): string => {
    const token = signToken(credential, key, issued_ms)
    const id = credentialId(credential)
    cache.delete(id)
    cache.set(id, { key, token, issued_ms, minted_ms: now().getTime() })
    const [oldest] = cache.keys()
    if (cache.size > KEYS_MAX && oldest !== undefined) cache.delete(oldest)
    return token
  }
  const isRecent = ({ minted_ms }: CachedToken) => now().getTime() - minted_ms < RENEWAL_MIN_MS

  return {
    token: (credential) => {
      const last = cache.get(credentialId(credential))
      const issued_ms = periodStart(now())
      if (last && (last.issued_ms >= issued_ms || isRecent(last))) return last.token
      const key = last?.key ?? readKey(credential)
      return key && mint(credential, key, issued_ms)
    },
    renew: (credential, expired) => {
      const last = cache.get(credentialId(credential))
      if (!last) return undefined
      if (last.token !== expired) return last.token
      const issued_ms = Math.floor(now().getTime() / 1000) * 1000
      // The first renewal may come early, because the token it replaces never worked.
      const isRenewed = last.issued_ms !== periodStart(new Date(last.minted_ms))
      if (last.issued_ms >= issued_ms || (isRenewed && isRecent(last))) return undefined
      return mint(credential, last.key, issued_ms)
    },
    hold: (credential) => {
      const last = cache.get(credentialId(credential))
      if (last) last.minted_ms = now().getTime()
    },
  }
}

/** Identifies a credential by its ids and key file: another file under the same ids is another key. */
export function credentialId({ team_id, key_id, private_key }: ApnsCredential): string {
  const fingerprint = hash('sha256', private_key, 'base64url')
  return `${team_id} ${key_id} ${fingerprint}`
}

/** @returns a sentence that does not reveal the key, or undefined when the key can be used */
export function findKeyFault(credential: Omit<ApnsCredential, 'environment'>): string | undefined {
  if (!ID.test(credential.team_id))
    return 'The Team ID does not consist of ten capital letters or digits'
  if (!ID.test(credential.key_id))
    return 'The Key ID does not consist of ten capital letters or digits'
  const isKey = parseKey(credential.private_key) !== undefined
  return isKey
    ? undefined
    : 'The key is not a .p8 file from Apple, which holds a private key on the curve P-256'
}

const readKey = (credential: ApnsCredential): KeyObject | undefined =>
  findKeyFault(credential) === undefined ? parseKey(credential.private_key) : undefined

function parseKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return key.asymmetricKeyType === 'ec' && isP256 ? key : undefined
  } catch {
    return undefined
  }
}

const periodStart = (now: Date): number =>
  Math.floor((now.getTime() - LATE_MS) / PERIOD_MS) * PERIOD_MS

/** ES256 (RFC 7518, section 3.4). Synchronous, so that no other token is signed in the meantime. */
function signToken({ key_id, team_id }: ApnsCredential, key: KeyObject, issuedMs: number): string {
  const header = encoded({ alg: 'ES256', kid: key_id })
  const claims = encoded({ iss: team_id, iat: issuedMs / 1000 })
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), {
    key,
    dsaEncoding: 'ieee-p1363',
  })
  return `${header}.${claims}.${signature.toString('base64url')}`
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
