/** Telemetry of edge devices and browsers: logs, devices, log alerts, RUM, and the spool for them. */
import type { Billing } from '../modules/billing/index.ts'
import {
  type Alerts,
  agentLogRoutes,
  alertConsoleRoutes,
  analysisRoutes,
  createAlerts,
  createDevices,
  createErrorMerges,
  createErrorStates,
  createLogAnalysis,
  createLogExplorer,
  createLogIngest,
  createLogReading,
  createMinuteCounts,
  createPanels,
  createSearches,
  createTail,
  type Devices,
  deviceConsoleRoutes,
  type ErrorMerges,
  type ErrorStatesService,
  edgeAlertRoutes,
  edgeDeviceRoutes,
  edgeLogIngestRoutes,
  edgeLogReadingRoutes,
  edgeReadingConsoleRoutes,
  errorMergeRoutes,
  errorStateRoutes,
  explorerRoutes,
  groupLogRow,
  LOG_ROWS,
  type LogAnalysis,
  type LogExplorer,
  type LogIngest,
  type LogReading,
  type Panels,
  panelRoutes,
  type Searches,
  searchRoutes,
  sweepFirings,
  type Tail,
  tailRoute,
} from '../modules/edge/index.ts'
import {
  createGrouper,
  createIntake,
  type GroupRow,
  type Intake,
  RETRY_MINUTES,
  sweepReceipts,
} from '../modules/intake/index.ts'
import {
  createRum,
  createRumReadings,
  createRumTrends,
  groupEventRow,
  type Rum,
  rumConsoleRoutes,
  rumRoutes,
  sweepSessions,
} from '../modules/rum/index.ts'
import type { Dispatcher } from '../platform/dispatch/index.ts'
import type { App } from '../platform/http/app.ts'
import type { GaugeOptions } from '../platform/metrics.ts'
import { createFindMissing, createFlusher, readBacklog } from '../platform/spool/index.ts'
import { MINUTE_MS, MINUTE_SECONDS } from '../platform/time-units.ts'
import { type Core, pick } from './core.ts'
import { countedSweep, daysBefore, job, type Part } from './part.ts'

export type TelemetryPart = Part & {
  intake: Intake
  logs: LogIngest
  log_reading: LogReading
  log_explorer: LogExplorer
  log_analysis: LogAnalysis
  error_states: ErrorStatesService
  error_merges: ErrorMerges
  panels: Panels
  searches: Searches
  tail: Tail
  devices: Devices
  alerts: Alerts
  rum: Rum
  /** Group waiting errors, and move rows from the spool to the analytics engine. */
  flushers: readonly Dispatcher[]
}

