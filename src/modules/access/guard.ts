/**
 * Enforces what routes declare. The credential is checked, and the rate limit consumed, before the
 * body is read; the organization is looked up after the request has been validated.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import {
  forbidden,
  invalidKey,
  invalidPortalLink,
  invalidToken,
  missingKey,
  missingPortalLink,
  missingToken,
  tooManyRequests,
} from '../../platform/http/errors.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import type { Membership } from '../accounts/index.ts'
import { isInNetworks, type Principal, type Scope } from '../keys/index.ts'
import type { PortalHolder } from '../portals/index.ts'
import { createRequestCount, isPublic } from './count-requests.ts'
import { type Access, type Caller, isMemberAccess, type Member, type User } from './declaration.ts'
import { createHold } from './hold-refusals.ts'
import { admit, declareOrgId, refusalOf, takeOrgId } from './membership.ts'
import type { LimitName } from './rate-classes.ts'
import { factorRefusalOf } from './second-factor.ts'
import { limitRefusalOf, providerRefusalOf } from './single-sign-on.ts'

export type Authenticators = {
  key: (text: string) => Promise<Principal | undefined>
  token: (text: string) => Promise<User | undefined>
  portal_link: (text: string) => Promise<PortalHolder | undefined>
  /** Undefined when an id is malformed or unknown, or the user is not a member. */
  membership: (userId: string, orgId: string) => Promise<Membership | undefined>
}

export type Guard = {
  authenticators: Authenticators
  limits: RateLimits<LimitName>
  /** Resolves when the refusal of a public key may be sent. */
  hold?: () => Promise<void>
}

const TOO_MANY_REQUESTS = 429

