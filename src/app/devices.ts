/** Management of Android devices through the Android Management API. */
import { ConfigError } from '../config.ts'
import type { Accounts } from '../modules/accounts/index.ts'
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
  createComplianceUpdates,
  createConnection,
  createDeviceEditing,
  createDeviceListings,
  createDeviceReading,
  createDeviceWriter,
  createEnterprises,
  createExportLimit,
  createGroups,
  createMdmBrowsing,
  createMdmDispatcher,
  createNotifications,
  createPolicies,
  createPuller,
  createPushVerifier,
  createTokens,
  DISPATCH_KINDS,
  deviceRoutes,
  endCommandsOfDevices,
  enterpriseRoutes,
  expireMdmAudit,
  groupRoutes,
  jwksUrlOf,
  markComplianceDue,
  mdmConsoleRoutes,
  type Notifications,
  notificationRoutes,
  overviewRoutes,
  policyRoutes,
  progressOf,
  REQUEST_CLASSES,
  readFleetStatus,
  reportRoutes,
  sweepCommands,
  sweepDeviceCounts,
  sweepDevices,
  sweepEnrollmentTokens,
  sweepFormerNames,
  sweepGroupCommands,
  sweepNotifications,
  sweepSignups,
  tokenConsoleRoutes,
  tokenRoutes,
  withBudget,
} from '../modules/mdm/index.ts'
import { cached } from '../platform/cached.ts'
import type { Dispatcher } from '../platform/dispatch/index.ts'
import { readApiDescription } from '../platform/google/api-description.ts'
import type { App } from '../platform/http/app.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import type { Job } from '../platform/schedule.ts'
import { type Core, inMain, pick } from './core.ts'
import { hasEnterpriseAnywhere, takeInCells } from './notification-takers.ts'
import {
  countedSweep,
  daysBefore,
  expirySweeps,
  job,
  type Part,
  retentionSweeps,
  type Sweep,
} from './part.ts'

type Connected = {
  /** The Google Cloud project, or the emulator, that devices are managed through. */
  connection: Connection
  /** The Android Management API within the request budget. */
  provider: AndroidManagement
  budget: Budget
}

type Work = Job['run']

export type DevicesPart = Part &
  Connected & {
    notifications: Notifications
    /** Notifies the dispatcher of this process that something is due. */
    hint: () => void
    /** The dispatcher and, unless notifications are pushed, their puller. */
    running: readonly Pick<Dispatcher, 'start' | 'stop'>[]
    listDevices: Work
    checkCommands: Work
    flipCompliance: Work
  }

const IN_FLIGHT_MAX = 32
const POLL_MS = 1000
const JOB_SECONDS = 60
/** The metrics are public, and counting the backlog of a fleet takes a tenth of a second. */
const GAUGES_EVERY_MS = 10_000
/** The provider repeats a notification for up to a week. */
const REPEATED_DAYS = 8
const SIGNUP_DAYS = 7
/** A device that was enrolled just before its token expired may report much later. */
const TOKEN_DAYS = 90

export function createDevicesPart(core: Core, { accounts }: { accounts: Accounts }): DevicesPart {
  const { db, clock, newId, log, config } = core
  const connected = connect(core)
  const { provider } = connected
  const writer = createDeviceWriter({ newId, settings: config, endCommandsOfDevices })
  const dispatcher = createDispatcher(core, connected, writer)
  const hint = core.relay('devices', dispatcher.hint)
  const applying = { db, clock, newId, log, writer, hint }
  const notifications = createNotifications({ ...applying, applyOperations })
  core.notification_takers.set(core.cell, { db, take: notifications.take })
  const { mdm_reconcile_minutes, mdm_command_check_minutes } = config
  const listDevices = createDeviceListings({ ...applying, provider, mdm_reconcile_minutes })
  const checks = { db, provider, newId, log, mdm_command_check_minutes }
  const checkCommands = createCommandChecks(checks)
  const flipCompliance = createComplianceUpdates({ db, writer })
  const running = [dispatcher, ...inMain(core, pullers(core, provider))]
  return {
    ...connected,
    notifications,
    hint,
    running,
    listDevices,
    checkCommands,
    flipCompliance,
    routes: (app) => {
      deviceManagementRoutes(app, core, { ...connected, hint, accounts })
    },
    dispatchers: running,
    jobs: [
      job('mdm.compliance', JOB_SECONDS, flipCompliance),
      job('mdm.devices', JOB_SECONDS, listDevices),
      job('mdm.commands', JOB_SECONDS, checkCommands),
    ],
    sweeps: (now) => sweepsOf(core, now),
    gauges: [...backlogGauges(core), notificationGauges(notifications)],
  }
}

