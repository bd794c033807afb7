/** Settings of the HTTP server and its limits. */
import { isAddressRange, isHost } from '../platform/net/address-text.ts'
import {
  choice,
  formed,
  integer,
  integerOrAuto,
  list,
  optionalFormed,
  optionalUrl,
  type Setting,
} from '../platform/settings.ts'
import { areHeaders } from '../platform/tracing/headers.ts'

export const SERVER_SETTINGS = {
  host: formed(
    '127.0.0.1',
    { accepts: isHost, what: 'an IP address or a host name' },
    { help: 'Address to listen on. Use 0.0.0.0 for all interfaces' },
  ),
  port: integer(8080, { min: 0, max: 65_535 }, { help: 'Port to listen on. 0 picks a free port' }),
  admin_port: integerOrAuto(
    { min: 0, max: 65_535 },
    {
      help: 'Port of `VIGIL_HOST` for `/healthz`, `/readyz` and `/metrics` alone. With `auto`, the role `worker` serves them at the port 1000 above `VIGIL_PORT` unless another process has it, and the other roles have no second port',
    },
  ),
  processes: integerOrAuto(
    { min: 1, max: 64 },
    {
      help: 'Processes that `vigil serve` runs on this machine. With `auto`, one for each core that the database leaves: two thirds of the cores with PostgreSQL on the same machine, all of them otherwise, and at most 8. One process does everything; of several, one in four does the work that no request waits for',
    },
  ),
  drain_seconds: integer(
    2,
    { min: 0, max: 300 },
    {
      help: 'Time after the signal to stop in which requests are still served, while `/readyz` responds with 503 and each connection is closed after its next response. Longer than load balancers take to notice. At a terminal it is 0',
    },
  ),
  public_url: optionalUrl(['http', 'https'], {
    help: 'Address at which clients reach this service, shown in the API reference',
  }),
  allowed_hosts: list(
    '',
    { accepts: isHost, what: 'host names' },
    {
      help: 'Host names that clients may use in addition to that of `VIGIL_PUBLIC_URL`. IP addresses, `localhost` and names without a dot are always accepted, other names are refused (400)',
    },
  ),
  trusted_proxies: list(
    '',
    { accepts: isAddressRange, what: 'IP addresses or CIDR ranges' },
    { help: 'Proxies whose X-Forwarded-For header is trusted. From other senders it is ignored' },
  ),
  end_user_address: choice(['forwarded', 'ignored'], 'forwarded', {
    help: 'Whether the address that a trusted proxy forwards belongs to the end user. Set `ignored` if your backends do not forward it',
  }),
  log_level: choice(['fatal', 'error', 'warn', 'info', 'debug'], 'info', {
    help: 'Least severe level that the service logs',
  }),
  traces_url: optionalUrl(['http', 'https'], {
    help: 'OpenTelemetry collector that receives traces of requests, deliveries and notifications by OTLP over HTTP, for example `http://localhost:4318/v1/traces`. Without it, there are no traces',
  }),
  traces_headers: optionalFormed(
    { accepts: areHeaders, what: 'a list of NAME=VALUE, separated by commas' },
    { help: 'Headers for the collector, such as `authorization=Bearer TOKEN`', secret: true },
  ),
  traces_percent: integer(
    1,
    { min: 1, max: 100 },
    {
      help: 'Percentage of traces that are recorded. The id of a trace decides, so that all services of a trace agree',
    },
  ),
  body_max_bytes: integer(
    16_777_216,
    { min: 1024, max: 52_428_800 },
    {
      help: 'Maximum size of a request body. Most operations have a lower limit',
    },
  ),
  json_max_depth: integer(
    32,
    { min: 4, max: 200 },
    { help: 'Maximum nesting depth of a request body' },
  ),
  text_max_chars: integer(
    1024,
    { min: 64, max: 65_536 },
    { help: 'Maximum length of text fields that have no documented limit' },
  ),
} as const satisfies Record<string, Setting<unknown>>
