/**
 * Sign-in. Programs receive both tokens. The console's pages receive the access token, and the
 * refresh token as a cookie that scripts cannot read and that is only sent to these routes.
 */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { AppError, forbidden, tooManyRequests } from '../../../platform/http/errors.ts'
import { DAY_SECONDS, MINUTE_SECONDS, SECOND_MS } from '../../../platform/time-units.ts'
import { refuseWhenBusy } from '../password-refusals.ts'
import { CODE_MAX_CHARS } from '../second-factor/console.ts'
import { BLOCK_MS } from '../second-factor/service.ts'
import type { SignInAttempts } from './attempts.ts'
import { hostOf, isFromConsole } from './console-origin.ts'
import { KNOWN_BROWSER_DAYS, type KnownBrowser } from './known-browser.ts'
import { addressOf, originOf } from './origin.ts'
import { SecondFactorError, type Sessions, type SignedIn } from './service.ts'
import type { Origin, TokenPair } from './tokens.ts'

export type SignInDependencies = {
  accounts: Sessions
  attempts: SignInAttempts
  public_url: string | undefined
  refresh_token_days: number
  /** The address at which the provider of a session ends its own. */
  signOutUrlOf?: ((refreshToken: string) => Promise<string | undefined>) | undefined
}

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024
const ID_MAX_CHARS = 64
const PATH = '/console/api/auth'
const REFRESH_COOKIE = 'vigil_refresh'
const BROWSER_COOKIE = 'vigil_browser'
const FLOW_COOKIE = 'vigil_sign_in'
const FLOW_SECONDS = 10 * MINUTE_SECONDS

const credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }),
  password: Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS }),
  /** Selects one of several accounts with the same e-mail. */
  org_id: Type.Optional(Type.String({ maxLength: ID_MAX_CHARS })),
  cookie: Type.Optional(Type.Boolean()),
  /** A code of the authenticator app, or a recovery code. */
  code: Type.Optional(Type.String({ minLength: 1, maxLength: CODE_MAX_CHARS })),
})
const refreshToken = Type.Object({
  refresh_token: Type.Optional(Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })),
})

export function signInRoutes(app: App, deps: SignInDependencies): void {
  const { accounts } = deps
  const cookies = createCookies(deps)
  loginRoute(app, deps)

  // Not limited like sign-in: refresh tokens cannot be guessed, and an office can share an address.
  const config = { access: 'public', rate_class: 'console' } as const
  const schema = { body: refreshToken }

  app.post(`${PATH}/refresh`, { config, schema }, async (request, reply) => {
    const { refresh_token } = request.body
    if (refresh_token !== undefined) {
      const signedIn = await accounts.refresh(refresh_token, { address: addressOf(request) })
      if (!signedIn) throw new AppError(401, { message: 'Invalid refresh token' })
      return envelope('Refreshed', tokensOf(signedIn))
    }
    const origin = { address: addressOf(request) }
    const signedIn = await accounts.refresh(cookies.read(request) ?? '', origin)
    if (signedIn) return envelope('Refreshed', cookies.store(request, reply, signedIn))
    cookies.clear(request, reply)
    throw new AppError(401, { message: 'Not signed in' })
  })

  app.post(`${PATH}/logout`, { config, schema }, async (request, reply) => {
    const isBrowser = request.body.refresh_token === undefined
    const refresh_token = request.body.refresh_token ?? cookies.read(request) ?? ''
    const sign_out_url = (await deps.signOutUrlOf?.(refresh_token)) ?? null
    await accounts.signOut(refresh_token)
    if (isBrowser) cookies.clear(request, reply)
    return envelope('Signed out', { sign_out_url })
  })
}

function loginRoute(app: App, deps: SignInDependencies): void {
  const { accounts, attempts } = deps
  const cookies = createCookies(deps)
  const config = { access: 'public', rate_class: 'sign_in', counts_itself: true } as const
  const readBrowser = (request: FastifyRequest) => knownBrowserOf(request, deps)
  const onRequest = async (request: FastifyRequest) => {
    const browser = await readBrowser(request)
    // The browsers of an account share its attempts. A new password ends the share of old cookies.
    await request.count(1, browser && `browser:${browser.user_id}:${browser.password_mark}`)
  }
  const options = { config, schema: { body: credentials }, onRequest }

  app.post(`${PATH}/login`, options, async (request, reply) => {
    const { email, password, org_id, code, cookie = false } = request.body
    // Otherwise another site could sign its visitors in to an attacker's account.
    if (cookie) cookies.requireConsole(request)
    const browser = await readBrowser(request)
    const isKnown = browser !== undefined && (await accounts.knowsBrowser(browser, email))
    if (!isKnown) {
      // The cookie of another account has not been counted as this network.
      if (browser) await request.count(1)
      await attempts.count(request, email)
    }
    const origin = originOf(request, cookie ? (browser ?? 'new') : undefined)
    const hints = { ...origin, org_id, code, ...(isKnown && { user_id: browser.user_id }) }
    const signedIn = await accounts.signIn(email, password, hints).catch(refuse)
    if (!signedIn) throw new AppError(401, { message: 'Wrong e-mail or password' })
    const content = cookie ? cookies.store(request, reply, signedIn) : tokensOf(signedIn)
    return envelope('Signed in', content)
  })
}