const BYTES_PER_MB = 1_048_576
/** Tables of the analytics engine that are filled through the spool, and how their errors are grouped. */
const SPOOL_TARGETS: Record<string, GroupRow> = {
  edge_logs: groupLogRow,
  rum_events: groupEventRow,
}
/** Columns of the tables that take binary rows. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = { edge_logs: LOG_ROWS.columns }

export function createTelemetryPart(core: Core, { billing }: { billing: Billing }): TelemetryPart {
  const { db, config } = core
  const intake = createIntake({
    ...pick(core, 'db', 'newId', 'log'),
    spool_max_bytes: config.spool_max_mb * BYTES_PER_MB,
  })
  const flushers = createFlushers(core)
  const edge = createEdge(core, { intake, billing })
  const rum = createRum({
    ...pick(core, 'db', 'clock', 'newId', 'validators'),
    ...pick(config, 'rum_credits_per_1000', 'json_max_depth', 'credits_required'),
    intake,
    billing,
  })
  return {
    ...edge,
    intake,
    flushers,
    rum,
    routes: (app) => {
      edgeRoutes(app, core, edge)
      const field_limits = pick(config, 'rum_batch_max', 'rum_batch_max_bytes')
      rumRoutes(app, { rum, validators: core.validators, field_limits })
      const { clickhouse } = core.analytics
      const reading = { clickhouse, clock: core.clock, ...pick(config, 'edge_window_days') }
      const readings = createRumReadings(reading)
      rumConsoleRoutes(app, { readings, trends: createRumTrends(reading) })
    },
    jobs: [job('edge.alerts', MINUTE_SECONDS, (now, signal) => edge.alerts.evaluate(now, signal))],
    dispatchers: flushers,
    sweeps: (now) => [
      countedSweep('receipts', () =>
        sweepReceipts(db, new Date(now.getTime() - RETRY_MINUTES * MINUTE_MS)),
      ),
      countedSweep('RUM sessions', () => sweepSessions(db, now)),
      countedSweep('alert firings', () =>
        sweepFirings(db, daysBefore(now, config.notification_retention_days)),
      ),
    ],
    gauges: [spoolGauges(core)],
    close: intake.drain,
  }
}

type Edge = ReturnType<typeof createEdge>

function createEdge(core: Core, { intake, billing }: { intake: Intake; billing: Billing }) {
  const { directory, db, clock, newId, log, config } = core
  const { audit } = core.directoryWriters
  const { clickhouse } = core.analytics
  const { credits_required, edge_window_days, edge_device_active_minutes } = config
  const ingesting = { clock, newId, intake, billing, credits_required }
  const reading = { db, clickhouse, clock, edge_window_days, edge_device_active_minutes }
  return {
    logs: createLogIngest({ ...ingesting, field_limits: ingestLimits(core) }),
    log_reading: createLogReading({ ...reading, ...pick(config, 'edge_trend_points_max') }),
    log_explorer: createLogExplorer({ db, clickhouse, clock, edge_window_days }),
    log_analysis: createLogAnalysis({ db, clickhouse, clock, edge_window_days }),
    error_states: createErrorStates({
      directory,
      db,
      clickhouse,
      clock,
      newId,
      audit,
      edge_window_days,
    }),
    error_merges: createErrorMerges({ directory, db, clickhouse, clock, newId, audit }),
    panels: createPanels({ directory, db, clock, newId }),
    searches: createSearches({ directory, db, clock, newId }),
    tail: createTail({ db, clock, log }),
    devices: createDevices({ db, clock, edge_device_active_minutes }),
    alerts: createAlerts({
      db,
      clock,
      newId,
      audit,
      log,
      countPerMinute: createMinuteCounts(clickhouse, db),
      ...pick(config, 'edge_alert_lateness_minutes', 'edge_alerts_max'),
    }),
  }
}

const ingestLimits = ({ config }: Core) =>
  pick(
    config,
    'edge_batch_max',
    'edge_batch_max_bytes',
    'edge_message_max_chars',
    'edge_data_max_bytes',
    'json_max_depth',
  )

function edgeRoutes(app: App, core: Core, edge: Edge): void {
  const { logs, log_reading: reading, log_explorer: explorer, devices, alerts } = edge
  const { searches, tail } = edge
  const field_limits = pick(core.config, 'text_max_chars', 'edge_page_max', 'edge_window_days')
  edgeLogIngestRoutes(app, { logs, field_limits: ingestLimits(core) })
  agentLogRoutes(app, { logs, field_limits: ingestLimits(core) })
  edgeLogReadingRoutes(app, { reading, field_limits })
  edgeDeviceRoutes(app, { devices, field_limits })
  edgeAlertRoutes(app, { alerts, field_limits })
  edgeReadingConsoleRoutes(app, { reading, states: edge.error_states, field_limits })
  tailRoute(app, { tail, field_limits })
  explorerRoutes(app, { explorer, field_limits })
  analysisRoutes(app, { analysis: edge.log_analysis, field_limits })
  errorStateRoutes(app, { states: edge.error_states, field_limits })
  errorMergeRoutes(app, { merges: edge.error_merges })
  panelRoutes(app, { panels: edge.panels })
  searchRoutes(app, { searches })
  deviceConsoleRoutes(app, { devices, explorer, field_limits })
  alertConsoleRoutes(app, { alerts, field_limits })
}

function createFlushers({ db, log, config, metrics, analytics }: Core): Dispatcher[] {
  const { clickhouse } = analytics
  // Only the embedded engine loses acknowledged blocks when its process is killed.
  const isEmbedded = config.clickhouse_url === undefined
  const flushers = Object.keys(SPOOL_TARGETS).map((target) =>
    createFlusher({
      db,
      clickhouse,
      log,
      target,
      columns: COLUMNS[target],
      deadline_ms: config.spool_flush_deadline_ms,
      ...(isEmbedded && { findMissing: createFindMissing(clickhouse) }),
      observe: ({ outcome }) => metrics.countAttempt('spool', outcome),
    }),
  )
  return [createGrouper({ db, log, groupRowOf: SPOOL_TARGETS }), ...flushers]
}

const spoolGauges = ({ db }: Core): GaugeOptions<string> => ({
  label: 'target',
  gauges: {
    vigil_spool_waiting_bytes: 'Logs and events that have not reached the analytics engine yet',
    vigil_spool_oldest_seconds: 'Age of the oldest waiting row',
    vigil_spool_refused_rows: 'Blocks that the analytics engine rejects',
  },
  read: async () =>
    (await readBacklog(db)).map(({ target, bytes, oldest_waiting_seconds, refused_rows }) => ({
      label: target,
      values: {
        vigil_spool_waiting_bytes: bytes,
        vigil_spool_oldest_seconds: oldest_waiting_seconds,
        vigil_spool_refused_rows: refused_rows,
      },
    })),
})
