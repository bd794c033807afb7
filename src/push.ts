/** The wiring of mobile push. A part of the diagram in app.ts. */
import type { Config } from './config.ts'
import { pushConsoleRoutes } from './console-api/push/index.ts'
import type { Accounts } from './modules/accounts/index.ts'
import { type Applications, createApplications } from './modules/applications/index.ts'
import {
  closeSenders,
  createCredentialKeeper,
  createExpander,
  createMessageOperations,
  createMessages,
  createPushConfigurations,
  createPushCredentials,
  createPushDispatcher,
  createPushIdentity,
  createPushSenders,
  createReceipts,
  createSubscriptions,
  createTestSends,
  expireRecipients,
  type MessageOperations,
  type Messages,
  messageRoutes,
  type PushConfigurations,
  type PushCredentials,
  type PushIdentity,
  pushIdentityRoutes,
  type Receipts,
  readPushStanding,
  type Subscriptions,
  type TestSends,
} from './modules/push/index.ts'
import type { Dispatcher } from './platform/dispatch/index.ts'
import type { App } from './platform/http/app.ts'
import type { Validators } from './platform/http/validation.ts'
import type { Metrics } from './platform/metrics.ts'
import { remembered } from './platform/remembered.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Stores } from './stores.ts'

export type Push = {
  applications: Applications
  configurations: PushConfigurations
  credentials: PushCredentials
  test_sends: TestSends
  identity: PushIdentity
  subscriptions: Subscriptions
  receipts: Receipts
  messages: Messages
  operations: MessageOperations
  /** Make recipients of messages, and send to them, once they are started. */
  running: readonly Pick<Dispatcher, 'start' | 'stop'>[]
  /** Ends what no provider has accepted in time. */
  expire: (signal: AbortSignal) => Promise<unknown>
  /** Ends the connections to the providers, which test sends leave open too. */
  close: () => Promise<void>
}

const EXPIRY_SECONDS = 60
/** Anybody may ask for metrics, and what waits for a million recipients takes a moment to sum up. */
const GAUGES_EVERY_MS = 10_000

/** @param ca the only authority that is trusted at the providers' addresses, for emulators */
export function createPush(
  stores: Stores,
  config: Config,
  metrics: Metrics,
  ca: string | undefined,
): Push {
  const { db, sealer, clock, newId, log } = stores
  const senders = createPushSenders({
    fcm_url: config.fcm_url,
    fcm_token_url: config.fcm_token_url,
    apns_url: config.apns_url,
    apns_sandbox_url: config.apns_sandbox_url,
    deadline_ms: config.push_deadline_ms,
    sessions_max: config.push_connections_max,
    ca,
    log,
    now: () => clock.now(),
  })
  const keeper = createCredentialKeeper({ sealer, clock })
  const dispatcher = createPushDispatcher({
    db,
    keeper,
    senders,
    clock,
    newId,
    log,
    deadline_ms: config.push_deadline_ms,
    in_flight_max: config.push_in_flight_max,
    poll_ms: config.push_poll_ms,
    observe: (outcome) => metrics.countAttempt('push', outcome),
  })
  const expander = createExpander({ db, log, hint: dispatcher.hint, poll_ms: config.push_poll_ms })
  const hint = () => {
    expander.hint()
    dispatcher.hint()
  }
  const sending = {
    start: dispatcher.start,
    stop: async (drainMs: number) => {
      await dispatcher.stop(drainMs)
      await closeSenders(senders, drainMs)
    },
  }
  const identity = createPushIdentity({
    db,
    sealer,
    clock,
    newId,
    log,
    key_days: config.push_identity_key_days,
  })
  const { push_schedule_days, push_retry_hours, push_applications_max } = config
  addBacklogGauges(stores, metrics)
  return {
    applications: createApplications({ db, clock, newId, push_applications_max }),
    configurations: createPushConfigurations({ db, clock, newId }),
    credentials: createPushCredentials({ db, sealer, clock, newId }),
    test_sends: createTestSends({ db, keeper, senders, clock, newId }),
    identity,
    subscriptions: createSubscriptions({ db, identity, clock, newId }),
    receipts: createReceipts({ db }),
    messages: createMessages({ db, clock, newId, hint, push_schedule_days, push_retry_hours }),
    operations: createMessageOperations({ db, clock, hint, push_schedule_days }),
    running: [expander, sending],
    expire: async (signal) => await expireRecipients(db, signal),
    close: async () => await closeSenders(senders, 0),
  }
}

function addBacklogGauges({ db }: Stores, metrics: Pick<Metrics, 'addGauges'>): void {
  const standing = remembered(() => readPushStanding(db), GAUGES_EVERY_MS)
  metrics.addGauges({
    label: 'provider',
    gauges: {
      vigil_push_waiting: 'Recipients that were not settled yet, in whole batches',
      vigil_push_needs_attention: 'Credentials that the provider rejected',
      vigil_push_paused: 'Applications to which nothing is sent for a while',
    },
    read: async () =>
      (await standing()).map(({ provider, waiting, needs_attention, paused }) => ({
        label: provider,
        values: {
          vigil_push_waiting: waiting,
          vigil_push_needs_attention: needs_attention,
          vigil_push_paused: paused,
        },
      })),
  })
}

export function pushJobs(schedule: Schedule, { expire }: Push): void {
  schedule.every({
    name: 'push.expiry',
    interval_seconds: EXPIRY_SECONDS,
    run: async (_now, signal) => {
      await expire(signal)
    },
  })
}

export function pushRoutes(
  app: App,
  services: { accounts: Accounts; push: Push; validators: Validators },
  config: Config,
): void {
  const { accounts, push, validators } = services
  pushIdentityRoutes(app, { identity: push.identity })
  messageRoutes(app, { messages: push.messages, validators, field_limits: config })
  pushConsoleRoutes(app, { accounts, field_limits: config, ...push })
}