/** @returns undefined for browsers without a valid cookie, and for programs */
async function knownBrowserOf(
  request: FastifyRequest,
  deps: SignInDependencies,
): Promise<KnownBrowser | undefined> {
  const cookie = createCookies(deps).readBrowser(request)
  return cookie === undefined ? undefined : await deps.accounts.readBrowserCookie(cookie)
}

/** @param cookie whether a page of the console signs in */
export const signInOrigin = async (
  request: FastifyRequest,
  deps: SignInDependencies,
  cookie: boolean,
): Promise<Origin> =>
  originOf(request, cookie ? ((await knownBrowserOf(request, deps)) ?? 'new') : undefined)

/** Says that a code is missing or wrong to a caller who has proved to know the password. */
function refuse(error: unknown): never {
  if (!(error instanceof SecondFactorError)) refuseWhenBusy(error)
  if (error.reason === 'passkey') {
    throw new AppError(401, { message: 'Sign in with a passkey', content: { field: 'passkey' } })
  }
  if (error.reason === 'blocked') throw tooManyRequests(BLOCK_MS / SECOND_MS)
  const message =
    error.reason === 'required'
      ? 'Enter a code of your authenticator app, or a recovery code'
      : 'This code is wrong, was used before, or has expired'
  throw new AppError(401, { message, content: { field: 'code' } })
}

export const tokensOf = ({ access_token, refresh_token, expires_at }: SignedIn): TokenPair => ({
  access_token,
  refresh_token,
  expires_at,
})

/** The cookies of the console, of which scripts can read none. */
export function createCookies({
  public_url,
  refresh_token_days,
}: Pick<SignInDependencies, 'public_url' | 'refresh_token_days'>) {
  const publicHost = public_url === undefined ? undefined : hostOf(public_url)
  const isSecure = (request: FastifyRequest) =>
    request.protocol === 'https' || public_url?.startsWith('https:') === true
  // With the prefix, browsers accept the cookie over TLS only (RFC 6265bis, 4.1.3.1).
  const nameFor = (request: FastifyRequest, name: string) =>
    isSecure(request) ? `__Secure-${name}` : name
  const options = (request: FastifyRequest) =>
    ({ path: PATH, httpOnly: true, sameSite: 'strict', secure: isSecure(request) }) as const
  const isOwn = (request: FastifyRequest): boolean =>
    isFromConsole(request.headers, [request.host, publicHost])
  const requireConsole = (request: FastifyRequest): void => {
    if (!isOwn(request)) throw forbidden('Only the pages of the console may use its cookie')
  }
  const find = (request: FastifyRequest, name: string): string | undefined =>
    parseCookie(request.headers.cookie ?? '')[nameFor(request, name)]
  return {
    requireConsole,
    /** @throws AppError 403 unless the request comes from a page of the console */
    read: (request: FastifyRequest): string | undefined => {
      requireConsole(request)
      return find(request, REFRESH_COOKIE)
    },
    /** @returns undefined for requests that do not come from a page of the console, too */
    readBrowser: (request: FastifyRequest): string | undefined =>
      isOwn(request) ? find(request, BROWSER_COOKIE) : undefined,
    /** Sets the cookies. @returns the members of the response that scripts may read */
    store: (request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn) => {
      const { refresh_token, browser_cookie, ...readable } = signedIn
      const set = (name: string, value: string, days: number) => {
        const lasting = { ...options(request), maxAge: days * DAY_SECONDS }
        const cookie = stringifySetCookie(nameFor(request, name), value, lasting)
        void reply.header('set-cookie', cookie)
      }
      set(REFRESH_COOKIE, refresh_token, refresh_token_days)
      set(BROWSER_COOKIE, browser_cookie, KNOWN_BROWSER_DAYS)
      return readable
    },
    /** Binds a sign-in at a provider to this browser. */
    storeFlow: (request: FastifyRequest, reply: FastifyReply, secret: string): void => {
      const lasting = { ...options(request), maxAge: FLOW_SECONDS }
      void reply.header(
        'set-cookie',
        stringifySetCookie(nameFor(request, FLOW_COOKIE), secret, lasting),
      )
    },
    /** Reads and removes it. @throws AppError 403 unless the request comes from a page of the console */
    takeFlow: (request: FastifyRequest, reply: FastifyReply): string | undefined => {
      requireConsole(request)
      const past = { ...options(request), expires: new Date(0) }
      void reply.header('set-cookie', stringifySetCookie(nameFor(request, FLOW_COOKIE), '', past))
      return find(request, FLOW_COOKIE)
    },
    /** The browser stays known. */
    clear: (request: FastifyRequest, reply: FastifyReply): void => {
      const past = { ...options(request), expires: new Date(0) }
      void reply.header(
        'set-cookie',
        stringifySetCookie(nameFor(request, REFRESH_COOKIE), '', past),
      )
    },
  }
}
