/** Settings of logs, devices, alerts and real-user monitoring. */
import { integer, type Setting } from '../platform/settings.ts'

export const TELEMETRY_SETTINGS = {
  edge_batch_max: integer(1000, { min: 1, max: 10_000 }, { help: 'Log entries in one batch' }),
  edge_batch_max_bytes: integer(
    5_242_880,
    { min: 1024, max: 52_428_800 },
    { help: 'Largest batch of log entries, after decompression' },
  ),
  edge_message_max_chars: integer(
    65_536,
    { min: 256, max: 1_048_576 },
    { help: 'Longest message and longest stack of a log entry' },
  ),
  edge_data_max_bytes: integer(
    65_536,
    { min: 256, max: 1_048_576 },
    { help: 'Largest `data` of a log entry, as JSON' },
  ),
  edge_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Logs and RUM events received longer ago are deleted' },
  ),
  edge_window_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Days that a reading of logs covers when it names no dates' },
  ),
  edge_page_max: integer(
    1000,
    { min: 50, max: 10_000 },
    { help: 'Largest `limit` of lists of logs, errors and devices' },
  ),
  edge_device_active_minutes: integer(
    15,
    { min: 1, max: 10_080 },
    { help: 'A device that was heard from within this time is active' },
  ),
  edge_alert_lateness_minutes: integer(
    5,
    { min: 0, max: 60 },
    { help: 'So late a log entry may come and still count for the alerts of its time' },
  ),
  edge_alerts_max: integer(100, { min: 1, max: 10_000 }, { help: 'Alert rules per organisation' }),
  edge_trend_points_max: integer(
    2000,
    { min: 24, max: 20_000 },
    { help: 'Most hours or days in one answer about trends' },
  ),
  rum_batch_max: integer(1000, { min: 1, max: 10_000 }, { help: 'RUM events in one batch' }),
  rum_batch_max_bytes: integer(
    1_048_576,
    { min: 65_536, max: 52_428_800 },
    { help: 'Largest batch of RUM events, after decompression' },
  ),
  rum_credits_per_1000: integer(0, { min: 0, max: 1000 }, { help: 'Credits of 1,000 RUM events' }),
  spool_max_mb: integer(
    2048,
    { min: 16, max: 1_048_576 },
    {
      help: 'Logs and events that may wait for the analytics engine; beyond, senders are told to come later (429)',
    },
  ),
  spool_flush_deadline_ms: integer(
    20_000,
    { min: 1000, max: 300_000 },
    { help: 'Time in which the analytics engine must have taken a block' },
  ),
} as const satisfies Record<string, Setting<unknown>>
