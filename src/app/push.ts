/** Mobile push: applications, credentials, subscriptions, messages, and sending through FCM and APNs. */
import {
  type Applications,
  applicationConsoleRoutes,
  createApplications,
} from '../modules/applications/index.ts'
import {
  type Apps,
  appRoutes,
  closeSenders,
  createApps,
  createCredentialCache,
  createExpander,
  createImports,
  createMessageOperations,
  createMessages,
  createPushConfigurations,
  createPushCredentials,
  createPushDispatcher,
  createPushIdentity,
  createPushOverview,
  createPushSenders,
  createReceipts,
  createRegistrations,
  createSubscriptions,
  createTestSends,
  credentialConsoleRoutes,
  expirePushMessages,
  expireRecipients,
  type Imports,
  importConsoleRoutes,
  type MessageOperations,
  type Messages,
  messageRoutes,
  messageStateRoutes,
  type PushConfigurations,
  type PushCredentials,
  type PushIdentity,
  pushIdentityRoutes,
  pushMessageRoutes,
  pushOverviewRoutes,
  pushReceiptRoutes,
  pushSubscriptionRoutes,
  type Receipts,
  type Registrations,
  readPushStatus,
  registrationConsoleRoutes,
  type Subscriptions,
  sweepDeletedApplications,
  sweepIdempotencyKeys,
  sweepIdentityKeys,
  sweepIdentityUses,
  sweepRegistrationCounts,
  sweepSubscriptions,
  type TestSends,
} from '../modules/push/index.ts'
import { cached } from '../platform/cached.ts'
import type { Dispatcher } from '../platform/dispatch/index.ts'
import type { App } from '../platform/http/app.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import { type Core, inMain, pick } from './core.ts'
import {
  countedSweep,
  daysBefore,
  expirySweeps,
  job,
  type Part,
  retentionSweeps,
  type Sweep,
  secondsSince,
} from './part.ts'

export type PushPart = Part & {
  applications: Applications
  configurations: PushConfigurations
  credentials: PushCredentials
  test_sends: TestSends
  identity: PushIdentity
  subscriptions: Subscriptions
  receipts: Receipts
  registrations: Registrations
  apps: Apps
  imports: Imports
  messages: Messages
  operations: MessageOperations
  /** The expander, which creates the recipients of messages, and the dispatcher, which sends to them. */
  running: readonly Pick<Dispatcher, 'start' | 'stop'>[]
  /** Ends recipients that no provider has accepted in time. */
  expire: (signal: AbortSignal) => Promise<unknown>
}

const EXPIRY_SECONDS = 60
/** The metrics are public, and summing up a million recipients takes a moment. */
const GAUGES_EVERY_MS = 10_000
/** The first response to an idempotency key is repeated for this long (OP-33). */
const IDEMPOTENCY_DAYS = 7

export function createPushPart(core: Core): PushPart {
  const { directory, db, sealer, clock, newId, log, config } = core
  const senders = createSenders(core)
  const credentialCache = createCredentialCache({ sealer, clock })
  const { running, hint } = createSending(core, senders, credentialCache)
  const key_days = config.push_identity_key_days
  const identity = createPushIdentity({ directory, db, sealer, clock, newId, log, key_days })
  const acting = { db, clock, newId }
  const scheduling = pick(config, 'push_schedule_days')
  const subscriptions = createSubscriptions({ ...acting, identity })
  const receipts = createReceipts({ db })
  const registrations = createRegistrations({
    ...acting,
    ...pick(config, 'push_registrations_per_day'),
  })
  const services = {
    applications: createApplications({ ...acting, ...pick(config, 'push_applications_max') }),
    configurations: createPushConfigurations(acting),
    credentials: createPushCredentials({ ...acting, sealer }),
    test_sends: createTestSends({ ...acting, credentialCache, senders }),
    identity,
    subscriptions,
    receipts,
    registrations,
    imports: createImports({ ...acting, registrations, validators: core.validators }),
    apps: createApps({ registrations, subscriptions, receipts, clock, newId }),
    messages: createMessages({
      ...acting,
      hint,
      ...scheduling,
      ...pick(config, 'push_retry_hours'),
    }),
    operations: createMessageOperations({ db, clock, hint, ...scheduling }),
  }
  const expire = async (signal: AbortSignal) => await expireRecipients(db, signal)
  return {
    ...services,
    running,
    expire,
    routes: (app) => pushRoutes(app, core, services),
    dispatchers: running,
    jobs: [job('push.expiry', EXPIRY_SECONDS, (_now, signal) => expire(signal))],
    sweeps: (now) => sweepsOf(core, now),
    gauges: [backlogGauges(core), registrationCounters(registrations)],
    // Test sends open connections even in processes without a dispatcher.
    close: async () => await closeSenders(senders, 0),
  }
}

type Senders = ReturnType<typeof createPushSenders>
type Keeper = ReturnType<typeof createCredentialCache>

