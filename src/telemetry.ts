/**
 * The wiring of what devices and browsers send: the intake and the spool, logs, devices and alerts,
 * RUM, and what is read of them from the analytics engine. A part of the diagram in app.ts.
 */
import type { Config } from './config.ts'
import { edgeConsoleRoutes } from './console-api/edge.ts'
import { rumConsoleRoutes } from './console-api/rum.ts'
import type { Accounts } from './modules/accounts/index.ts'
import type { Billing } from './modules/billing/index.ts'
import {
  type Alerts,
  createAlerts,
  createDevices,
  createLogExplorer,
  createLogIngest,
  createLogReading,
  createMinuteCounts,
  createSearches,
  createTail,
  type Devices,
  edgeAlertRoutes,
  edgeDeviceRoutes,
  edgeLogIngestRoutes,
  edgeLogReadingRoutes,
  type LogExplorer,
  type LogIngest,
  type LogReading,
  type Searches,
  type Tail,
} from './modules/edge/index.ts'
import { createIntake, type Intake } from './modules/intake/index.ts'
import {
  createRum,
  createRumReadings,
  createRumTrends,
  type Rum,
  type RumReadings,
  type RumTrends,
  rumRoutes,
} from './modules/rum/index.ts'
import type { Dispatcher } from './platform/dispatch/index.ts'
import type { App } from './platform/http/app.ts'
import type { Validators } from './platform/http/validation.ts'
import type { Metrics } from './platform/metrics.ts'
import { createFindMissing, createFlusher, readBacklog } from './platform/spool/index.ts'
import type { Stores } from './stores.ts'

export type Telemetry = {
  intake: Intake
  logs: LogIngest
  log_reading: LogReading
  log_explorer: LogExplorer
  searches: Searches
  tail: Tail
  devices: Devices
  alerts: Alerts
  rum: Rum
  rum_readings: RumReadings
  rum_trends: RumTrends
  /** Bring the spool to the analytics engine, once they are started; one per table there. */
  flushers: readonly Dispatcher[]
}

export type TelemetryDependencies = {
  stores: Stores
  config: Config
  billing: Billing
  metrics: Metrics
  validators: Validators
}

const BYTES_PER_MB = 1_048_576

export function createTelemetry(deps: TelemetryDependencies): Telemetry {
  const { stores, config, billing, metrics, validators } = deps
  const { db, clock, newId, log } = stores
  const { clickhouse } = stores.analytics
  const flushers = (['edge_logs', 'rum_events'] as const).map((target) =>
    createFlusher({
      db,
      clickhouse,
      log,
      target,
      deadline_ms: config.spool_flush_deadline_ms,
      ...(config.clickhouse_url === undefined && { findMissing: createFindMissing(clickhouse) }),
      observe: ({ outcome }) => metrics.countAttempt('spool', outcome),
    }),
  )
  addSpoolGauges(stores, metrics)
  const intake = createIntake({
    db,
    newId,
    log,
    spool_max_bytes: config.spool_max_mb * BYTES_PER_MB,
  })
  return {
    intake,
    flushers,
    logs: createLogIngest({
      clock,
      newId,
      intake,
      billing,
      credits_required: config.credits_required,
      field_limits: config,
    }),
    log_reading: createLogReading({
      db,
      clickhouse,
      clock,
      edge_window_days: config.edge_window_days,
      edge_trend_points_max: config.edge_trend_points_max,
      edge_device_active_minutes: config.edge_device_active_minutes,
    }),
    log_explorer: createLogExplorer({
      clickhouse,
      clock,
      edge_window_days: config.edge_window_days,
    }),
    searches: createSearches({ db, clock, newId }),
    tail: createTail({ db, clock, log }),
    devices: createDevices({
      db,
      clock,
      edge_device_active_minutes: config.edge_device_active_minutes,
    }),
    alerts: createAlerts({
      db,
      clock,
      newId,
      log,
      countPerMinute: createMinuteCounts(clickhouse),
      edge_alert_lateness_minutes: config.edge_alert_lateness_minutes,
      edge_alerts_max: config.edge_alerts_max,
    }),
    rum: createRum({
      db,
      clock,
      newId,
      intake,
      billing,
      validators,
      rum_credits_per_1000: config.rum_credits_per_1000,
      json_max_depth: config.json_max_depth,
      credits_required: config.credits_required,
    }),
    rum_readings: createRumReadings({
      clickhouse,
      clock,
      edge_window_days: config.edge_window_days,
    }),
    rum_trends: createRumTrends({
      clickhouse,
      clock,
      edge_window_days: config.edge_window_days,
    }),
  }
}

function addSpoolGauges({ db }: Stores, metrics: Metrics): void {
  metrics.addGauges({
    label: 'target',
    gauges: {
      vigil_spool_waiting_bytes: 'Logs and events that have not reached the analytics engine yet',
      vigil_spool_oldest_seconds: 'How long the oldest of them has been waiting',
      vigil_spool_refused_rows: 'Blocks that the analytics engine will not take',
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
}

export function telemetryRoutes(
  app: App,
  services: { accounts: Accounts; telemetry: Telemetry; validators: Validators },
  config: Config,
): void {
  const { accounts, telemetry, validators } = services
  const { logs, log_reading: reading, tail, devices, alerts, rum, rum_readings } = telemetry
  const { log_explorer: explorer, searches } = telemetry
  edgeLogIngestRoutes(app, { logs, field_limits: config })
  edgeLogReadingRoutes(app, { accounts, reading, field_limits: config })
  edgeConsoleRoutes(app, {
    accounts,
    reading,
    tail,
    explorer,
    searches,
    devices,
    alerts,
    field_limits: config,
  })
  edgeDeviceRoutes(app, { accounts, devices, field_limits: config })
  edgeAlertRoutes(app, { accounts, alerts, field_limits: config })
  rumRoutes(app, { rum, validators, field_limits: config })
  rumConsoleRoutes(app, { accounts, readings: rum_readings, trends: telemetry.rum_trends })
}
