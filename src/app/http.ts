/** The HTTP side of the program: one server, the access rules, and the routes of all parts. */
import type { Redis } from 'ioredis'
import { baseUrl, hostNames } from '../config.ts'
import { guardRoutes, type LimitName, limitsOf, senderOf } from '../modules/access/index.ts'
import type { App } from '../platform/http/app.ts'
import { type Connections, trackConnections } from '../platform/http/closing.ts'
import { describeApi } from '../platform/http/openapi.ts'
import { operationalRoutes } from '../platform/http/operational.ts'
import { createRateLimits, type RateLimits } from '../platform/http/rate-limit.ts'
import { bodyMaxBytes } from '../platform/http/schemas.ts'
import { createServer } from '../platform/http/server.ts'
import type { Metrics } from '../platform/metrics.ts'
import { openRedis } from '../platform/redis.ts'
import { API_DOCUMENT } from './api-document.ts'
import { type Core, pick } from './core.ts'
import { type Parts, partsInOrder } from './parts.ts'
import { chooseHandlersByCell } from './routes-of-cells.ts'
import { VERSION } from './version.ts'

export type Http = {
  app: App
  /** Closes each connection after its next response. */
  part: Connections['part']
  parted: Connections['parted']
  /** Resolves when the last request has been answered and all parts have finished their work. */
  close(): Promise<void>
}

/** @param render renders `/metrics`, by default with the metrics of this process */
export async function createHttp(
  core: Core,
  parts: Parts,
  render: Metrics['render'] = core.metrics.render,
): Promise<Http> {
  const { config, log } = core
  const redis = config.redis_url ? openRedis(config.redis_url, log) : undefined
  try {
    const app = await createApp(core, parts, { redis, render })
    const connections = trackConnections(app.server)
    return {
      app,
      part: connections.part,
      parted: connections.parted,
      close: async () => {
        await connections.closeUntil(app.close())
        const closing = [parts, ...parts.cells.map((cell) => cell.parts)].flatMap(partsInOrder)
        await Promise.all(closing.map(async (part) => await part.close?.()))
        redis?.disconnect()
      },
    }
  } catch (error) {
    redis?.disconnect()
    throw error
  }
}

async function createApp(
  core: Core,
  parts: Parts,
  { redis, render }: { redis: Redis | undefined; render: Metrics['render'] },
): Promise<App> {
  const { log, config, metrics, validators, readiness, tracing } = core
  const { accounts, keys } = parts.accounts
  const limits = createLimits(core, redis)
  const authenticators = {
    key: keys.authenticate,
    token: accounts.verifyAccess,
    portal_link: parts.webhooks.portal_links.authenticate,
    membership: accounts.membership,
  }
  const app = createServer({
    log,
    metrics,
    tracing,
    validators,
    guard: (server) => guardRoutes(server, { authenticators, limits }),
    trusted_proxies: config.trusted_proxies,
    host_names: hostNames(config),
    senderOf,
    body_default_bytes: bodyMaxBytes(config),
    ...pick(config, 'body_max_bytes', 'json_max_depth'),
  })
  await describeApi(app, { ...API_DOCUMENT, version: VERSION, base_url: baseUrl(config) })
  operationalRoutes(app, { readiness, render, cells: core.cells })
  await chooseHandlersByCell(app, core.directory, parts.cells)
  for (const part of partsInOrder(parts)) await part.routes?.(app)
  await app.ready()
  return app
}

/** Each class has a setting of its name. */
const createLimits = (
  { config, siblings, metrics }: Core,
  redis: Redis | undefined,
): RateLimits<LimitName> =>
  createRateLimits(
    limitsOf((name) => config[`rate_limit_${name}`]),
    redis,
    { siblings, onRefusal: metrics.countRefusal },
  )
