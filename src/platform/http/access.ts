/**
 * Who may call a route. Every route declares it in its `config.access`; a route that says nothing
 * stops the boot. The credential is checked, and the rate limit consumed, before the body is read.
 */
import type { FastifyRequest, RouteOptions } from 'fastify'
import type { App } from './app.ts'
import { networkOf } from './client-ip.ts'
import {
  forbidden,
  invalidKey,
  invalidToken,
  missingKey,
  missingToken,
  tooManyRequests,
} from './errors.ts'
import type { RateLimits } from './rate-limit.ts'

/** `public` has no credential; the others follow the specification, "Authentication". */
export type Access = 'public' | 'secret_key' | 'any_key' | 'portal'

export const RATE_CLASSES = [
  'check',
  'order',
  'profile',
  'cashier',
  'ingest',
  'rum',
  'push',
  'read',
  'report',
  'console',
  'sign_in',
] as const
export type RateClass = (typeof RATE_CLASSES)[number]

/** What an API key stands for. */
export type KeyPrincipal = {
  org_id: string
  key_id: string
  mode: 'live' | 'test'
  kind: 'secret' | 'public'
}

/** What an access token stands for; organisation and role are looked up per request. */
export type UserPrincipal = { user_id: string; session_id?: string }

export type Authenticators = {
  key: (text: string) => Promise<KeyPrincipal | undefined>
  token: (text: string) => Promise<UserPrincipal | undefined>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Class whose limit the request counts against; none for operational routes. */
    rate_class?: RateClass
    /** A public key may come as `?api_key=`, from browsers that cannot set headers (OP-64). */
    key_in_query?: boolean
  }
  interface FastifyRequest {
    principal: KeyPrincipal | UserPrincipal | undefined
  }
}

export function guardAccess(
  app: App,
  authenticators: Authenticators,
  limits: RateLimits<RateClass>,
): void {
  app.decorateRequest('principal', undefined)
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', (done) => {
    routes.forEach(refuseUndeclared)
    done()
  })
  app.addHook('onRequest', async (request) => {
    const { access, rate_class } = request.routeOptions.config
    // Unknown paths have no declaration; the not-found handler answers them.
    if (access === undefined) return
    request.principal = await authenticate(request, access, authenticators)
    if (rate_class === undefined) return
    const retryAfter = await limits.consume(rate_class, limitKey(request))
    if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
  })
}

/** The API key that the route's access guarantees to be there. */
export function keyOf(request: FastifyRequest): KeyPrincipal {
  const { principal } = request
  if (principal && 'key_id' in principal) return principal
  throw new Error(`${request.routeOptions.url} asks for a key that its access does not guarantee`)
}

/** The user that the route's access guarantees to be there. */
export function userOf(request: FastifyRequest): UserPrincipal {
  const { principal } = request
  if (principal && 'user_id' in principal) return principal
  throw new Error(`${request.routeOptions.url} asks for a user that its access does not guarantee`)
}

function refuseUndeclared(route: RouteOptions): void {
  if (route.config?.access === undefined) {
    throw new Error(`Route ${String(route.method)} ${route.url} does not declare its access`)
  }
}

async function authenticate(
  request: FastifyRequest,
  access: Access,
  { key, token }: Authenticators,
): Promise<KeyPrincipal | UserPrincipal | undefined> {
  switch (access) {
    case 'public':
      return undefined
    case 'portal': {
      const text = bearerToken(request.headers.authorization)
      if (text === undefined) throw missingToken()
      const principal = await token(text)
      if (!principal) throw invalidToken()
      return principal
    }
    case 'secret_key':
    case 'any_key': {
      const text = keyText(request)
      if (text === undefined) throw missingKey()
      const principal = await key(text)
      if (!principal) throw invalidKey()
      if (access === 'secret_key' && principal.kind !== 'secret') {
        throw forbidden('A secret key is required')
      }
      return principal
    }
  }
}

function keyText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key']
  if (typeof header === 'string' && header !== '') return header
  if (request.routeOptions.config.key_in_query !== true) return undefined
  const { api_key } = request.query as { api_key?: unknown }
  if (typeof api_key !== 'string' || api_key === '') return undefined
  // URLs end up in logs and histories.
  if (!api_key.startsWith('pk_')) throw forbidden('Only a public key may be sent in the URL')
  return api_key
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

/** Whose limit a request counts against: the organisation and its mode, the user, or the network. */
export function limitKey(request: FastifyRequest): string {
  const { principal } = request
  if (!principal) return networkOf(request.ip)
  return 'key_id' in principal ? `${principal.org_id}:${principal.mode}` : principal.user_id
}
