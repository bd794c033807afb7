/**
 * The authorization server of the CAMARA operator emulator: client credentials (RFC 6749 section
 * 4.4) with client_secret_basic, client_secret_post or private_key_jwt (RFC 7523), and the check of
 * bearer tokens on the API.
 */
import { randomBytes } from 'node:crypto'
import { decodeJwt, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import type { CamaraScenario, Client, Token } from './camara-scenario.ts'
import type { HttpReply, HttpRequest } from './http-server.ts'

/** The scopes of a client whose scenario entry does not restrict them. */
const KNOWN_SCOPES = [
  'openid',
  'sim-swap',
  'sim-swap:check',
  'sim-swap:retrieve-date',
  'dpv:FraudPreventionAndDetection',
]
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const DEFAULT_LIFETIME_S = 300
const MAX_ASSERTION_S = 300
const MAX_TOKENS = 10_000

export type Grant = { readonly scopes: readonly string[]; readonly phone_number?: string }

export type TokenServer = {
  /** Answers `POST {tokenUrl}`. */
  issue(scenario: CamaraScenario, request: HttpRequest, tokenUrl: string): Promise<HttpReply>
  /** Returns the grant of a bearer token; undefined when it is unknown or has expired. */
  find(scenario: CamaraScenario, token: string): Grant | undefined
  /** Invalidates every issued token, which happens when an operator rotates its keys. */
  revokeAll(): void
}

type Verification = {
  readonly scenario: CamaraScenario
  readonly tokenUrl: string
  readonly now: Date
  /** Identifiers of the assertions that were accepted: each is valid once. */
  readonly usedAssertions: Set<string>
}

export function createTokenServer(now: () => Date): TokenServer {
  const issued = new Map<string, Grant & { readonly expires_at: number }>()
  const usedAssertions = new Set<string>()
  return {
    async issue(scenario, request, tokenUrl) {
      const form = new URLSearchParams(request.body)
      const verification = { scenario, tokenUrl, now: now(), usedAssertions }
      const client = await authenticate(request, form, verification)
      if (client === undefined) return clientFailure(request)
      if (form.get('grant_type') !== 'client_credentials') return failure('unsupported_grant_type')
      const scopes = (form.get('scope') ?? '').split(' ').filter(Boolean)
      if (!grantable(client, scopes)) return failure('invalid_scope')
      if (issued.size >= MAX_TOKENS) issued.clear()
      const lifetime = scenario.token_lifetime_s ?? DEFAULT_LIFETIME_S
      const access_token = randomBytes(24).toString('base64url')
      issued.set(access_token, { scopes, expires_at: now().getTime() + lifetime * 1_000 })
      return {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: { access_token, token_type: 'Bearer', expires_in: lifetime, scope: scopes.join(' ') },
      }
    },
    find(scenario, token) {
      const scripted = scenario.tokens?.find((entry) => entry.access_token === token)
      if (scripted !== undefined) return scripted.expired === true ? undefined : grantOf(scripted)
      const grant = issued.get(token)
      return grant !== undefined && grant.expires_at > now().getTime() ? grant : undefined
    },
    revokeAll: () => issued.clear(),
  }
}

function grantOf(token: Token): Grant {
  const scopes = token.scope.split(' ')
  return token.phone_number === undefined
    ? { scopes }
    : { scopes, phone_number: token.phone_number }
}

/** The security profile requires a scope and allows one purpose. */
function grantable(client: Client, scopes: readonly string[]): boolean {
  const allowed = client.scopes ?? KNOWN_SCOPES
  const purposes = scopes.filter((scope) => scope.startsWith('dpv:'))
  const known = scopes.every((scope) => allowed.includes(scope))
  return scopes.length > 0 && purposes.length <= 1 && known
}

async function authenticate(
  request: HttpRequest,
  form: URLSearchParams,
  verification: Verification,
): Promise<Client | undefined> {
  const assertion = form.get('client_assertion')
  if (assertion !== null) {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE) return undefined
    return await authenticateByAssertion(assertion, verification)
  }
  const basic = basicCredentials(request.headers['authorization'])
  const id = basic?.id ?? form.get('client_id')
  const secret = basic?.secret ?? form.get('client_secret')
  const client = verification.scenario.clients.find((entry) => entry.client_id === id)
  return client?.client_secret !== undefined && client.client_secret === secret ? client : undefined
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicCredentials(header: string | undefined) {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon === -1) return undefined
  return { id: formDecode(pair.slice(0, colon)), secret: formDecode(pair.slice(colon + 1)) }
}

const formDecode = (text: string) => new URLSearchParams(`value=${text}`).get('value') ?? ''

async function authenticateByAssertion(
  assertion: string,
  { scenario, tokenUrl, now, usedAssertions }: Verification,
): Promise<Client | undefined> {
  try {
    const { iss } = decodeJwt(assertion)
    const client = scenario.clients.find((entry) => entry.client_id === iss)
    for (const jwk of client?.public_keys ?? []) {
      const payload = await verify(assertion, jwk, tokenUrl, now)
      if (payload === undefined) continue
      const { jti, sub, exp = 0, iat } = payload
      const tooLong = exp - now.getTime() / 1_000 > MAX_ASSERTION_S
      if (sub !== iss || jti === undefined || iat === undefined || tooLong) return undefined
      if (usedAssertions.has(jti)) return undefined
      if (usedAssertions.size >= MAX_TOKENS) usedAssertions.clear()
      usedAssertions.add(jti)
      return client
    }
  } catch {
    return undefined
  }
  return undefined
}

async function verify(
  assertion: string,
  jwk: Readonly<Record<string, unknown>>,
  audience: string,
  now: Date,
): Promise<JWTPayload | undefined> {
  try {
    const alg = typeof jwk['alg'] === 'string' ? jwk['alg'] : 'ES256'
    const key = await importJWK(jwk as JWK, alg)
    const { payload, protectedHeader } = await jwtVerify(assertion, key, {
      algorithms: [alg],
      audience,
      currentDate: now,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'jti'],
    })
    const kid = jwk['kid']
    const otherKey =
      kid !== undefined && protectedHeader.kid !== undefined && kid !== protectedHeader.kid
    return otherKey ? undefined : payload
  } catch {
    return undefined
  }
}

/** A client that authenticated by Basic is challenged by Basic (RFC 6749 section 5.2). */
function clientFailure(request: HttpRequest): HttpReply {
  const usedBasic = request.headers['authorization'] !== undefined
  return {
    ...failure('invalid_client'),
    status: 401,
    headers: usedBasic ? { 'www-authenticate': 'Basic realm="camara"' } : {},
  }
}

const failure = (error: string): HttpReply => ({ status: 400, body: { error } })
