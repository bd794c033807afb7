/**
 * Access tokens by OAuth 2 client credentials (RFC 6749 section 4.4): fetched once for concurrent
 * callers, cached until shortly before they expire, and dropped when the server rejects them.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { failureOfStatus, requestJson } from '../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../platform/net/single-flight.ts'

/** Authentication of the client. */
export type ClientAuth =
  | {
      readonly clientSecret: string
      /** `client_secret_basic` (the default) or `client_secret_post`. */
      readonly sendAs?: 'header' | 'body'
    }
  | (PrivateKeyOptions & { /** PKCS #8. */ readonly privateKeyPem: string })
  | (PrivateKeyOptions & { readonly privateKeyJwk: JsonWebKey })

/** `private_key_jwt` (RFC 7523), which the CAMARA security profile requires. */
type PrivateKeyOptions = {
  readonly kid?: string
  /** Default by type of the key: ES256, ES384, ES512, EdDSA, or PS256 for RSA. */
  readonly alg?: string
}

export type OAuthClientOptions = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly auth: ClientAuth
  readonly scope: string
  readonly timeoutMs: number
  readonly now: () => Date
}

export type OAuthClient = {
  getToken(): Promise<Lookup<string>>
  /** Drops this token unless it was replaced in the meantime. */
  forget(token: string): void
}

type StoredToken = { readonly value: string; readonly usable_until: number }

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_LIFETIME_S = 60
/** Used when the server sends no lifetime, which RFC 6749 only recommends. */
const DEFAULT_LIFETIME_S = 300
const MAX_MARGIN_S = 30

/** @throws Error for an unreadable private key */
export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const signer = readSigner(options.auth)
  const flight = createSingleFlight<Lookup<string>>()
  let stored: StoredToken | undefined

  const fetchToken = async (): Promise<Lookup<string>> => {
    const requestedAt = options.now().getTime()
    const fetched = await requestToken(options, signer)
    if (!fetched.known) return fetched
    const { access_token, lifetime_s } = fetched.value
    const margin_s = Math.min(MAX_MARGIN_S, lifetime_s / 10)
    stored = {
      value: access_token,
      usable_until: requestedAt + (lifetime_s - margin_s) * 1_000,
    }
    return known(access_token)
  }

  return {
    async getToken() {
      if (stored !== undefined && stored.usable_until > options.now().getTime()) {
        return known(stored.value)
      }
      return await flight('token', fetchToken)
    },
    forget(token) {
      if (stored?.value === token) stored = undefined
    },
  }
}

type Signer = { readonly key: KeyObject; readonly alg: string; readonly kid: string | undefined }

function readSigner(auth: ClientAuth): Signer | undefined {
  if ('clientSecret' in auth) return undefined
  const key =
    'privateKeyPem' in auth
      ? createPrivateKey(auth.privateKeyPem)
      : createPrivateKey({ key: auth.privateKeyJwk, format: 'jwk' })
  return { key, alg: auth.alg ?? algorithmOf(key), kid: auth.kid }
}

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (curve === 'prime256v1') return 'ES256'
  if (curve === 'secp384r1') return 'ES384'
  return curve === 'secp521r1' ? 'ES512' : 'PS256'
}

async function requestToken(
  options: OAuthClientOptions,
  signer: Signer | undefined,
): Promise<Lookup<{ access_token: string; lifetime_s: number }>> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: options.scope })
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  try {
    await identify(options, signer, form, headers)
  } catch {
    // The key cannot sign with the configured algorithm.
    return unknown('not_configured')
  }
  const answer = await requestJson({
    url: options.tokenUrl,
    method: 'POST',
    headers,
    body: form.toString(),
    timeoutMs: options.timeoutMs,
  })
  if (!answer.known) return answer
  const { status, body } = answer.value
  // By RFC 6749 section 5.2, a refused client gets a 400 or a 401.
  if (status === 400) return unknown('refused')
  if (status !== 200) return unknown(failureOfStatus(status))
  return readToken(body)
}

function readToken(body: unknown): Lookup<{ access_token: string; lifetime_s: number }> {
  const members: { access_token?: unknown; expires_in?: unknown } =
    typeof body === 'object' && body !== null ? body : {}
  const { access_token, expires_in } = members
  if (typeof access_token !== 'string' || access_token === '') return unknown('bad_answer')
  const seconds = Number(expires_in ?? DEFAULT_LIFETIME_S)
  return known({ access_token, lifetime_s: Number.isFinite(seconds) ? seconds : 0 })
}

async function identify(
  options: OAuthClientOptions,
  signer: Signer | undefined,
  form: URLSearchParams,
  headers: Record<string, string>,
): Promise<void> {
  const { auth, clientId } = options
  if (signer !== undefined) {
    form.set('client_id', clientId)
    form.set('client_assertion_type', ASSERTION_TYPE)
    form.set('client_assertion', await signAssertion(options, signer))
  } else if ('clientSecret' in auth && auth.sendAs === 'body') {
    form.set('client_id', clientId)
    form.set('client_secret', auth.clientSecret)
  } else if ('clientSecret' in auth) {
    const pair = `${formEncode(clientId)}:${formEncode(auth.clientSecret)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
}

function signAssertion(
  { clientId, tokenUrl, now }: OAuthClientOptions,
  { key, alg, kid }: Signer,
): Promise<string> {
  const issuedAt = Math.floor(now().getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader(kid === undefined ? { alg } : { alg, kid })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_LIFETIME_S)
    .sign(key)
}

/** RFC 6749 section 2.3.1 requires form encoding, which differs from encodeURIComponent. */
const formEncode = (text: string) => new URLSearchParams({ v: text }).toString().slice(2)
