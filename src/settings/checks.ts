/** Settings of checks, orders, and how long things are kept. */
import { formed, integer, type Setting } from '../platform/settings.ts'

export const CHECK_SETTINGS = {
  check_deadline_ms: integer(
    400,
    { min: 20, max: 30_000 },
    {
      help: 'Time a check may spend on look-ups; what is later is unknown and completes in the background',
    },
  ),
  check_bulk_max: integer(100, { min: 1, max: 1000 }, { help: 'Checks in one bulk request' }),
  check_retention_days: integer(
    0,
    { min: 0, max: 3650 },
    {
      help: 'Checks and outcome reports older than this are deleted; 0 keeps them',
    },
  ),
  order_retention_days: integer(
    0,
    { min: 0, max: 3650 },
    { help: 'Orders, cashier actions and their reviews older than this are deleted; 0 keeps them' },
  ),
  states_in_memory: integer(
    20_000,
    { min: 100, max: 1_000_000 },
    {
      help: 'Profiles, devices, terminals and the like whose state a process keeps at hand; about 2 KB each',
    },
  ),
  time_zone: formed(
    'UTC',
    { accepts: isTimeZone, what: 'an IANA time zone such as Europe/Berlin' },
    { help: 'Time zone of orders and cashier actions that come without coordinates' },
  ),
  event_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Events older than this are deleted' },
  ),
  delivery_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Webhook deliveries older than this are deleted, those that still wait too' },
  ),
} as const satisfies Record<string, Setting<unknown>>

function isTimeZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
