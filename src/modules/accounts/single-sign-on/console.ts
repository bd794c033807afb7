/** Signing in at a provider: the console fetches an address, goes there, and returns with a code. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { AppError, invalidRequest } from '../../../platform/http/errors.ts'
import { createCookies, type SignInDependencies, signInOrigin } from '../sessions/console.ts'
import type { Begun, Completed, SignInRefused, SingleSignOn } from './sign-in.ts'

export type SingleSignOnDependencies = SignInDependencies & {
  /** Undefined where `VIGIL_PUBLIC_URL` is not set. */
  single_sign_on: SingleSignOn | undefined
  /** The name of the provider of the installation, for the button of the sign-in page. */
  provider_name: string | undefined
}

const ROOT = '/console/api/auth/provider'
const EMAIL_MAX_CHARS = 320
const ID_MAX_CHARS = 64
const NEXT_MAX_CHARS = 2000
/** Codes of some providers are encrypted tokens. */
const CODE_MAX_CHARS = 8192
const RETRY_SECONDS = 5
const FORM = 'application/x-www-form-urlencoded'
const LOGOUT_MAX_BYTES = 16_384

export const next = Type.Optional(Type.String({ maxLength: NEXT_MAX_CHARS }))
const begin = Type.Object({
  org_id: Type.Optional(Type.String({ minLength: 1, maxLength: ID_MAX_CHARS })),
  email: Type.Optional(Type.String({ minLength: 3, maxLength: EMAIL_MAX_CHARS })),
  next,
})
const returned = Type.Optional(Type.String({ minLength: 1, maxLength: CODE_MAX_CHARS }))
const complete = Type.Object({
  org_id: Type.Optional(Type.String({ minLength: 1, maxLength: ID_MAX_CHARS })),
  code: returned,
  state: returned,
  iss: returned,
  error: returned,
})

export function singleSignOnRoutes(app: App, deps: SingleSignOnDependencies): void {
  const { single_sign_on, provider_name = null } = deps
  const cookies = createCookies(deps)
  const SIGN_IN = { access: 'public', rate_class: 'sign_in' } as const
  // The secret of the cookie cannot be guessed, and an office can share an address.
  const PUBLIC = { access: 'public', rate_class: 'console' } as const
  const USER = { access: 'user', rate_class: 'console', limited_session: true } as const

  app.get(ROOT, { config: PUBLIC }, () => envelope('Provider', { name: provider_name }))

  app.post(ROOT, { config: SIGN_IN, schema: { body: begin } }, async (request, reply) => {
    cookies.requireConsole(request)
    const { org_id, email } = request.body
    const path = readNext(request.body.next)
    const begun = await configured(single_sign_on).begin({ org_id, email }, path)
    if (begun) return answer(cookies, request, reply, begun)
    if (email === undefined) throw invalidRequest('org_id', 'Single sign-on is not set up here')
    throw invalidRequest(
      'email',
      'No organization signs in with this domain; use the link of your organization, or your password',
    )
  })

  const prove = { config: USER, schema: { body: Type.Object({ next }) } }
  app.post('/console/api/me/provider/prove', prove, async (request, reply) => {
    cookies.requireConsole(request)
    const { user_id, session_id, provider } = request.user
    const who = session_id !== undefined && provider ? { user_id, session_id } : undefined
    const path = readNext(request.body.next)
    const begun = who && (await single_sign_on?.beginProof(who, provider?.org_id ?? null, path))
    if (!begun) throw invalidRequest('provider', 'You have not signed in by a provider')
    return answer(cookies, request, reply, begun)
  })

  app.post(
    `${ROOT}/complete`,
    { config: PUBLIC, schema: { body: complete } },
    async (request, reply) => {
      // Without this, another site could sign its visitors in to another account.
      const secret = cookies.takeFlow(request, reply)
      const { org_id, ...callback } = request.body
      const where = { org_id, callback }
      const origin = await signInOrigin(request, deps, true)
      const done = await configured(single_sign_on).complete(secret ?? '', where, origin)
      return envelope('Signed in at the provider', contentOf(cookies, request, reply, done))
    },
  )
}

