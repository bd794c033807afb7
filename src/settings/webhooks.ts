/** Settings of the delivery of webhooks. */
import { durationMs } from '../platform/dispatch/index.ts'
import { isAddressRange } from '../platform/net/address-text.ts'
import { isAllowEntry } from '../platform/net/allow-list.ts'
import { integer, list, type Setting } from '../platform/settings.ts'

export const WEBHOOK_SETTINGS = {
  webhook_deny: list(
    '',
    { accepts: isAddressRange, what: 'IP addresses or CIDR ranges' },
    {
      help: 'Public addresses that webhooks must not reach either, such as those of your own servers',
    },
  ),
  webhook_allow: list(
    '',
    {
      accepts: isAllowEntry,
      what: 'hosts, IP addresses or CIDR ranges with an optional :PORT (IPv6 then in brackets)',
    },
    {
      help: 'Targets in your own network that webhooks may reach; for development and tests only',
    },
  ),
  webhook_deadline_ms: integer(
    15_000,
    { min: 500, max: 60_000 },
    { help: 'Time in which a receiver must have answered completely' },
  ),
  webhook_retry_schedule: list(
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    {
      accepts: (given) => durationMs(given) !== undefined,
      what: 'durations such as 5s, 30m, 2h or 1d',
    },
    { help: 'When a failed delivery is tried again, each counted from the attempt before' },
  ),
  webhook_pause_after_hours: integer(
    120,
    { min: 0, max: 8760 },
    { help: 'An endpoint to which nothing could be delivered for so long is paused; 0 never' },
  ),
  webhook_in_flight_max: integer(
    512,
    { min: 2, max: 10_000 },
    { help: 'Webhook requests under way at a time, per process' },
  ),
  webhook_endpoint_in_flight_max: integer(
    8,
    { min: 1, max: 1000 },
    { help: 'Webhook requests under way to one endpoint, of all processes together' },
  ),
  webhook_host_in_flight_max: integer(
    64,
    { min: 1, max: 10_000 },
    { help: 'Webhook requests under way to one host and port, per process' },
  ),
  webhook_poll_ms: integer(
    100,
    { min: 10, max: 60_000 },
    { help: 'How often a process looks for deliveries that no one told it about' },
  ),
} as const satisfies Record<string, Setting<unknown>>