function connect({ directory, db, sealer, clock, log, config, outside }: Core): Connected {
  const connection = createConnection({
    directory,
    db,
    sealer,
    clock,
    log,
    trialUrl: outside.trialUrl,
    android_management_url: config.android_management_url,
    deadline_ms: config.android_deadline_ms,
  })
  const budget = createBudget({
    db: directory,
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
    is_pushed: isPushed(config),
    deadline_ms: config.android_deadline_ms,
    now: () => clock.now(),
  })
  return { connection, budget, provider: withBudget(google, budget) }
}

const isPushed = ({ android_push_audience }: Core['config']): boolean =>
  android_push_audience !== undefined

const createDispatcher = (
  { db, sealer, clock, newId, log, config, metrics, tracing }: Core,
  { provider, budget }: Connected,
  writer: ReturnType<typeof createDeviceWriter>,
) =>
  createMdmDispatcher({
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
    tracing,
    observe: (kind, outcome) => metrics.countAttempt(kind, outcome),
  })

function pullers({ notification_takers, log, config }: Core, provider: AndroidManagement) {
  if (isPushed(config)) return []
  const hasEnterprise = async () => await hasEnterpriseAnywhere(notification_takers)
  return [
    createPuller({ provider, take: takeInCells(notification_takers, log), hasEnterprise, log }),
  ]
}

type RouteServices = Connected & Pick<DevicesPart, 'hint'> & { accounts: Accounts }

function deviceManagementRoutes(app: App, core: Core, services: RouteServices): void {
  const { db, sealer, clock, newId, log, config } = core
  const { connection, provider, hint, accounts } = services
  const acting = { db, clock, newId, hint }
  const field_limits = pick(
    config,
    'text_max_chars',
    'mdm_policy_max_bytes',
    'mdm_policies_max',
    'mdm_policies_max_bytes',
    'mdm_attributes_max_bytes',
    'mdm_assignment_max',
    'mdm_page_max',
  )
  const api = readApiDescription('android-management')
  const policies = createPolicies({ ...acting, api, markComplianceDue, limits: field_limits })
  enterpriseRoutes(app, { enterprises: createEnterprises({ ...acting, provider }) })
  policyRoutes(app, { policies, api, field_limits })
  const tokens = createTokens({ ...acting, provider, sealer, log })
  tokenRoutes(app, { tokens })
  tokenConsoleRoutes(app, { tokens })
  const groups = createGroups({ ...acting, progressOf, ...pick(config, 'mdm_groups_max') })
  groupRoutes(app, { groups, field_limits })
  const commands = createCommands({ ...acting, sealer, ...pick(config, 'mdm_command_hours') })
  commandRoutes(app, { commands })
  const editing = createDeviceEditing({ ...acting, ...pick(config, 'mdm_attributes_max_bytes') })
  deviceRoutes(app, { reading: createDeviceReading({ db }), editing, field_limits })
  overviewRoutes(app, { db })
  const exportLimit = createExportLimit(pick(config, 'mdm_exports_max'))
  auditRoutes(app, { reading: createAuditReading({ db }), clock, exportLimit, field_limits })
  reportRoutes(app, { db, clock, exportLimit })
  pushedNotificationRoutes(app, core)
  const browsing = createMdmBrowsing({ db, connection, listMembers: accounts.listMembers })
  mdmConsoleRoutes(app, { browsing, policies, api, field_limits })
}

