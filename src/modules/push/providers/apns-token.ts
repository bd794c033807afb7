/**
 * Provider tokens of APNs (Apple, "Establishing a token-based connection to APNs"): one per team and
 * key for all connections, renewed neither too late nor too often.
 */
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'

export type ApnsCredential = {
  readonly team_id: string
  readonly key_id: string
  /** The `.p8` file: PEM. */
  readonly private_key: string
  readonly environment: 'production' | 'sandbox'
}

export type ApnsTokens = {
  /** Undefined when the key cannot be used. */
  token(credential: ApnsCredential): string | undefined
  /**
   * Another token, once Apple said that this one has expired; undefined when there was one lately,
   * because Apple takes no more.
   */
  renew(credential: ApnsCredential, expired: string): string | undefined
  /** Nothing is minted for this key for a while: Apple had too many tokens of it. */
  hold(credential: ApnsCredential): void
}

/**
 * Tokens begin at full 35 minutes, the same for all processes, so that Apple sees few. A token that
 * was made at the end of its period is kept until 20 minutes later and is then 56 minutes old, of 60
 * that Apple takes; with periods of 40 minutes it would be 61.
 */
export const PERIOD_MS = 35 * 60_000
/** A period begins late, for clocks that are ahead of Apple's, which takes no time to come. */
const LATE_MS = 60_000
/** Apple's least distance between two tokens. */
export const RENEWAL_MIN_MS = 20 * 60_000
const KEYS_MAX = 1000
const ID = /^[A-Z0-9]{10}$/

type Kept = { key: KeyObject; token: string; issued_ms: number; minted_ms: number }

export function createApnsTokens({ now }: { now: () => Date }): ApnsTokens {
  const kept = new Map<string, Kept>()

  const mint = (credential: ApnsCredential, key: KeyObject, issued_ms: number): string => {
    const token = signToken(credential, key, issued_ms)
    const id = credentialId(credential)
    kept.delete(id)
    kept.set(id, { key, token, issued_ms, minted_ms: now().getTime() })
    const [oldest] = kept.keys()
    if (kept.size > KEYS_MAX && oldest !== undefined) kept.delete(oldest)
    return token
  }
  const isRecent = ({ minted_ms }: Kept) => now().getTime() - minted_ms < RENEWAL_MIN_MS

  return {
    token: (credential) => {
      const last = kept.get(credentialId(credential))
      const issued_ms = periodStart(now())
      if (last && (last.issued_ms >= issued_ms || isRecent(last))) return last.token
      const key = last?.key ?? readKey(credential)
      return key && mint(credential, key, issued_ms)
    },
    renew: (credential, expired) => {
      const last = kept.get(credentialId(credential))
      if (!last) return undefined
      if (last.token !== expired) return last.token
      const issued_ms = Math.floor(now().getTime() / 1000) * 1000
      // The first renewal may come early: the token before was of no use.
      const isRenewed = last.issued_ms !== periodStart(new Date(last.minted_ms))
      if (last.issued_ms >= issued_ms || (isRenewed && isRecent(last))) return undefined
      return mint(credential, last.key, issued_ms)
    },
    hold: (credential) => {
      const last = kept.get(credentialId(credential))
      if (last) last.minted_ms = now().getTime()
    },
  }
}

/** Which team and key, and which file: another one under the same names is another credential. */
export function credentialId({ team_id, key_id, private_key }: ApnsCredential): string {
  const fingerprint = hash('sha256', private_key, 'base64url')
  return `${team_id} ${key_id} ${fingerprint}`
}

/** A sentence about what is wrong, which shows nothing of the key; undefined when it can be used. */
export function findKeyFault(credential: Omit<ApnsCredential, 'environment'>): string | undefined {
  if (!ID.test(credential.team_id)) return 'The Team ID has not ten capital letters and digits'
  if (!ID.test(credential.key_id)) return 'The Key ID has not ten capital letters and digits'
  const isKey = parseKey(credential.private_key) !== undefined
  return isKey ? undefined : 'The key is not a .p8 file of Apple: a private key on the curve P-256'
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

/** ES256 (RFC 7518 section 3.4), at once, so that nobody else mints meanwhile. */
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
