/** Settings of edge logs, edge devices, log alerts, real-user monitoring and the spool. */
import { integer, type Setting } from '../platform/settings.ts'

export const TELEMETRY_SETTINGS = {
  edge_batch_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Maximum log entries in one batch' },
  ),
  edge_batch_max_bytes: integer(
    5_242_880,
    { min: 1024, max: 52_428_800 },
    { help: 'Maximum size of a batch of log entries, after decompression' },
  ),
  edge_message_max_chars: integer(
    65_536,
    { min: 256, max: 1_048_576 },
    { help: 'Maximum length of the message and of the stack of a log entry' },
  ),
  edge_data_max_bytes: integer(
    65_536,
    { min: 256, max: 1_048_576 },
    { help: 'Maximum size of `data` of a log entry, as JSON' },
  ),
  edge_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Age at which logs and RUM events are deleted, counted from when they were received' },
  ),
  edge_window_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Period that log queries cover when they name no dates' },
  ),
  edge_page_max: integer(
    1000,
    { min: 50, max: 10_000 },
    { help: 'Maximum `limit` of lists of logs, errors and edge devices' },
  ),
  edge_device_active_minutes: integer(
    15,
    { min: 1, max: 10_080 },
    { help: 'Time since its last log or heartbeat for which an edge device counts as active' },
  ),
  edge_alert_lateness_minutes: integer(
    5,
    { min: 0, max: 60 },
    { help: 'How late a log entry may arrive and still count for log alerts' },
  ),
  edge_alerts_max: integer(
    100,
    { min: 1, max: 10_000 },
    { help: 'Maximum log alert rules per organization' },
  ),
  edge_trend_points_max: integer(
    2000,
    { min: 24, max: 20_000 },
    { help: 'Maximum number of hours or days in one trends response' },
  ),
  rum_batch_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Maximum RUM events in one batch' },
  ),
  rum_batch_max_bytes: integer(
    1_048_576,
    { min: 65_536, max: 52_428_800 },
    { help: 'Maximum size of a batch of RUM events, after decompression' },
  ),
  spool_max_mb: integer(
    2048,
    { min: 16, max: 1_048_576 },
    {
      help: 'Maximum size of the spool of logs and RUM events that wait for the analytics engine. An organization can have as much in it as is free, which is half of it for a single one; beyond that, its senders get a 429',
    },
  ),
  spool_flush_deadline_ms: integer(
    20_000,
    { min: 1000, max: 300_000 },
    { help: 'Timeout of an insert into the analytics engine' },
  ),
} as const satisfies Record<string, Setting<unknown>>
