/**
 * The wiring diagram, top to bottom: stores, product modules, HTTP, background jobs. Nothing else
 * constructs an engine, a module or a provider; everything is closed in reverse order.
 */
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import type { Beside } from './beside.ts'
import { baseUrl, type Config } from './config.ts'
import { consoleSide } from './console.ts'
import {
  createDeviceManagement,
  type DeviceManagement,
  deviceManagementRoutes,
} from './device-management.ts'
import { type Accounts, createAccounts } from './modules/accounts/index.ts'
import { type Billing, createBilling } from './modules/billing/index.ts'
import {
  type Cashier,
  cashierRoutes,
  createCashier,
  createCashierReviews,
} from './modules/cashier/index.ts'
import {
  type Checks,
  checkRoutes,
  createChecks,
  createDomainRegistration,
  createMailDns,
  loadDomainLists,
  loadIpData,
} from './modules/checks/index.ts'
import { createKeys, type Keys } from './modules/keys/index.ts'
import {
  createOrderReviews,
  createOrderRules,
  createOrders,
  createRulesReplays,
  type OrderRules,
  type Orders,
  orderRoutes,
  type RulesReplays,
  soldOrderReader,
} from './modules/orders/index.ts'
import { createPhone, loadCarriers, type Phone, phoneRoutes } from './modules/phone/index.ts'
import { createProfiles, type Profiles, profileRoutes } from './modules/profiles/index.ts'
import { createReputation } from './modules/reputation/index.ts'
import {
  createRequestRecorder,
  type RequestRecorder,
  recordRequests,
} from './modules/requests/index.ts'
import { createReviews, type Reviews } from './modules/reviews/index.ts'
import { createVolume, type Volumes } from './modules/volume/index.ts'
import {
  createWebhookDispatcher,
  createWebhookOperations,
  createWebhooks,
  type WebhookOperations,
  type Webhooks,
  webhookRoutes,
} from './modules/webhooks/index.ts'
import { installationSecret } from './platform/crypto/installation-secrets.ts'
import { createKeyedHash } from './platform/crypto/keyed-hash.ts'
import { type Dispatcher, durationMs } from './platform/dispatch/index.ts'
import type { App } from './platform/http/app.ts'
import { describeApi } from './platform/http/openapi.ts'
import { operationalRoutes } from './platform/http/operational.ts'
import { createRateLimits } from './platform/http/rate-limit.ts'
import { createServer } from './platform/http/server.ts'
import { createValidators, type Validators } from './platform/http/validation.ts'
import { createLocalHours } from './platform/local-time.ts'
import { createLookupCache } from './platform/lookup-cache/index.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { readAllowList } from './platform/net/allow-list.ts'
import { createGuardedPost, type GuardedPost } from './platform/net/guarded-post.ts'
import { packageRoot } from './platform/package-root.ts'
import { openRedis } from './platform/redis.ts'
import { createLane, createStateId, type Lane } from './platform/states/index.ts'
import { createPortabilityProvider, createSimSwapProvider } from './providers.ts'
import { createPush, type Push, pushRoutes } from './push.ts'
import type { Stores } from './stores.ts'
import { createTelemetry, type Telemetry, telemetryRoutes } from './telemetry.ts'

export const VERSION = '0.1.0'

export type Services = {
  accounts: Accounts
  keys: Keys
  billing: Billing
  phone: Phone
  checks: Checks
  profiles: Profiles
  orders: Orders
  order_rules: OrderRules
  rules_replays: RulesReplays
  volumes: Volumes
  cashier: Cashier
  reviews: Reviews
  webhooks: Webhooks
  webhook_operations: WebhookOperations
  /** Sends webhooks, once it is started. */
  webhook_dispatcher: Dispatcher
  /** In which orders, profiles, cashier actions and decisions are applied, one after another. */
  lane: Lane
  telemetry: Telemetry
  device_management: DeviceManagement
  push: Push
  validators: Validators
  metrics: Metrics
}

const SECRET_BYTES = 32
const HOUR_MS = 3_600_000
/** Below the time in which the process must have stopped. */
const DRAIN_MAX_MS = 5000
const CONNECT_TIMEOUT_MS = 5000

