/**
 * The token endpoint of Google for emulators of several projects: a service account exchanges a signed
 * assertion for an access token
 * (RFC 7523, https://developers.google.com/identity/protocols/oauth2/service-account).
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import { ApiError } from './google-errors.ts'

/** The key file of a service account, which an operator uploads. */
export type ServiceAccount = {
  readonly type: 'service_account'
  readonly project_id: string
  readonly private_key_id: string
  /** PKCS #8 in PEM. */
  readonly private_key: string
  readonly client_email: string
  readonly token_uri: string
}

export type Grant = {
  readonly project_id: string
  readonly scopes: readonly string[]
  readonly expires_at_ms: number
}

type TokenAnswer = { readonly status: number; readonly body: unknown }

export type GoogleOauth = {
  /** Adds an account, or replaces the one with the same address. */
  add: (account: ServiceAccount) => void
  find: (projectId: string) => ServiceAccount | undefined
  /** Answers `POST /token`. @param form body of the request */
  issue: (form: string, audience: readonly string[]) => Promise<TokenAnswer>
  /** Returns the grant of a token; undefined when it was not issued here or has expired. */
  findGrant: (token: string) => Grant | undefined
  expireAll: () => void
}

export const SCOPE_PREFIX = 'https://www.googleapis.com/auth/'

const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const LIFETIME_S = 3_599
const ASSERTION_MAX_S = 3_600
const TOLERANCE_S = 60
const TOKENS_MAX = 10_000
const BAD_TIMES =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.'
const BAD_SIGNATURE = 'Invalid JWT Signature.'

type Account = { readonly file: ServiceAccount; readonly key: KeyObject }

/** @param grants store of the issued tokens, for emulators that persist them */
export function createGoogleOauth(
  now: () => Date,
  grants: Map<string, Grant> = new Map<string, Grant>(),
): GoogleOauth {
  const accounts = new Map<string, Account>()

  const issue: GoogleOauth['issue'] = async (text, audience) => {
    const form = new URLSearchParams(text)
    if (form.get('grant_type') !== GRANT_TYPE) {
      return failure('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`)
    }
    const assertion = form.get('assertion') ?? ''
    const account = accounts.get(issuerOf(assertion))
    if (account === undefined) {
      return failure('invalid_grant', 'Invalid grant: account not found')
    }
    const audiences = [GOOGLE_AUDIENCE, ...audience]
    const verified = await verifyAssertion(assertion, account, audiences, now())
    if ('fault' in verified) return failure('invalid_grant', verified.fault)
    const scopes = verified.scope.split(' ').filter(Boolean)
    if (scopes.length === 0 || !scopes.every((scope) => scope.startsWith(SCOPE_PREFIX))) {
      return failure('invalid_scope', 'Invalid OAuth scope or ID token audience provided.')
    }
    const access_token = `ya29.${randomBytes(48).toString('base64url')}`
    if (grants.size >= TOKENS_MAX) grants.clear()
    const { project_id } = account.file
    const expires_at_ms = now().getTime() + LIFETIME_S * 1_000
    grants.set(access_token, { project_id, scopes, expires_at_ms })
    return { status: 200, body: { access_token, expires_in: LIFETIME_S, token_type: 'Bearer' } }
  }

  return {
    add: (file) => {
      accounts.set(file.client_email, { file, key: createPublicKey(file.private_key) })
    },
    find: (projectId) =>
      [...accounts.values()].find(({ file }) => file.project_id === projectId)?.file,
    issue,
    findGrant: (token) => {
      const grant = grants.get(token)
      return grant !== undefined && grant.expires_at_ms > now().getTime() ? grant : undefined
    },
    expireAll: () => grants.clear(),
  }
}

/** @throws ApiError unless the header has a valid bearer token with one of the scopes */
export function authorizeBearer(
  oauth: GoogleOauth,
  header: string | undefined,
  scopes: readonly string[],
): Grant {
  const [, token] = /^Bearer (\S+)$/i.exec(header ?? '') ?? []
  const grant = token === undefined ? undefined : oauth.findGrant(token)
  if (grant === undefined) {
    const reason =
      header === undefined
        ? 'Request is missing required authentication credential.'
        : 'Request had invalid authentication credentials.'
    throw new ApiError('UNAUTHENTICATED', `${reason} Expected OAuth 2 access token.`)
  }
  if (scopes.some((scope) => grant.scopes.includes(scope))) return grant
  throw new ApiError('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      domain: 'googleapis.com',
    },
  ])
}

export function createServiceAccount(projectId: string, tokenUri: string): ServiceAccount {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return {
    type: 'service_account',
    project_id: projectId,
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: `firebase-adminsdk@${projectId}.iam.gserviceaccount.com`,
    token_uri: tokenUri,
  }
}

function issuerOf(assertion: string): string {
  try {
    return decodeJwt(assertion).iss ?? ''
  } catch {
    return ''
  }
}

async function verifyAssertion(
  assertion: string,
  { file, key }: Account,
  audience: string[],
  now: Date,
): Promise<{ scope: string } | { fault: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, key, {
      algorithms: ['RS256'],
      audience,
      currentDate: now,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ['iat', 'exp'],
    })
    const { iat = 0, exp = 0, scope } = payload
    if (![undefined, file.private_key_id].includes(protectedHeader.kid)) {
      return { fault: BAD_SIGNATURE }
    }
    const ahead_s = iat - now.getTime() / 1_000
    if (exp - iat > ASSERTION_MAX_S || ahead_s > TOLERANCE_S) return { fault: BAD_TIMES }
    return { scope: typeof scope === 'string' ? scope : '' }
  } catch (error) {
    return { fault: describeFault(error as { code?: string; claim?: string }) }
  }
}

function describeFault({ code, claim }: { code?: string; claim?: string }): string {
  if (code === 'ERR_JWT_EXPIRED' || claim === 'iat' || claim === 'exp') return BAD_TIMES
  if (claim === 'aud') return `Invalid JWT: Failed audience check. Use ${GOOGLE_AUDIENCE}`
  return BAD_SIGNATURE
}

const failure = (error: string, error_description: string): TokenAnswer => ({
  status: 400,
  body: { error, error_description },
})