function pushedNotificationRoutes(
  app: App,
  { config, clock, log, notification_takers }: Core,
): void {
  const { android_push_audience: audience, android_push_account: account } = config
  if (audience === undefined) return
  // Any Google account can obtain a token for any audience.
  if (account === undefined) {
    throw new ConfigError('VIGIL_ANDROID_PUSH_AUDIENCE also needs VIGIL_ANDROID_PUSH_ACCOUNT.')
  }
  const verify = createPushVerifier({
    jwks_url: jwksUrlOf(config.android_management_url),
    audience,
    account,
    now: () => clock.now(),
    timeout_ms: config.android_deadline_ms,
  })
  const take = takeInCells(notification_takers, log)
  notificationRoutes(app, { notifications: { take }, verify })
}

function sweepsOf({ db, config }: Core, now: Date): Sweep[] {
  return [
    countedSweep('MDM notifications', () => sweepNotifications(db, daysBefore(now, REPEATED_DAYS))),
    countedSweep('MDM sign-ups', () => sweepSignups(db, daysBefore(now, SIGNUP_DAYS))),
    countedSweep('MDM enrollment tokens', () =>
      sweepEnrollmentTokens(db, daysBefore(now, TOKEN_DAYS)),
    ),
    countedSweep('MDM device counts', () => sweepDeviceCounts(db)),
    ...expirySweeps(now, config.audit_retention_days, 'MDM audit log', (before) =>
      expireMdmAudit(db, before),
    ),
    ...retentionSweeps(now, config.mdm_retention_days, {
      'MDM commands': (before) => sweepCommands(db, before),
      'MDM group commands': (before) => sweepGroupCommands(db, before),
      'MDM devices': (before) => sweepDevices(db, before),
      'MDM former names': (before) => sweepFormerNames(db, before),
    }),
  ]
}

/** What this process has received and could not apply yet. */
export const notificationGauges = ({
  status,
}: Pick<Notifications, 'status'>): GaugeOptions<string> => ({
  label: 'kind',
  gauges: {
    vigil_mdm_put_off: 'Notifications of Google that wait for a lock in the database',
    vigil_mdm_put_off_oldest_seconds: 'Time for which the oldest of them has been waiting',
  },
  sums: ['vigil_mdm_put_off'],
  read: () => {
    const { put_off, oldest_ms } = status()
    const values = {
      vigil_mdm_put_off: put_off,
      vigil_mdm_put_off_oldest_seconds: oldest_ms / 1000,
    }
    return Promise.resolve([{ label: 'notification', values }])
  },
})

export function backlogGauges({
  directory,
  db,
  clock,
}: Pick<Core, 'directory' | 'db' | 'clock'>): GaugeOptions<string>[] {
  const status = cached(() => readFleetStatus({ directory, db }), GAUGES_EVERY_MS)
  return [
    {
      label: 'kind',
      gauges: {
        vigil_mdm_waiting:
          'Policies, assignments, commands and deletions that have not reached Google yet',
        vigil_mdm_failing: 'Waiting items that failed more than once',
        vigil_mdm_oldest_seconds: 'Age of the oldest waiting item',
      },
      read: async () => {
        const { backlog } = await status()
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
    },
    {
      label: 'class',
      gauges: { vigil_mdm_pause_seconds: 'Remaining pause of a request class after rejections' },
      read: async () => {
        const { pauses } = await status()
        const now = clock.now().getTime()
        return REQUEST_CLASSES.map((label) => {
          const until = pauses.find((pause) => pause.class === label)?.paused_until.getTime() ?? now
          return { label, values: { vigil_mdm_pause_seconds: Math.max(0, until - now) / 1000 } }
        })
      },
    },
  ]
}
