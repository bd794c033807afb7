/** The HTTP platform without the product, for tests that bring routes of their own. */
import type { Authenticators, KeyPrincipal, RateClass } from '../../src/platform/http/access.ts'
import type { App } from '../../src/platform/http/app.ts'
import { createRateLimits } from '../../src/platform/http/rate-limit.ts'
import { createServer, type ServerOptions } from '../../src/platform/http/server.ts'
import { createValidators } from '../../src/platform/http/validation.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import type { RateLimit } from '../../src/platform/settings.ts'

const principal = (kind: KeyPrincipal['kind']): KeyPrincipal => ({
  org_id: 'org',
  key_id: 'key',
  mode: 'live',
  kind,
})

/** `secret` and `public` are the keys there are, `token` the access token. */
const authenticators: Authenticators = {
  key: (text) =>
    Promise.resolve(text === 'secret' || text === 'public' ? principal(text) : undefined),
  token: (text) => Promise.resolve(text === 'token' ? { user_id: 'user' } : undefined),
}

const PLENTY: RateLimit = { points: 1_000_000, window_seconds: 1 }

export function createBareServer(
  options: Partial<ServerOptions> & { rate_limit?: RateLimit } = {},
): App {
  const { rate_limit = PLENTY, ...rest } = options
  const limits: Record<RateClass, RateLimit> = {
    check: rate_limit,
    order: rate_limit,
    profile: rate_limit,
    cashier: rate_limit,
    ingest: rate_limit,
    rum: rate_limit,
    push: rate_limit,
    read: rate_limit,
    report: rate_limit,
    console: rate_limit,
    sign_in: rate_limit,
  }
  return createServer({
    log: createLog('silent'),
    metrics: createMetrics(),
    validators: createValidators(),
    authenticators,
    limits: createRateLimits(limits, undefined),
    trusted_proxies: [],
    body_max_bytes: 65_536,
    json_max_depth: 32,
    ...rest,
  })
}