/** Requests of the provider, which the signature of their token authenticates. */
export function backChannelRoutes(
  app: App,
  { single_sign_on }: Pick<SingleSignOnDependencies, 'single_sign_on'>,
): void {
  const config = {
    access: 'public',
    rate_class: 'console',
    body: { max_bytes: LOGOUT_MAX_BYTES, binary_types: [FORM] },
  } as const
  const signOut = async (orgId: string | undefined, body: unknown) => {
    if (!Buffer.isBuffer(body)) throw invalidRequest('Content-Type', `Content-Type must be ${FORM}`)
    const token = new URLSearchParams(body.toString('utf8')).get('logout_token')
    const refusal = token && (await configured(single_sign_on).signOutByProvider(orgId, token))
    if (refusal === undefined) return envelope('Signed out', {})
    if (refusal && refusal.refused === 'unreachable') throw refusalOf('unreachable')
    throw invalidRequest('logout_token', 'logout_token must be a new token of the provider')
  }
  const schema = { body: Type.Unknown() }
  app.post(
    `${ROOT}/sign-out`,
    { config, schema },
    async ({ body }) => await signOut(undefined, body),
  )
  const params = Type.Object({ org_id: Type.String() })
  const own = { config, schema: { ...schema, params } }
  app.post(
    `${ROOT}/sign-out/:org_id`,
    own,
    async (request) => await signOut(request.params.org_id, request.body),
  )
}

type Cookies = ReturnType<typeof createCookies>

/** Sends the browser to the provider. The cookie makes its return valid in this browser only. */
export function answer(
  cookies: Cookies,
  request: FastifyRequest,
  reply: FastifyReply,
  begun: Begun | { refused: SignInRefused },
) {
  if ('refused' in begun) throw refusalOf(begun.refused)
  cookies.storeFlow(request, reply, begun.secret)
  return envelope('Sign in at the provider', { url: begun.url })
}

function contentOf(
  cookies: Cookies,
  request: FastifyRequest,
  reply: FastifyReply,
  done: Completed | { refused: SignInRefused },
) {
  if ('refused' in done) throw refusalOf(done.refused)
  if (done.kind !== 'signed_in') return done
  const { signed_in, ...rest } = done
  return { ...rest, ...cookies.store(request, reply, signed_in) }
}

function configured(single_sign_on: SingleSignOn | undefined): SingleSignOn {
  if (single_sign_on) return single_sign_on
  throw invalidRequest('org_id', 'Single sign-on needs VIGIL_PUBLIC_URL, which is not set')
}

/** A page of the console: other addresses could imitate it after the sign-in. */
export function readNext(path = '/'): string {
  // oxlint-disable-next-line no-control-regex
  if (/^\/(?![/\\])[^\\\u0000-\u001f]*$/.test(path)) return path
  throw invalidRequest('next', 'next must be a path of the console')
}

function refusalOf(refused: SignInRefused): AppError {
  const content = { field: 'single_sign_on' }
  const message = MESSAGES[refused]
  return refused === 'unreachable'
    ? new AppError(500, { message, content }, { retry_after_seconds: RETRY_SECONDS })
    : new AppError(401, { message, content })
}

const MESSAGES: Record<SignInRefused, string> = {
  expired: 'This sign-in has expired, was used before, or began in another browser; start again',
  changed: 'The provider was changed in the meantime; start again',
  unreachable: 'The provider does not respond; try again shortly',
  canceled: 'The provider has not signed you in',
  invalid: 'The provider has sent a response that is not valid; start again',
  email_missing: 'The provider has not named your e-mail address',
  email_unverified: 'The provider has not verified your e-mail address',
  email_domain: 'People with this e-mail address may not sign in by this provider',
  no_role: 'Your groups at the provider give you no role here',
  unknown_person: 'You have no account here; ask an administrator for an invitation',
}
