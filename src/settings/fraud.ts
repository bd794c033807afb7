/** Settings of checks, orders, cashier actions and events. */
import { formed, integer, type Setting } from '../platform/settings.ts'

export const FRAUD_SETTINGS = {
  check_deadline_ms: integer(
    400,
    { min: 20, max: 30_000 },
    {
      help: 'Maximum time that a check waits for look-ups. Later answers count as unknown and are stored in the background',
    },
  ),
  check_bulk_max: integer(
    100,
    { min: 1, max: 1000 },
    { help: 'Maximum number of checks in one bulk request' },
  ),
  check_data_max_bytes: integer(
    65_536,
    { min: 256, max: 1_048_576 },
    {
      help: 'Maximum size of each of `device`, `behavior` and `metadata` of a check, and of `metadata` of a phone report, as JSON',
    },
  ),
  device_report_minutes: integer(
    30,
    { min: 1, max: 1440 },
    {
      help: 'Age up to which a check accepts a report of the device SDK, by the clock of the browser',
    },
  ),
  check_retention_days: integer(
    0,
    { min: 0, max: 3650 },
    {
      help: 'Age at which checks and phone outcome reports are deleted. Checks are deleted by the week below 100 days, otherwise by the month, so they stay for up to this time longer. 0 keeps them',
    },
  ),
  order_retention_days: integer(
    0,
    { min: 0, max: 3650 },
    { help: 'Age at which orders, cashier actions and their reviews are deleted. 0 keeps them' },
  ),
  states_in_memory: integer(
    20_000,
    { min: 100, max: 1_000_000 },
    {
      help: 'Maximum number of states (of profiles, devices, terminals and so on) that a process caches, about 2 KB each',
    },
  ),
  reputation_age_days: integer(
    14,
    { min: 0, max: 3650 },
    {
      help: 'Age in days from which the opinions of an organization count for other organizations',
    },
  ),
  reputation_requests: integer(
    100,
    { min: 0, max: 1_000_000 },
    {
      help: 'Number of checks, orders and cashier actions from which the opinions of an organization count for other organizations, for live and test keys separately',
    },
  ),
  reputation_voices: integer(
    2,
    { min: 2, max: 100 },
    {
      help: 'Number of independent organizations that must agree before their opinions affect a score of another organization. Organizations with common owners count as one',
    },
  ),
  rules_learn_frauds: integer(
    160,
    { min: 0, max: 100_000 },
    {
      help: 'Number of confirmed frauds of an organization from which weights of the signals are learned from its decisions, once a day. 0 learns nothing',
    },
  ),
  time_zone: formed(
    'UTC',
    { accepts: isTimeZone, what: 'an IANA time zone such as Europe/Berlin' },
    { help: 'Time zone of orders and cashier actions that have no coordinates' },
  ),
  event_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    {
      help: 'Age at which events are deleted, by the week below 100 days, otherwise by the month',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>

function isTimeZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