const createSenders = ({ config, outside, log, clock }: Core): Senders =>
  createPushSenders({
    fcm_url: config.fcm_url,
    fcm_token_url: config.fcm_token_url,
    apns_url: config.apns_url,
    apns_sandbox_url: config.apns_sandbox_url,
    deadline_ms: config.push_deadline_ms,
    sessions_max: config.push_connections_max,
    ca: outside.push_ca,
    log,
    now: () => clock.now(),
  })

function createSending(core: Core, senders: Senders, credentialCache: Keeper) {
  const { db, clock, newId, log, config, metrics } = core
  const dispatcher = createPushDispatcher({
    db,
    credentialCache,
    senders,
    clock,
    newId,
    log,
    deadline_ms: config.push_deadline_ms,
    in_flight_max: config.push_in_flight_max,
    poll_ms: config.push_poll_ms,
    tracing: core.tracing,
    observe: (outcome) => metrics.countAttempt('push', outcome),
  })
  const expander = createExpander({ db, log, hint: dispatcher.hint, poll_ms: config.push_poll_ms })
  const sending = {
    start: dispatcher.start,
    stop: async (drainMs: number) => {
      await dispatcher.stop(drainMs)
      await closeSenders(senders, drainMs)
    },
  }
  const hint = core.relay('push', () => {
    expander.hint()
    dispatcher.hint()
  })
  return { running: [expander, sending], hint }
}

type Services = Omit<PushPart, keyof Part | 'running' | 'expire'>

function pushRoutes(app: App, { db, config, validators }: Core, services: Services): void {
  const { identity, messages, operations, subscriptions, receipts, apps } = services
  const field_limits = pick(config, 'push_targets_max', 'push_schedule_days')
  pushIdentityRoutes(app, { identity })
  messageRoutes(app, { messages, validators, field_limits })
  appRoutes(app, { apps })
  messageStateRoutes(app, { operations })
  const { applications, configurations, credentials, test_sends } = services
  applicationConsoleRoutes(app, { applications })
  credentialConsoleRoutes(app, { configurations, credentials, test_sends })
  pushSubscriptionRoutes(app, { subscriptions })
  pushMessageRoutes(app, { messages, operations, field_limits })
  importConsoleRoutes(app, { imports: services.imports })
  pushReceiptRoutes(app, { receipts })
  registrationConsoleRoutes(app, { db })
  pushOverviewRoutes(app, { push_overview: createPushOverview({ db }) })
}

function sweepsOf(core: Core, now: Date): Sweep[] {
  const { directory, db, config } = core
  // The last assertion signed with a key expires a day after the key.
  const keysBefore = daysBefore(now, config.push_identity_key_days + 1)
  return [
    countedSweep('identity assertions', () => sweepIdentityUses(db, now)),
    ...inMain(core, [
      countedSweep('identity keys', () => sweepIdentityKeys(directory, keysBefore)),
    ]),
    countedSweep('idempotency keys', () =>
      sweepIdempotencyKeys(db, daysBefore(now, IDEMPOTENCY_DAYS)),
    ),
    countedSweep('deleted applications', () => sweepDeletedApplications(db)),
    ...expirySweeps(now, config.push_retention_days, 'push messages', (before) =>
      expirePushMessages(db, before),
    ),
    ...retentionSweeps(now, config.push_retention_days, {
      'push subscriptions': (before) => sweepSubscriptions(db, before),
      'push registration counts': (before) => sweepRegistrationCounts(db, before),
    }),
  ]
}

function backlogGauges({ db, clock }: Core): GaugeOptions<string> {
  const standing = cached(() => readPushStatus(db), GAUGES_EVERY_MS)
  return {
    label: 'provider',
    gauges: {
      vigil_push_waiting: 'Unsettled recipients, counted in whole batches',
      vigil_push_oldest_seconds: 'Time for which the oldest unfinished batch has been due',
      vigil_push_needs_attention: 'Credentials that the provider rejected',
      vigil_push_paused: 'Applications for which sending is paused',
    },
    read: async () =>
      (await standing()).map(({ provider, waiting, oldest_due_at, needs_attention, paused }) => ({
        label: provider,
        values: {
          vigil_push_waiting: waiting,
          vigil_push_oldest_seconds: secondsSince(oldest_due_at, clock.now()),
          vigil_push_needs_attention: needs_attention,
          vigil_push_paused: paused,
        },
      })),
  }
}

const registrationCounters = ({ counts }: Registrations): GaugeOptions<string> => ({
  label: 'outcome',
  gauges: {
    vigil_push_registrations_total: 'Registrations and refreshes of apps, by outcome',
  },
  counters: ['vigil_push_registrations_total'],
  read: () =>
    Promise.resolve(
      counts().map(([label, count]) => ({
        label,
        values: { vigil_push_registrations_total: count },
      })),
    ),
})
