/** The wiring of the management of Android devices. A part of the diagram in app.ts. */
import type { Beside } from './beside.ts'
import { type Config, ConfigError } from './config.ts'
import { mdmConsoleRoutes } from './console-api/mdm/routes.ts'
import type { Accounts } from './modules/accounts/index.ts'
import {
  type AndroidManagement,
  applyOperations,
  auditRoutes,
  type Budget,
  type Connection,
  commandRoutes,
  createAndroidManagement,
  createAuditReading,
  createBudget,
  createCommandChecks,
  createCommands,
  createComplianceFlips,
  createConnection,
  createDeviceEditing,
  createDeviceListings,
  createDeviceReading,
  createDeviceWriter,
  createEnterprises,
  createExports,
  createGroups,
  createMdmBrowsing,
  createMdmDispatcher,
  createNotifications,
  createPolicies,
  createPuller,
  createPushVerifier,
  createTokens,
  deviceRoutes,
  endCommandsOfDevices,
  enterpriseRoutes,
  groupRoutes,
  hasEnterprise,
  jwksUrlOf,
  markComplianceDue,
  type Notifications,
  notificationRoutes,
  overviewRoutes,
  policyRoutes,
  progressOf,
  REQUEST_CLASSES,
  readStanding,
  reportRoutes,
  tokenRoutes,
  withBudget,
} from './modules/mdm/index.ts'
import type { Dispatcher } from './platform/dispatch/index.ts'
import { readApiDescription } from './platform/google/api-description.ts'
import type { App } from './platform/http/app.ts'
import type { Metrics } from './platform/metrics.ts'
import { DISPATCH_KINDS } from './platform/postgres/tables/mdm.ts'
import { remembered } from './platform/remembered.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Stores } from './stores.ts'

type Job = (now: Date, signal: AbortSignal) => Promise<unknown>

export type DeviceManagement = {
  /** What devices are managed through. */
  connection: Connection
  /** Google, asked only as often as it may be. */
  provider: AndroidManagement
  budget: Budget
  notifications: Notifications
  /** Something is to be brought to Google. */
  hint: () => void
  /** Brings everything to Google and, where they are not pushed, fetches notifications. */
  running: readonly Pick<Dispatcher, 'start' | 'stop'>[]
  /** What heals when a notification was lost, and what time alone changes. */
  listDevices: Job
  checkCommands: Job
  flipCompliance: Job
}

const IN_FLIGHT_MAX = 32
const POLL_MS = 1000
const JOB_SECONDS = 60
/** Anybody may ask for metrics, and what waits for a whole fleet takes a tenth of a second to count. */
const GAUGES_EVERY_MS = 10_000

export function createDeviceManagement(
  stores: Stores,
  config: Config,
  metrics: Metrics,
  beside: Beside,
): DeviceManagement {
  const { db, sealer, clock, newId, log } = stores
  const { connection, budget, provider } = connect(stores, config, beside)
  const writer = createDeviceWriter({ newId, settings: config, endCommandsOfDevices })
  const dispatcher = createMdmDispatcher({
    db,
    provider,
    budget,
    sealer,
    clock,
    newId,
    log,
    writer,
    mdm_command_check_minutes: config.mdm_command_check_minutes,
    deadline_ms: config.android_deadline_ms,
    in_flight_max: IN_FLIGHT_MAX,
    poll_ms: POLL_MS,
    observe: (kind, outcome) => metrics.countAttempt(kind, outcome),
  })
  const { hint } = dispatcher
  const notifications = createNotifications({
    db,
    clock,
    newId,
    log,
    writer,
    applyOperations,
    hint,
  })
  const { mdm_reconcile_minutes, mdm_command_check_minutes } = config
  const puller = createPuller({
    provider,
    take: notifications.take,
    hasEnterprise: () => hasEnterprise(db),
    log,
  })
  addBacklogGauges(stores, metrics)
  const isPushed = config.android_push_audience !== undefined
  return {
    connection,
    budget,
    provider,
    notifications,
    hint,
    running: isPushed ? [dispatcher] : [dispatcher, puller],
    listDevices: createDeviceListings({
      db,
      provider,
      writer,
      clock,
      newId,
      log,
      mdm_reconcile_minutes,
      hint,
    }),
    checkCommands: createCommandChecks({ db, provider, newId, log, mdm_command_check_minutes }),
    flipCompliance: createComplianceFlips({ db, writer }),
  }
}

function connect({ db, sealer, clock, log }: Stores, config: Config, { trialUrl }: Beside) {
  const connection = createConnection({
    db,
    sealer,
    clock,
    log,
    trialUrl,
    android_management_url: config.android_management_url,
    deadline_ms: config.android_deadline_ms,
  })
  const budget = createBudget({
    db,
    limits: {
      enterprise: config.android_enterprise_requests_per_minute,
      policy: config.android_policy_requests_per_minute,
      device: config.android_device_requests_per_minute,
      command: config.android_command_requests_per_minute,
      reading: config.android_reading_requests_per_minute,
      total: config.android_requests_per_minute,
    },
    backoff_seconds: config.android_backoff_seconds,
  })
  const google = createAndroidManagement({
    connection: connection.resolve,
    topic: config.android_topic,
    subscription: config.android_subscription,
    is_pushed: config.android_push_audience !== undefined,
    deadline_ms: config.android_deadline_ms,
    now: () => clock.now(),
  })
  return { connection, budget, provider: withBudget(google, budget) }
}

