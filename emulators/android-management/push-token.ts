/** OpenID Connect tokens that Google signs for push requests, and the keys that verify them. */
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { exportJWK, type JSONWebKeySet, SignJWT } from 'jose'
import type { Core } from './core.ts'
import { newRsaKey, type PushConfig, publicKeyOf } from './state.ts'

const ISSUER = 'https://accounts.google.com'
const TOKEN_LIFETIME_S = 3_600
/** A token is reused for half of its lifetime. */
const TOKEN_REUSE_MS = 1_800_000

export type Signer = {
  /** Uses the clock of clients, because they verify tokens by their own clock. */
  tokenFor: (config: PushConfig) => Promise<string>
  keys: () => Promise<JSONWebKeySet>
}

export function createSigner(core: Core): Signer {
  const tokens = new Map<string, { token: string; until_ms: number }>()
  let key: KeyObject | undefined

  const privateKey = (): KeyObject => {
    if (core.state.signing_key === null) {
      core.state.signing_key = newRsaKey()
      core.touch()
    }
    key ??= createPrivateKey(core.state.signing_key)
    return key
  }
  const publicKey = () => {
    privateKey()
    return publicKeyOf(core.state.signing_key ?? '')
  }
  const keyId = (): string =>
    createHash('sha256')
      .update(publicKey().export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .slice(0, 40)

  const tokenFor = async ({ pushEndpoint, oidcToken }: PushConfig): Promise<string> => {
    const email = oidcToken?.serviceAccountEmail ?? ''
    const audience = oidcToken?.audience ?? pushEndpoint
    const now = core.clientNow().getTime()
    const known = tokens.get(`${email} ${audience}`)
    if (known !== undefined && known.until_ms > now) return known.token
    const subject = createHash('sha256').update(email).digest().readUInt32BE(0)
    const token = await new SignJWT({ email, email_verified: true, azp: String(subject) })
      .setProtectedHeader({ alg: 'RS256', kid: keyId(), typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(String(subject))
      .setAudience(audience)
      .setIssuedAt(Math.floor(now / 1_000))
      .setExpirationTime(Math.floor(now / 1_000) + TOKEN_LIFETIME_S)
      .sign(privateKey())
    tokens.set(`${email} ${audience}`, { token, until_ms: now + TOKEN_REUSE_MS })
    return token
  }

  const keys = async (): Promise<JSONWebKeySet> => ({
    keys: [{ ...(await exportJWK(publicKey())), kid: keyId(), alg: 'RS256', use: 'sig' }],
  })

  return { tokenFor, keys }
}
