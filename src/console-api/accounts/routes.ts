/**
 * Sign-in. Programs get both tokens and keep them; the console's pages get the access token only,
 * and the refresh token as a cookie that no script can read and that goes nowhere else.
 */
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Accounts, TokenPair } from '../../modules/accounts/index.ts'
import type { RateClass } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { AppError, forbidden, tooManyRequests } from '../../platform/http/errors.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import { hostOf, isFromOwnPages } from './own-pages.ts'
import { refuseWhenBusy } from './refusals.ts'

export type SignInDependencies = {
  accounts: Accounts
  limits: RateLimits<RateClass>
  public_url: string | undefined
  refresh_token_days: number
}

const EMAIL_MAX_CHARS = 320
const SECRET_MAX_CHARS = 1024
const DAY_SECONDS = 86_400
const PATH = '/console/api/auth'
const COOKIE = 'vigil_refresh'

const credentials = Type.Object({
  email: Type.String({ minLength: 1, maxLength: EMAIL_MAX_CHARS }),
  password: Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS }),
  cookie: Type.Optional(Type.Boolean()),
})
const refreshToken = Type.Object({
  refresh_token: Type.Optional(Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })),
})

/** In a scope of their own, so that no other route reads cookies. */
export function signInRoutes(app: App, deps: SignInDependencies): void {
  const { accounts } = deps
  const cookies = refreshCookies(deps)
  void app.register(async (scope: App) => {
    await scope.register(fastifyCookie)
    loginRoute(scope, deps)

    // A refresh token cannot be guessed, and an office behind one address refreshes many.
    const config = { access: 'public', rate_class: 'console' } as const
    const schema = { body: refreshToken }

    scope.post(`${PATH}/refresh`, { config, schema }, async (request, reply) => {
      const { refresh_token } = request.body
      if (refresh_token !== undefined) {
        const tokens = await accounts.refresh(refresh_token)
        if (!tokens) throw new AppError(401, { message: 'Invalid refresh token' })
        return envelope('Refreshed', tokens)
      }
      const tokens = await accounts.refresh(cookies.read(request) ?? '')
      if (tokens) return envelope('Refreshed', cookies.keep(request, reply, tokens))
      cookies.clear(request, reply)
      throw new AppError(401, { message: 'Not signed in' })
    })

    scope.post(`${PATH}/logout`, { config, schema }, async (request, reply) => {
      const { refresh_token } = request.body
      if (refresh_token === undefined) {
        await accounts.signOut(cookies.read(request) ?? '')
        cookies.clear(request, reply)
      } else await accounts.signOut(refresh_token)
      return envelope('Signed out', {})
    })
  })
}

function loginRoute(scope: App, deps: SignInDependencies): void {
  const { accounts, limits } = deps
  const cookies = refreshCookies(deps)
  const config = { access: 'public', rate_class: 'sign_in' } as const

  scope.post(`${PATH}/login`, { config, schema: { body: credentials } }, async (request, reply) => {
    const { email, password, cookie = false } = request.body
    // Another site must not sign its visitors in to an account of its own either.
    if (cookie) cookies.requireOwnPages(request)
    // Counted per e-mail too, so that many addresses cannot guess at one account.
    const retryAfter = await limits.consume('sign_in', `email:${foldEmail(email)}`)
    if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
    const agent = request.headers['user-agent']
    const tokens = await accounts.signIn(email, password, agent).catch(refuseWhenBusy)
    if (!tokens) throw new AppError(401, { message: 'Wrong e-mail or password' })
    return envelope('Signed in', cookie ? cookies.keep(request, reply, tokens) : tokens)
  })
}

function refreshCookies({ public_url, refresh_token_days }: SignInDependencies) {
  const publicHost = public_url === undefined ? undefined : hostOf(public_url)
  const isSecure = (request: FastifyRequest) =>
    request.protocol === 'https' || public_url?.startsWith('https:') === true
  // The prefix makes browsers take the cookie over TLS only (RFC 6265bis, 4.1.3.1).
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? `__Secure-${COOKIE}` : COOKIE)
  const options = (request: FastifyRequest) =>
    ({ path: PATH, httpOnly: true, sameSite: 'strict', secure: isSecure(request) }) as const
  const requireOwnPages = (request: FastifyRequest): void => {
    if (isFromOwnPages(request.headers, [request.host, publicHost])) return
    throw forbidden('Only the pages of the console may use its cookie')
  }
  return {
    requireOwnPages,
    /** @throws AppError 403 when another than the console's pages asks */
    read: (request: FastifyRequest): string | undefined => {
      requireOwnPages(request)
      return request.cookies[nameFor(request)]
    },
    /** @returns what the page gets to see */
    keep: (request: FastifyRequest, reply: FastifyReply, tokens: TokenPair) => {
      const { refresh_token, ...shown } = tokens
      const maxAge = refresh_token_days * DAY_SECONDS
      void reply.setCookie(nameFor(request), refresh_token, { ...options(request), maxAge })
      return shown
    },
    clear: (request: FastifyRequest, reply: FastifyReply): void =>
      void reply.clearCookie(nameFor(request), options(request)),
  }
}

/**
 * Coarser than the database, which looks e-mails up by `lower()`: two spellings that find the same
 * account count as one, whatever the locale of the database makes of `İ`, `ς` or `ß`.
 */
const foldEmail = (email: string): string =>
  email.trim().normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()