/** Must be called before any route is registered. */
export function guardRoutes(app: App, guard: Guard): void {
  const { authenticators, limits, hold = createHold() } = guard
  decorateRequests(app)
  const { count } = createRequestCount(limits)
  const routes: RouteOptions[] = []
  app.decorate('declaredRoutes', routes)
  app.addHook('onRoute', (route) => {
    routes.push(route)
    const { access, network_rate_class, fresh_factor = false } = route.config ?? {}
    if (network_rate_class !== undefined) {
      const holdRefusals = async (request: FastifyRequest, reply: FastifyReply) => {
        if (reply.statusCode === TOO_MANY_REQUESTS && isPublic(request.caller)) await hold()
      }
      route.onSend = [holdRefusals, ...[route.onSend ?? []].flat()]
    }
    if (!isMemberAccess(access)) return
    const place = declareOrgId(route, access)
    route.preHandler = [
      async (request: FastifyRequest) => {
        const { user } = request
        const orgId = takeOrgId(request, place)
        const isOutside = user.only_org_id !== undefined && user.only_org_id !== orgId.toLowerCase()
        const membership = isOutside
          ? undefined
          : await authenticators.membership(user.user_id, orgId)
        const member = { ...user, ...admit(access, membership) }
        const refusal = providerRefusalOf(member) ?? factorRefusalOf(fresh_factor, member, request)
        if (refusal) throw refusal
        request.caller = member
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
  app.addHook('onReady', (done) => {
    routes.forEach(refuseUndeclared)
    done()
  })
  app.addHook('onRequest', async (request) => {
    const { access, rate_class, scope, counts_itself = false } = request.routeOptions.config
    // Unknown paths have no declaration; the not-found handler answers them.
    if (access === undefined) return
    request.caller = await authenticate(request, access, authenticators)
    const { caller, ip } = request
    if (caller !== undefined && 'key_id' in caller) refuseBeyondLimits(caller, scope, ip)
    if (rate_class !== undefined && !counts_itself) await request.count(1)
  })
  app.decorateRequest('count_max', {
    getter(this: FastifyRequest) {
      const { rate_class } = this.routeOptions.config
      return rate_class === undefined ? Infinity : limits.pointsOf(rate_class)
    },
  })
  app.decorateRequest('count', async function (this: FastifyRequest, requests, key) {
    await count(this, requests, key)
  })
  app.decorateRequest('countFor', async (rateClass, key) => {
    const retryAfter = await limits.consume(rateClass, key)
    if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
  })
  app.decorateRequest('countSignIn', async (limit, key) => await limits.consume(limit, key))
  app.decorateRequest('isStillAdmitted', async function (this: FastifyRequest) {
    const { access } = this.routeOptions.config
    if (!isMemberAccess(access)) throw new Error('Only routes for members can be long')
    const { user_id, org_id } = this.member
    const user = await authenticators.token(bearerToken(this.headers.authorization) ?? '')
    const membership = user && (await authenticators.membership(user_id, org_id))
    if (!user || !membership || refusalOf(access, membership)) return false
    const member = { ...user, ...membership }
    // The proof was recent when the request began.
    return !providerRefusalOf(member) && !factorRefusalOf(false, member, this)
  })
}

/** Identifies the sender, who gets a share of the memory for bodies; undefined without a credential. */
export function senderOf({ caller }: FastifyRequest): string | undefined {
  if (!caller) return undefined
  if ('link_id' in caller) return caller.portal_id
  return 'key_id' in caller ? caller.org_id : caller.user_id
}

function decorateRequests(app: App): void {
  app.decorateRequest('caller', undefined)
  app.decorateRequest('key', { getter: guaranteed('key', 'key_id') })
  app.decorateRequest('portal_holder', { getter: guaranteed('portal link', 'link_id') })
  app.decorateRequest('user', { getter: guaranteed('user', 'user_id') })
  app.decorateRequest('member', { getter: guaranteed('member', 'role') })
}

/** @throws Error in a handler that reads what the declaration of its route does not guarantee */
const guaranteed = <K extends string>(what: string, mark: K) =>
  function (this: FastifyRequest): Extract<Caller, Record<K, unknown>> {
    const { caller, routeOptions } = this
    if (caller && mark in caller) return caller as Extract<Caller, Record<K, unknown>>
    throw new Error(`${routeOptions.url} reads a ${what} that its access does not guarantee`)
  }

function refuseUndeclared(route: RouteOptions): void {
  if (route.config?.access === undefined) {
    throw new Error(`Route ${String(route.method)} ${route.url} does not declare its access`)
  }
}

async function authenticate(
  request: FastifyRequest,
  access: Access,
  { key, token, portal_link }: Authenticators,
): Promise<Exclude<Caller, Member> | undefined> {
  if (access === 'public') return undefined
  if (access === 'user' || isMemberAccess(access)) {
    const text = bearerToken(request.headers.authorization)
    if (text === undefined) throw missingToken()
    const user = await token(text)
    if (!user) throw invalidToken()
    const { limited_session = false } = request.routeOptions.config
    const refusal = access === 'user' && !limited_session ? limitRefusalOf(user) : undefined
    if (refusal) throw refusal
    return user
  }
  if (access === 'portal_link') {
    const text = bearerToken(request.headers.authorization)
    if (text === undefined) throw missingPortalLink()
    const holder = await portal_link(text)
    if (!holder) throw invalidPortalLink()
    return holder
  }
  const text = keyText(request)
  if (text === undefined) throw missingKey()
  const principal = await key(text)
  if (!principal) throw invalidKey()
  if (access === 'secret_key' && principal.kind !== 'secret') {
    throw forbidden('A secret key is required')
  }
  if (access === 'public_key' && principal.kind !== 'public') {
    throw forbidden('A public key is required; a secret key must not be part of an app')
  }
  return principal
}

/**
 * The request log has these refusals. Rate limits do not count them, so that a stolen key that may not be
 * used elsewhere does not use up the limit of its organization.
 * @throws AppError 403
 */
function refuseBeyondLimits(key: Principal, scope: Scope | undefined, ip: string): void {
  const { scopes, networks } = key
  if (networks !== null && !isInNetworks(ip, networks)) {
    throw forbidden(`This API key may not be used from ${ip}`)
  }
  if (scopes !== null && (scope === undefined || !scopes.includes(scope))) {
    throw forbidden(
      scope === undefined
        ? 'This API key is limited to other operations'
        : `This API key does not have the scope ${scope}`,
    )
  }
}

function keyText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key']
  if (typeof header === 'string' && header !== '') return header
  const { key_in_basic, key_in_query } = request.routeOptions.config
  if (key_in_basic === true) return basicPassword(request.headers.authorization)
  if (key_in_query !== true) return undefined
  const { api_key } = request.query as { api_key?: unknown }
  if (typeof api_key !== 'string' || api_key === '') return undefined
  // URLs end up in logs and browser histories, where a secret must not appear.
  if (!api_key.startsWith('pk_')) throw forbidden('Only a public key may be sent in the URL')
  return api_key
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
}

/** The user name is ignored (RFC 7617). */
function basicPassword(header: string | undefined): string | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1] ?? ''
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return password === '' ? undefined : password
}
