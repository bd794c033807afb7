/**
 * A route declares in `config.access` who may call it, and nothing else decides about that. The
 * declaration is enforced by `guard.ts`, printed into docs/access.md, and described in the OpenAPI
 * document.
 */
import type { FastifyContextConfig, RouteOptions } from 'fastify'
import type {
  Membership,
  Plan,
  ProvedFactor,
  Role,
  SessionProvider,
  SignInLimit,
} from '../accounts/index.ts'
import type { Principal, Scope } from '../keys/index.ts'
import type { PortalHolder } from '../portals/index.ts'
import type { RateClass } from './rate-classes.ts'

/**
 * `public` requires no credential and `user` any signed-in user; keys follow the specification,
 * Authentication 3. `public_key` refuses secret keys, which must not be part of an app. `portal_link` requires the token of a
 * link to a customer portal. Routes of an organization declare which of its members may call them.
 */
export type Access =
  | 'public'
  | 'secret_key'
  | 'public_key'
  | 'any_key'
  | 'portal_link'
  | 'user'
  | MemberAccess

export type MemberAccess = {
  /** Minimum role. Owners may do everything that admins may, and admins everything that members may. */
  member: Role
  /** Minimum plan; by default any plan. */
  plan?: Plan
  /**
   * Status for users who are not members, whether or not the organization exists. The default is 404,
   * as for any record of another organization.
   */
  others?: 403 | 404
  /**
   * The part of the request with `org_id`. The default is the body for POST, PUT and PATCH and the
   * query for GET and DELETE (specification, "Webhooks"); MDM always uses the query.
   */
  org_id_in?: OrgIdPlace
}

export type OrgIdPlace = 'query' | 'body'

/** Values of members of the body, for routes where only some requests need a recent proof. */
export type FreshFactor = boolean | Readonly<Record<string, readonly unknown[]>>

/** A signed-in user, with what the session has proved about the second factor. */
export type User = {
  user_id: string
  session_id?: string
  factor?: ProvedFactor | undefined
  /** The provider that the session comes from. */
  provider?: SessionProvider | undefined
  /** The only organization that the session may be used for. */
  only_org_id?: string
}

/** A signed-in user as a member of the organization that the request names. */
export type Member = User & Membership

export type Caller = Principal | PortalHolder | User | Member

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Needs a proof of the last minutes from members with a second factor. */
    fresh_factor?: FreshFactor
    /** Accepts sessions that reach one organization only, on routes for users. */
    limited_session?: boolean
    /** The scope that a limited key needs. Without one, the route refuses limited keys. */
    scope?: Scope
    /** Class of the rate limit; operational routes have none. */
    rate_class?: RateClass
    /**
     * Class of a second limit, for public keys: per organization and client network. Anyone can copy a
     * public key, and one copy must not use up the limit of the key.
     */
    network_rate_class?: RateClass
    /** The route calls `count` itself before the body is read, under a separate key. */
    counts_itself?: boolean
    /** Accepts a public key as `?api_key=`, for browsers that cannot set headers (OP-64). */
    key_in_query?: boolean
    /** Accepts a key as the password of Basic authentication, for agents that cannot set headers. */
    key_in_basic?: boolean
  }
  interface FastifyInstance {
    /** Every route with its declaration. */
    readonly declaredRoutes: readonly RouteOptions[]
  }
  interface FastifyRequest {
    /** Undefined on public routes, and until the credential has been checked. */
    caller: Caller | undefined
    /** The API key, on routes that accept keys. */
    readonly key: Principal
    /** The holder of a link to a customer portal, on routes for them. */
    readonly portal_holder: PortalHolder
    /** The signed-in user, on routes for users or members. */
    readonly user: User
    /**
     * Counts requests against the rate limits of the route's classes.
     * @param key of the limit; by default that of the caller
     * @throws AppError 429
     */
    count(requests: number, key?: string): Promise<void>
    /**
     * Counts a request against another limit, such as that of the record that it names.
     * @throws AppError 429
     */
    countFor(rateClass: RateClass, key: string): Promise<void>
    /** The most requests that the class of the route allows together. */
    readonly count_max: number
    /** Counts an attempt to sign in. @returns seconds to wait when the limit is exceeded */
    countSignIn(limit: SignInLimit, key: string): Promise<number | undefined>
    /**
     * Checks the access of an admitted request again, for streams that outlive the check: whether its
     * session continues, and its user may still call the route.
     */
    isStillAdmitted(): Promise<boolean>
    /** The member, with the stored spelling of the organization id, on routes for members. */
    readonly member: Member
  }
}

export type AccessConfig = Pick<
  FastifyContextConfig,
  | 'access'
  | 'fresh_factor'
  | 'limited_session'
  | 'scope'
  | 'rate_class'
  | 'network_rate_class'
  | 'counts_itself'
  | 'key_in_query'
  | 'key_in_basic'
>

export const isMemberAccess = (access: Access | undefined): access is MemberAccess =>
  typeof access === 'object'