/** The product, without any way in: what HTTP, jobs and commands are made of. */
export async function createServices(
  stores: Stores,
  config: Config,
  beside: Beside = {},
): Promise<Services> {
  const { db, sealer, clock, newId, log } = stores
  const access_token_secret = await installationSecret(db, sealer, 'access_token', SECRET_BYTES)
  const hash = createKeyedHash(await installationSecret(db, sealer, 'identity_hash', SECRET_BYTES))
  const stateId = createStateId(hash)
  const metrics = createMetrics()
  const post = createGuardedPost({
    allow: readAllowList(config.webhook_allow),
    deny: config.webhook_deny,
    dns_servers: config.dns_servers,
    resolve_timeout_ms: config.lookup_timeout_ms,
    connect_timeout_ms: CONNECT_TIMEOUT_MS,
    ca: beside.webhook_ca,
  })
  const dispatcher = createDispatcher(stores, post, config, metrics)
  const { hint } = dispatcher
  const lane = createLane({ db, states_in_memory_max: config.states_in_memory, onCommitted: hint })
  const keys = createKeys({ db, newId, clock })
  const accounts = createAccounts({
    db,
    newId,
    clock,
    log,
    access_token_secret,
    access_token_minutes: config.access_token_minutes,
    refresh_token_days: config.refresh_token_days,
    refresh_leeway_seconds: config.refresh_leeway_seconds,
    invitation_days: config.invitation_days,
  })
  const billing = createBilling({ db, newId, clock })

  const referenceData = join(packageRoot(), 'build', 'data')
  const timeoutMs = config.lookup_timeout_ms
  const cache = createLookupCache({ db, clock, log, metrics, timeout_ms: timeoutMs })
  const reputation = createReputation({ db, hash })
  const phone = createPhone({
    db,
    clock,
    newId,
    hash,
    cache,
    reputation,
    carriers: loadCarriers(referenceData),
    sim_swap: createSimSwapProvider(config, clock),
    porting: createPortabilityProvider(config),
  })
  const checks = createChecks({
    db,
    clock,
    newId,
    stateId,
    log,
    hash,
    cache,
    phone,
    billing,
    domain_lists: loadDomainLists(referenceData),
    ip_data: loadIpData(referenceData),
    lookupMail: createMailDns({ servers: config.dns_servers, timeoutMs }),
    lookupRegistration: config.rdap_enabled
      ? createDomainRegistration({
          bootstrapUrl: config.rdap_bootstrap_url,
          whoisHost: config.whois_server,
          timeoutMs,
          now: () => clock.now(),
        }).lookupRegistration
      : undefined,
    check_credits: config.check_credits,
    check_deadline_ms: config.check_deadline_ms,
    credits_required: config.credits_required,
    onCommitted: hint,
  })
  const hours = createLocalHours(config.time_zone)
  const order_rules = createOrderRules({ db, clock, newId })
  const profiles = createProfiles({
    lane,
    clock,
    newId,
    stateId,
    reputation,
    devicesOf: async (owner) => (await order_rules.inForce(owner)).parameters.devices,
  })
  const orders = createOrders({
    db,
    lane,
    clock,
    newId,
    stateId,
    reputation,
    billing,
    hours,
    rules: order_rules,
    credits_required: config.credits_required,
  })
  const cashier = createCashier({
    db,
    lane,
    clock,
    newId,
    stateId,
    soldOrders: soldOrderReader,
    localHour: (time) => hours.hourAt(time, undefined, undefined),
  })
  const subjects = {
    order: createOrderReviews({ db, newId, stateId, reputation }),
    cashier_action: createCashierReviews({ db, newId, stateId }),
  }
  const reviews = createReviews({ db, lane, newId, clock, subjects })
  const validators = createValidators()
  const webhooks = createWebhooks({ db, sealer, newId, clock, checkUrl: post.check, hint })
  return {
    accounts,
    keys,
    billing,
    phone,
    checks,
    profiles,
    orders,
    order_rules,
    rules_replays: createRulesReplays({ db, clock, newId, stateId, log }),
    volumes: createVolume({ db, clock }),
    cashier,
    reviews,
    webhooks,
    webhook_operations: createWebhookOperations({ db, clock, hint }),
    webhook_dispatcher: dispatcher,
    lane,
    telemetry: createTelemetry({ stores, config, billing, metrics, validators }),
    device_management: createDeviceManagement(stores, config, metrics, beside),
    push: createPush(stores, config, metrics, beside.push_ca),
    validators,
    metrics,
  }
}

