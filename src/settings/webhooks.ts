/** Settings of the delivery of webhooks. */
import { durationMs } from '../platform/dispatch/retry-schedule.ts'
import { isAddressRange } from '../platform/net/address-text.ts'
import { isAllowEntry } from '../platform/net/allow-list.ts'
import { integer, list, type Setting } from '../platform/settings.ts'

export const WEBHOOK_SETTINGS = {
  webhook_deny: list(
    '',
    { accepts: isAddressRange, what: 'IP addresses or CIDR ranges' },
    {
      help: 'Public addresses that webhooks must not reach, such as those of your own servers',
    },
  ),
  webhook_allow: list(
    '',
    {
      accepts: isAllowEntry,
      what: 'hosts, IP addresses or CIDR ranges with an optional :PORT (IPv6 then in brackets)',
    },
    {
      help: 'Targets in your own network that webhooks may reach. For development and tests only',
    },
  ),
  webhook_deadline_ms: integer(
    15_000,
    { min: 500, max: 60_000 },
    { help: 'Timeout of a webhook request, including the response' },
  ),
  webhook_retry_schedule: list(
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    {
      accepts: (given) => durationMs(given) !== undefined,
      what: 'durations such as 5s, 30m, 2h or 1d',
    },
    { help: 'Delays between the attempts of a delivery, each counted from the attempt before' },
  ),
  webhook_pause_after_hours: integer(
    120,
    { min: 0, max: 8760 },
    { help: 'Time after which an endpoint that only fails is paused. 0 never pauses' },
  ),
  webhook_in_flight_max: integer(
    512,
    { min: 2, max: 10_000 },
    { help: 'Maximum concurrent webhook requests per process' },
  ),
  webhook_endpoint_in_flight_max: integer(
    8,
    { min: 1, max: 1000 },
    { help: 'Maximum concurrent webhook requests per endpoint, across all processes' },
  ),
  webhook_host_in_flight_max: integer(
    64,
    { min: 1, max: 10_000 },
    { help: 'Maximum concurrent webhook requests per host and port, per process' },
  ),
  webhook_poll_ms: integer(
    100,
    { min: 10, max: 60_000 },
    { help: 'Polling interval for deliveries that another process created' },
  ),
  delivery_retention_days: integer(
    30,
    { min: 1, max: 3650 },
    {
      help: 'Age at which webhook deliveries are deleted, including pending ones. They are deleted by the week below 100 days, otherwise by the month, so they stay for up to this time longer',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
