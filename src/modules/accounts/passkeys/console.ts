/** Passkeys: the own ones of the signed-in user, and signing in with one. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { AppError, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { refuseWhenBusy } from '../password-refusals.ts'
import { unprovedChange } from '../second-factor/unproved.ts'
import {
  createCookies,
  type SignInDependencies,
  signInOrigin,
  tokensOf,
} from '../sessions/console.ts'
import type { PasskeyRefused, Passkeys, Site } from './service.ts'

const USER = { access: 'user', rate_class: 'console' } as const
/** Limited like sign-in, against guessing at an unlocked screen. */
const GUESSABLE = { access: 'user', rate_class: 'sign_in' } as const
const PUBLIC = { access: 'public', rate_class: 'sign_in' } as const
const ROOT = '/console/api/me/passkeys'
const AUTH = '/console/api/auth/passkey'

const SECRET_MAX_CHARS = 1024
const NAME_MAX_CHARS = 100
/** Attestations with certificates are the longest member. */
const MEMBER_MAX_CHARS = 20_000
const CONTROL = /\p{Cc}/u

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
const text = Type.String({ minLength: 1, maxLength: MEMBER_MAX_CHARS })
const common = { id: text, rawId: text, type: Type.Literal('public-key') }
const extensions = { clientExtensionResults: Type.Object({}) }
const registration = Type.Object({
  ...common,
  ...extensions,
  response: Type.Object({ clientDataJSON: text, attestationObject: text }),
})
const assertion = Type.Object({
  ...common,
  ...extensions,
  response: Type.Object({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
const params = Type.Object({ id: Type.String() })
const password = Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })

export function passkeyRoutes(
  app: App,
  { accounts, public_url }: { accounts: Passkeys; public_url: string | undefined },
): void {
  app.get(ROOT, { config: USER }, async ({ user }) =>
    envelope('Passkeys', { passkeys: await accounts.listPasskeys(user.user_id) }),
  )

  const begin = { config: GUESSABLE, schema: { body: Type.Object({ password }) } }
  app.post(`${ROOT}/begin`, begin, async (request) => {
    const { user, body } = request
    const begun = accounts.beginPasskey(user, body.password, siteOf(request, public_url))
    return envelope('Create the passkey', accepted(await begun.catch(refuseWhenBusy)))
  })

  const add = { config: USER, schema: { body: Type.Object({ name, response: registration }) } }
  app.post(ROOT, add, async (request) => {
    const passkey = { ...request.body, name: readName(request.body.name) }
    accepted(await accounts.addPasskey(request.user, passkey, siteOf(request, public_url)))
    return envelope('Passkey added', {})
  })

  const rename = { config: USER, schema: { params, body: Type.Object({ name }) } }
  app.patch(`${ROOT}/:id`, rename, async ({ user, params: { id }, body }) => {
    if (!(await accounts.renamePasskey(user.user_id, id, readName(body.name)))) throw notFound()
    return envelope('Passkey renamed', {})
  })

  app.delete(
    `${ROOT}/:id`,
    { config: USER, schema: { params } },
    async ({ user, params: { id } }) => {
      if (!accepted(await accounts.removePasskey(user, id))) throw notFound()
      return envelope('Passkey removed', {})
    },
  )

  app.post(`${ROOT}/challenge`, { config: USER }, async (request) => {
    const site = siteOf(request, public_url)
    return envelope('Sign this', await accounts.challengePasskey(request.user.user_id, site))
  })

  const prove = { config: GUESSABLE, schema: { body: Type.Object({ response: assertion }) } }
  app.post(`${ROOT}/prove`, prove, async (request) => {
    const { user, body } = request
    if (!(await accounts.provePasskey(user, body.response, siteOf(request, public_url)))) {
      throw refusalOf('invalid')
    }
    return envelope('Confirmed', {})
  })
}

const signIn = Type.Object({ response: assertion, cookie: Type.Optional(Type.Boolean()) })

export function passkeySignInRoutes(
  app: App,
  deps: SignInDependencies & { accounts: SignInDependencies['accounts'] & Passkeys },
): void {
  const { accounts, public_url } = deps
  const cookies = createCookies(deps)

  app.post(`${AUTH}/challenge`, { config: PUBLIC }, async (request) =>
    envelope('Sign this', await accounts.challengePasskey(undefined, siteOf(request, public_url))),
  )

  app.post(AUTH, { config: PUBLIC, schema: { body: signIn } }, async (request, reply) => {
    const { response, cookie = false } = request.body
    // Otherwise another site could sign its visitors in to an attacker's account.
    if (cookie) cookies.requireConsole(request)
    const userId = await accounts.verifyPasskey(undefined, response, siteOf(request, public_url))
    const origin = await signInOrigin(request, deps, cookie)
    const signedIn = userId && (await accounts.signInProved(userId, origin))
    if (!signedIn) throw new AppError(401, { message: 'This passkey is not known here' })
    return envelope(
      'Signed in',
      cookie ? cookies.store(request, reply, signedIn) : tokensOf(signedIn),
    )
  })
}

/** Browsers bind a passkey to the name of the host; behind a proxy, that of the setting counts. */
function siteOf({ protocol, host }: FastifyRequest, publicUrl: string | undefined): Site {
  const own = new URL(`${protocol}://${host}`)
  const named = publicUrl === undefined ? own : new URL(publicUrl)
  const { hostname: host_name, origin } = named.hostname === own.hostname ? named : own
  return { host_name, origin }
}

function readName(sent: string): string {
  const trimmed = sent.trim()
  if (trimmed === '') throw invalidRequest('name', 'name must not be empty')
  if (CONTROL.test(trimmed)) {
    throw invalidRequest('name', 'name must not contain control characters')
  }
  return trimmed
}

/** @throws AppError */
function accepted<T>(outcome: T | { refused: PasskeyRefused }): T {
  if (typeof outcome === 'object' && outcome !== null && 'refused' in outcome) {
    throw refusalOf(outcome.refused)
  }
  return outcome
}

function refusalOf(refused: PasskeyRefused): AppError {
  switch (refused) {
    case 'wrong_password':
      return invalidRequest('password', 'This is not the current password')
    case 'unproved':
      return unprovedChange()
    case 'too_many':
      return invalidRequest('name', 'You have the maximum number of passkeys; remove one first')
    case 'invalid':
      return invalidRequest(
        'response',
        'This passkey is not valid here, or took too long; try again',
      )
  }
}
