/** The HTTP platform and the access rules without the product, for tests that define routes. */
import { API_DOCUMENT } from '../../src/app/api-document.ts'
import {
  type Authenticators,
  guardRoutes,
  limitsOf,
  type RateClass,
  senderOf,
} from '../../src/modules/access/index.ts'
import type { Membership } from '../../src/modules/accounts/index.ts'
import type { Principal } from '../../src/modules/keys/index.ts'
import type { PortalHolder } from '../../src/modules/portals/index.ts'
import type { App } from '../../src/platform/http/app.ts'
import { describeApi } from '../../src/platform/http/openapi.ts'
import { createRateLimits } from '../../src/platform/http/rate-limit.ts'
import { createServer, type ServerOptions } from '../../src/platform/http/server.ts'
import { createValidators } from '../../src/platform/http/validation.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import type { RateLimit } from '../../src/platform/settings.ts'

const principal = (kind: Principal['kind']): Principal => ({
  org_id: 'org',
  key_id: 'key',
  mode: 'live',
  kind,
  plan: 'starter',
  cell: 'main',
  scopes: null,
  networks: null,
})

/** Members who need no second factor. */
export const NO_FACTOR = { requires_second_factor: false, has_second_factor: false }

const HOLDER: PortalHolder = {
  link_id: 'link',
  org_id: 'organization',
  portal_id: 'portal',
  expires_at: new Date(0),
  plan: 'business',
  cell: 'main',
  is_moving: false,
}

/**
 * The keys are `secret` and `public`. The only token is `token`; its user owns every organization
 * except `foreign`. The only link to a portal is `link`.
 */
const AUTHENTICATORS: Authenticators = {
  key: (text) =>
    Promise.resolve(text === 'secret' || text === 'public' ? principal(text) : undefined),
  token: (text) => Promise.resolve(text === 'token' ? { user_id: 'user' } : undefined),
  portal_link: (text) => Promise.resolve(text === 'link' ? HOLDER : undefined),
  membership: (user_id, org_id) =>
    Promise.resolve(
      org_id === 'foreign'
        ? undefined
        : { org_id, user_id, role: 'owner', plan: 'business', cell: 'main', ...NO_FACTOR },
    ),
}

const PLENTY: RateLimit = { points: 1_000_000, window_seconds: 1 }

export type BareOptions = Partial<Omit<ServerOptions, 'guard'>> & {
  rate_limit?: RateLimit
  /** Limits of single classes. */
  limits?: Partial<Record<RateClass, RateLimit>>
  authenticators?: Partial<Authenticators>
  /** By default, the refusals of public keys are sent immediately. */
  hold?: () => Promise<void>
}

/** Tokens are user ids. Organization ids match in any letter case, as in the database. */
export const authenticatorsOf = (
  memberships: readonly Membership[],
): Pick<Authenticators, 'token' | 'membership'> => ({
  token: (user_id) => Promise.resolve({ user_id }),
  membership: (userId, orgId) =>
    Promise.resolve(
      memberships.find(
        ({ user_id, org_id }) => user_id === userId && org_id === orgId.toLowerCase(),
      ),
    ),
})

export function createBareServer(options: BareOptions = {}): App {
  const { rate_limit = PLENTY, limits: given, authenticators, ...rest } = options
  const { hold = () => Promise.resolve() } = options
  const guard = {
    authenticators: { ...AUTHENTICATORS, ...authenticators },
    limits: createRateLimits(
      limitsOf((name) => given?.[name] ?? rate_limit),
      undefined,
    ),
    hold,
  }
  return createServer({
    log: createLog('silent'),
    metrics: createMetrics(),
    validators: createValidators(),
    guard: (app) => guardRoutes(app, guard),
    trusted_proxies: [],
    host_names: [],
    senderOf,
    body_max_bytes: 65_536,
    body_default_bytes: 65_536,
    json_max_depth: 32,
    ...rest,
  })
}

/** Serves the OpenAPI document of the routes that are registered afterwards. */
export const describeBare = async (app: App): Promise<void> =>
  await describeApi(app, { ...API_DOCUMENT, version: '1', base_url: 'http://127.0.0.1/v1' })