export function addBacklogGauges(
  { db, clock }: Pick<Stores, 'db' | 'clock'>,
  metrics: Pick<Metrics, 'addGauges'>,
): void {
  const standing = remembered(() => readStanding(db), GAUGES_EVERY_MS)
  metrics.addGauges({
    label: 'kind',
    gauges: {
      vigil_mdm_waiting:
        'What has not reached Google yet: policies, assignments, commands, deletions',
      vigil_mdm_failing: 'Of these, those that were tried in vain more than once',
      vigil_mdm_oldest_seconds: 'How long the oldest of them has been waiting',
    },
    read: async () => {
      const { backlog } = await standing()
      const now = clock.now().getTime()
      return DISPATCH_KINDS.map((label) => {
        const row = backlog.find(({ kind }) => kind === label)
        const oldest = row === undefined ? 0 : Math.max(0, now - row.oldest_at.getTime()) / 1000
        return {
          label,
          values: {
            vigil_mdm_waiting: row?.waiting ?? 0,
            vigil_mdm_failing: row?.failing ?? 0,
            vigil_mdm_oldest_seconds: oldest,
          },
        }
      })
    },
  })
  metrics.addGauges({
    label: 'class',
    gauges: { vigil_mdm_pause_seconds: 'For how long Google wants no more requests of the class' },
    read: async () => {
      const { pauses } = await standing()
      const now = clock.now().getTime()
      return REQUEST_CLASSES.map((label) => {
        const until = pauses.find((pause) => pause.class === label)?.paused_until.getTime() ?? now
        return { label, values: { vigil_mdm_pause_seconds: Math.max(0, until - now) / 1000 } }
      })
    },
  })
}

export function deviceManagementJobs(schedule: Schedule, jobs: DeviceManagement): void {
  for (const [name, run] of [
    ['mdm.compliance', jobs.flipCompliance],
    ['mdm.devices', jobs.listDevices],
    ['mdm.commands', jobs.checkCommands],
  ] as const) {
    schedule.every({
      name,
      interval_seconds: JOB_SECONDS,
      run: async (now, signal) => {
        await run(now, signal)
      },
    })
  }
}

export function deviceManagementRoutes(
  app: App,
  { db, sealer, clock, newId, log }: Stores,
  services: { accounts: Accounts; device_management: DeviceManagement },
  config: Config,
): void {
  const { accounts, device_management } = services
  const { provider, notifications, hint } = device_management
  const field_limits = config
  const made = { db, clock, newId, hint }
  enterpriseRoutes(app, { accounts, enterprises: createEnterprises({ ...made, provider }) })
  const api = readApiDescription('android-management')
  const policies = createPolicies({ ...made, api, markComplianceDue, limits: config })
  policyRoutes(app, { accounts, policies, field_limits })
  tokenRoutes(app, { accounts, tokens: createTokens({ ...made, provider, sealer, log }) })
  const { mdm_groups_max, mdm_attributes_max_bytes, mdm_command_hours } = config
  const groups = createGroups({ ...made, progressOf, mdm_groups_max })
  groupRoutes(app, { accounts, groups, field_limits })
  const commands = createCommands({ ...made, sealer, mdm_command_hours })
  commandRoutes(app, { accounts, commands })
  const editing = createDeviceEditing({ ...made, mdm_attributes_max_bytes })
  deviceRoutes(app, { accounts, reading: createDeviceReading({ db }), editing, field_limits })
  overviewRoutes(app, { accounts, db })
  const exports = createExports(config)
  auditRoutes(app, { accounts, reading: createAuditReading({ db }), clock, exports, field_limits })
  reportRoutes(app, { accounts, db, clock, exports })
  pushRoutes(app, config, notifications, () => clock.now())
}

/** What the console reads and writes beside them. */
export function deviceManagementConsole(
  app: App,
  { db, clock, newId }: Stores,
  services: { accounts: Accounts; device_management: DeviceManagement },
  config: Config,
): void {
  const { accounts, device_management } = services
  const { connection, hint } = device_management
  const api = readApiDescription('android-management')
  const { listMembers } = accounts
  mdmConsoleRoutes(app, {
    accounts,
    browsing: createMdmBrowsing({ db, connection, listMembers }),
    policies: createPolicies({ db, clock, newId, hint, api, markComplianceDue, limits: config }),
    api,
    field_limits: config,
  })
}

function pushRoutes(app: App, config: Config, notifications: Notifications, now: () => Date): void {
  const { android_push_audience: audience, android_push_account: account } = config
  if (audience === undefined) return
  // Any account of anybody at Google can have a token made for any audience.
  if (account === undefined) {
    throw new ConfigError('VIGIL_ANDROID_PUSH_AUDIENCE also needs VIGIL_ANDROID_PUSH_ACCOUNT.')
  }
  const verify = createPushVerifier({
    jwks_url: jwksUrlOf(config.android_management_url),
    audience,
    account,
    now,
    timeout_ms: config.android_deadline_ms,
  })
  notificationRoutes(app, { notifications, verify })
}