/** It is not running yet: `startJobs` starts it, where this process is a worker. */
function createDispatcher(
  { db, sealer, newId, clock, log }: Stores,
  post: GuardedPost,
  config: Config,
  metrics: Metrics,
): Dispatcher {
  const dispatcher = createWebhookDispatcher({
    db,
    sealer,
    newId,
    clock,
    log,
    post: post.post,
    deadline_ms: config.webhook_deadline_ms,
    retry_schedule_ms: config.webhook_retry_schedule.map((text) => durationMs(text) ?? 0),
    pause_after_ms: config.webhook_pause_after_hours * HOUR_MS || null,
    in_flight_max: config.webhook_in_flight_max,
    per_endpoint_max: config.webhook_endpoint_in_flight_max,
    per_host_max: config.webhook_host_in_flight_max,
    poll_ms: config.webhook_poll_ms,
    observe: (verdict) => metrics.countAttempt('webhook', verdict),
  })
  const stop = async (drainMs: number) => {
    await dispatcher.stop(drainMs)
    await post.close()
  }
  return { ...dispatcher, stop }
}

export type HttpOptions = {
  /** Folder of the built console; that of the package when left out. */
  pages?: string | undefined
}

export type Http = { app: App; close(): Promise<void> }

export async function createHttp(
  stores: Stores,
  services: Services,
  config: Config,
  { pages }: HttpOptions = {},
): Promise<Http> {
  const { log } = stores
  const { checks, lane, telemetry, push } = services
  const redis: Redis | undefined = config.redis_url ? openRedis(config.redis_url, log) : undefined
  const request_log = createRequestRecorder({ ...stores, ...config })
  try {
    const app = await createApp(stores, services, config, { redis, pages, request_log })
    request_log.start()
    return {
      app,
      close: async () => {
        await app.close()
        await request_log.stop()
        await Promise.all([lane.drain(), telemetry.intake.drain(), push.close()])
        await atMost(DRAIN_MAX_MS, checks.drain())
        redis?.disconnect()
      },
    }
  } catch (error) {
    redis?.disconnect()
    throw error
  }
}

async function createApp(
  stores: Stores,
  services: Services,
  config: Config,
  {
    redis,
    pages,
    request_log,
  }: HttpOptions & { redis: Redis | undefined; request_log: RequestRecorder },
): Promise<App> {
  const { log, clock, db } = stores
  const { accounts, keys, checks, profiles, orders, cashier, phone, webhooks } = services
  const { validators, metrics } = services
  const limits = createRateLimits(
    {
      check: config.rate_limit_check,
      order: config.rate_limit_order,
      profile: config.rate_limit_profile,
      cashier: config.rate_limit_cashier,
      ingest: config.rate_limit_ingest,
      rum: config.rate_limit_rum,
      push: config.rate_limit_push,
      read: config.rate_limit_read,
      report: config.rate_limit_report,
      console: config.rate_limit_console,
      sign_in: config.rate_limit_sign_in,
    },
    redis,
  )
  const app = createServer({
    log,
    metrics,
    validators,
    limits,
    authenticators: { key: keys.authenticate, token: accounts.verifyAccess },
    trusted_proxies: config.trusted_proxies,
    body_max_bytes: config.body_max_bytes,
    json_max_depth: config.json_max_depth,
  })
  if (config.request_log_per_second > 0) recordRequests(app, request_log)
  await describeApi(app, { version: VERSION, base_url: baseUrl(config) })
  operationalRoutes(app, { db, metrics })
  checkRoutes(app, {
    checks,
    clock,
    validators,
    limits,
    field_limits: config,
    end_user_address: config.end_user_address,
  })
  phoneRoutes(app, phone, config)
  profileRoutes(app, profiles, config)
  orderRoutes(app, { orders, validators, limits, field_limits: config })
  cashierRoutes(app, { cashier, field_limits: config })
  webhookRoutes(app, { accounts, webhooks, field_limits: config })
  telemetryRoutes(app, services, config)
  deviceManagementRoutes(app, stores, services, config)
  pushRoutes(app, services, config)
  await consoleSide(app, { stores, services, config, limits, pages })
  await app.ready()
  return app
}

/** Look-ups may take longer than a process that stops has; what is cut off is looked up again. */
async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
