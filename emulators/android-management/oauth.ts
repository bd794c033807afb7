/**
 * The token endpoint: a service account trades a signed assertion for an access token (RFC 7523,
 * https://developers.google.com/identity/protocols/oauth2/service-account), and bearer tokens are
 * checked on the APIs. All of it by the clock of clients, which sign with theirs.
 */
import { randomBytes } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import type { HttpReply, HttpRequest } from '../http-server.ts'
import type { Core } from './core.ts'
import { ApiError } from './errors.ts'
import { PROJECT, publicKeyOf } from './state.ts'

export const CLIENT_EMAIL = `android-management@${PROJECT}.iam.gserviceaccount.com`
const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/'
const ALL_OF_GOOGLE_CLOUD = `${SCOPE_PREFIX}cloud-platform`
const LIFETIME_S = 3_599
const MAX_ASSERTION_S = 3_600
const MAX_TOKENS = 10_000

/** The file that an operator uploads. */
export type ServiceAccount = {
  readonly type: 'service_account'
  readonly project_id: string
  readonly private_key_id: string
  /** PEM of PKCS #8. */
  readonly private_key: string
  readonly client_email: string
  readonly token_uri: string
}

export const serviceAccountOf = ({ state, url }: Core): ServiceAccount => ({
  type: 'service_account',
  project_id: PROJECT,
  ...state.service_account,
  client_email: CLIENT_EMAIL,
  token_uri: `${url()}/token`,
})

/** Answers `POST /token`. */
export async function issueToken(core: Core, request: HttpRequest): Promise<HttpReply> {
  const form = new URLSearchParams(request.body)
  if (form.get('grant_type') !== GRANT_TYPE) {
    return failure('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`)
  }
  const audience = [
    GOOGLE_AUDIENCE,
    `${core.url()}/token`,
    // By whatever other name it was reached.
    `http://${request.headers['host'] ?? ''}/token`,
  ]
  const verified = await verifyAssertion(core, form.get('assertion') ?? '', audience)
  if (typeof verified === 'string') return failure('invalid_grant', verified)
  const scopes = verified.scope.split(' ').filter(Boolean)
  if (scopes.length === 0 || !scopes.every((scope) => scope.startsWith(SCOPE_PREFIX))) {
    return failure('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
  }
  const access_token = `ya29.${randomBytes(48).toString('base64url')}`
  const { access_tokens } = core.state
  if (access_tokens.size >= MAX_TOKENS) access_tokens.clear()
  const expires_at_ms = core.clientNow().getTime() + LIFETIME_S * 1_000
  access_tokens.set(access_token, { scopes, expires_at_ms })
  core.touch()
  return { status: 200, body: { access_token, expires_in: LIFETIME_S, token_type: 'Bearer' } }
}

/** @returns the scope, or the sentence that says what is wrong with the assertion */
async function verifyAssertion(
  core: Core,
  assertion: string,
  audience: string[],
): Promise<{ scope: string } | string> {
  const { service_account } = core.state
  try {
    if (decodeJwt(assertion).iss !== CLIENT_EMAIL) return 'Invalid grant: account not found'
    const { payload, protectedHeader } = await jwtVerify(
      assertion,
      publicKeyOf(service_account.private_key),
      {
        algorithms: ['RS256'],
        audience,
        currentDate: core.clientNow(),
        clockTolerance: 60,
        requiredClaims: ['iat', 'exp'],
      },
    )
    const { iat = 0, exp = 0, scope } = payload
    const isOtherKey = ![undefined, service_account.private_key_id].includes(protectedHeader.kid)
    if (isOtherKey) return 'Invalid JWT Signature.'
    const ahead = iat - core.clientNow().getTime() / 1_000
    if (exp - iat > MAX_ASSERTION_S || ahead > 60) return BAD_TIMES
    return { scope: typeof scope === 'string' ? scope : '' }
  } catch (error) {
    return sentenceOf(error as { code?: string; claim?: string })
  }
}

const BAD_TIMES =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'

function sentenceOf({ code, claim }: { code?: string; claim?: string }): string {
  if (code === 'ERR_JWT_EXPIRED' || claim === 'iat' || claim === 'exp') return BAD_TIMES
  if (claim === 'aud') return `Invalid JWT: Failed audience check. Use ${GOOGLE_AUDIENCE}`
  return 'Invalid JWT Signature.'
}

const failure = (error: string, error_description: string): HttpReply => ({
  status: 400,
  body: { error, error_description },
})

/** Throws unless the request has a bearer token that is good for an API. */
export function authorize(core: Core, request: HttpRequest, api: 'androidmanagement' | 'pubsub') {
  const header = request.headers['authorization']
  const [, token] = /^Bearer (\S+)$/i.exec(header ?? '') ?? []
  const grant = token === undefined ? undefined : core.state.access_tokens.get(token)
  if (grant === undefined || grant.expires_at_ms <= core.clientNow().getTime()) {
    const what =
      header === undefined
        ? 'Request is missing required authentication credential.'
        : 'Request had invalid authentication credentials.'
    throw new ApiError('UNAUTHENTICATED', `${what} Expected OAuth 2 access token.`)
  }
  const isAllowed = [`${SCOPE_PREFIX}${api}`, ALL_OF_GOOGLE_CLOUD].some((scope) =>
    grant.scopes.includes(scope),
  )
  if (!isAllowed) {
    throw new ApiError('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
      },
    ])
  }
}
