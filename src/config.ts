/**
 * Every setting of Vigil, once: name, type, default, help, secret or not. This is the only file
 * that reads the environment; the table in the README and .env.example are printed from it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { durationMs } from './platform/dispatch/index.ts'
import {
  isAddressAndPort,
  isAddressRange,
  isHost,
  isHostAndPort,
} from './platform/net/address-text.ts'
import { isAllowEntry } from './platform/net/allow-list.ts'
import { OperatorError, reasonOf } from './platform/operator-error.ts'
import {
  choice,
  flag,
  formed,
  integer,
  list,
  optionalChoice,
  optionalFormed,
  optionalText,
  optionalUrl,
  rateLimit,
  type Setting,
  text,
  url,
  type Values,
} from './platform/settings.ts'

const MASTER_KEY_BYTES = 32

/** JSON Web Algorithms that a token endpoint may ask for (RFC 7518, RFC 8037). */
const SIGNATURE_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
]

export const SETTINGS = {
  database_url: optionalUrl(['postgres', 'postgresql'], {
    help: 'PostgreSQL 15 or newer of your own; without it an embedded server is used',
    secret: true,
  }),
  clickhouse_url: optionalUrl(['http', 'https'], {
    help: 'ClickHouse 26.2 or newer of your own for logs and events, with database as the path; without it an embedded engine is used',
    secret: true,
  }),
  clickhouse_cluster: optionalFormed(
    { accepts: isIdentifier, what: 'a name of letters, digits and _' },
    {
      help: 'Cluster of CLICKHOUSE_URL: tables are made Replicated, with a Distributed one in front',
    },
  ),
  redis_url: optionalUrl(['redis', 'rediss'], {
    help: 'Redis or Valkey for rate limits shared by several nodes; without it each node counts alone',
    secret: true,
  }),

  host: formed(
    '127.0.0.1',
    { accepts: isHost, what: 'an IP address or a host name' },
    { help: 'Address to listen on; 0.0.0.0 for all interfaces' },
  ),
  port: integer(8080, { min: 0, max: 65_535 }, { help: 'Port to listen on; 0 picks a free one' }),
  data_dir: optionalText({
    help: 'Folder of the embedded PostgreSQL and the master key (default: ./data)',
  }),
  public_url: optionalUrl(['http', 'https'], {
    help: 'Address under which clients reach this service, shown in the API reference',
  }),
  trusted_proxies: list(
    '',
    { accepts: isAddressRange, what: 'IP addresses or CIDR ranges' },
    {
      help: 'Proxies whose X-Forwarded-For is believed; from anybody else it is ignored',
    },
  ),
  end_user_address: choice(['forwarded', 'ignored'], 'forwarded', {
    help: 'Whether the address that a trusted proxy passes on is that of the end user; `ignored` where backends do not send it along',
  }),
  log_level: choice(['fatal', 'error', 'warn', 'info', 'debug'], 'info', {
    help: 'Least severe level that is logged',
  }),
  master_key: optionalFormed(
    {
      accepts: areMasterKeys,
      what: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    },
    {
      help: 'Key that seals the secrets at rest, 32 bytes in base64; several, separated by commas, during a rotation (newest first). Without it one is made in the data folder',
      secret: true,
    },
  ),
  postgres_pool_size: integer(
    10,
    { min: 2, max: 200 },
    { help: 'Database connections per process' },
  ),
  postgres_prepared_statements: flag(true, {
    help: 'Turn off behind a pooler that does not carry prepared statements',
  }),

  clickhouse_memory_mb: integer(
    2048,
    { min: 512, max: 1_048_576 },
    { help: 'Memory that the embedded analytics engine may take for queries, inserts and merges' },
  ),
  clickhouse_threads: integer(
    2,
    { min: 1, max: 256 },
    { help: 'Threads of one query in the embedded analytics engine' },
  ),
  clickhouse_query_timeout_ms: integer(
    15_000,
    { min: 500, max: 600_000 },
    { help: 'Time after which a query about logs or events is given up' },
  ),

  body_max_bytes: integer(
    16_777_216,
    { min: 1024, max: 52_428_800 },
    {
      help: 'Largest request body',
    },
  ),
  json_max_depth: integer(32, { min: 4, max: 200 }, { help: 'Deepest nesting of a request body' }),
  text_max_chars: integer(
    1024,
    { min: 64, max: 65_536 },
    {
      help: 'Longest text in a field whose length the specification leaves open',
    },
  ),

  rate_limit_check: rateLimit('20000/10', { help: 'Checks per organisation, REQUESTS/SECONDS' }),
  rate_limit_order: rateLimit('20000/10', { help: 'Orders per organisation' }),
  rate_limit_profile: rateLimit('20000/10', { help: 'Profile upserts per organisation' }),
  rate_limit_cashier: rateLimit('20000/10', { help: 'Cashier actions per organisation' }),
  rate_limit_ingest: rateLimit('20000/10', {
    help: 'Log batches and device calls per organisation',
  }),
  rate_limit_rum: rateLimit('20000/10', { help: 'RUM batches per organisation' }),
  rate_limit_read: rateLimit('20000/10', { help: 'Reads per organisation' }),
  rate_limit_report: rateLimit('5000/10', { help: 'Outcome reports per organisation' }),
  rate_limit_console: rateLimit('600/60', { help: 'Console requests per organisation or user' }),
  rate_limit_sign_in: rateLimit('10/60', {
    help: 'Sign-in attempts per client address and per e-mail',
  }),

  access_token_minutes: integer(15, { min: 1, max: 1440 }, { help: 'Lifetime of an access token' }),
  refresh_token_days: integer(30, { min: 1, max: 365 }, { help: 'Lifetime of a refresh token' }),

  billing_interval_seconds: integer(
    300,
    { min: 1, max: 86_400 },
    {
      help: 'How often usage is debited from the balance',
    },
  ),
  check_credits: integer(1, { min: 0, max: 1000 }, { help: 'Credits of one check' }),
  credits_required: flag(false, {
    help: 'Refuse live requests (403) when the balance is used up, instead of going negative',
  }),

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

  dns_servers: list(
    '',
    {
      accepts: isAddressAndPort,
      what: 'IP addresses with an optional :PORT (IPv6 then in brackets)',
    },
    {
      help: 'DNS servers (default: those of the system)',
    },
  ),
  lookup_timeout_ms: integer(
    3000,
    { min: 50, max: 30_000 },
    {
      help: 'Time after which a look-up that completes in the background is given up',
    },
  ),
  rdap_enabled: flag(true, { help: 'Look up the age of domains by RDAP and WHOIS' }),
  rdap_bootstrap_url: url('https://data.iana.org/rdap/dns.json', ['http', 'https'], {
    help: 'RDAP bootstrap registry, read once a day; a copy is shipped for when it is out of reach',
  }),
  whois_server: formed(
    'whois.iana.org:43',
    { accepts: isHostAndPort, what: 'HOST or HOST:PORT' },
    { help: 'WHOIS server that refers to the registries' },
  ),
  enum_suffix: optionalFormed(
    { accepts: isHost, what: 'a domain name' },
    { help: 'ENUM zone for number portability, for example e164.arpa or that of your carrier' },
  ),
  sim_swap_url: optionalUrl(['http', 'https'], {
    help: 'CAMARA SIM Swap API root of your operator, up to and including /sim-swap/v2',
  }),
  sim_swap_token_url: optionalUrl(['http', 'https'], {
    help: 'OAuth 2 token endpoint of your operator',
  }),
  sim_swap_auth: choice(
    ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    'client_secret_basic',
    { help: 'How the service signs in at the token endpoint' },
  ),
  sim_swap_client_id: optionalText({ help: 'OAuth 2 client id' }),
  sim_swap_client_secret: optionalText({ help: 'OAuth 2 client secret', secret: true }),
  sim_swap_private_key: optionalText({
    help: 'Private key for private_key_jwt, PKCS #8 in PEM; line breaks may be written as \\n',
    secret: true,
  }),
  sim_swap_key_id: optionalText({ help: 'Key id (kid) of the private key' }),
  sim_swap_key_algorithm: optionalChoice(SIGNATURE_ALGORITHMS, {
    help: 'Signature algorithm (default: what suits the key)',
  }),
  sim_swap_scope: text('dpv:FraudPreventionAndDetection sim-swap:check sim-swap:retrieve-date', {
    help: 'OAuth 2 scope that is asked for',
  }),
} as const satisfies Record<string, Setting<unknown>>

/** Told here rather than by the first use, so that the sentence names the setting. */
function areMasterKeys(given: string): boolean {
  const keys = given.split(',').map((key) => key.trim())
  const written = keys.filter((key) => key !== '')
  return written.length > 0 && written.every(isMasterKey)
}

function isMasterKey(given: string): boolean {
  const key = Buffer.from(given, 'base64')
  return key.length === MASTER_KEY_BYTES && key.toString('base64') === given
}

function isIdentifier(given: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(given)
}

function isTimeZone(given: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export type Config = Values<typeof SETTINGS>

const UNPREFIXED = ['database_url', 'clickhouse_url', 'redis_url']

export const environmentName = (key: string): string =>
  UNPREFIXED.includes(key) ? key.toUpperCase() : `VIGIL_${key.toUpperCase()}`

/** Says which settings are wrong, one sentence each. */
export class ConfigError extends OperatorError {}

/** @throws ConfigError naming every unknown name and every bad value */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const names = new Map(Object.keys(SETTINGS).map((key) => [environmentName(key), key]))
  for (const name of Object.keys(environment)) {
    if (name.startsWith('VIGIL_') && !names.has(name)) faults.push(unknownName(name, names))
  }
  const values: Record<string, unknown> = {}
  for (const [name, key] of names) {
    const setting: Setting<unknown> = SETTINGS[key as keyof typeof SETTINGS]
    const given = environment[name]?.trim()
    const value = given === undefined || given === '' ? setting.fallback : given
    try {
      values[key] = value === undefined ? undefined : setting.read(value)
    } catch (error) {
      faults.push(`${name} ${reasonOf(error)}.`)
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return values as Config
}

/**
 * The environment of the process over the `.env` file of the current folder.
 *
 * @throws ConfigError when there is such a file but it cannot be read
 */
export function readEnvironment(folder: string): Record<string, string | undefined> {
  return { ...readEnvFile(`${folder}/.env`), ...process.env }
}

function readEnvFile(file: string): Record<string, string | undefined> {
  if (!existsSync(file)) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${reasonOf(error)}.`)
  }
}

/** npm sets this, so that the service can end with the `npm start` or `npx` that started it. */
export const isStartedByNpm = (environment: Record<string, string | undefined>): boolean =>
  ['start', 'npx'].includes(environment['npm_lifecycle_event'] ?? '')

const NEAR_EDITS_MAX = 3

function unknownName(name: string, known: Map<string, string>): string {
  const bare = (full: string) => full.replace(/^VIGIL_/, '')
  const [nearest] = [...known.keys()]
    .map((candidate) => ({ candidate, edits: distance(bare(candidate), bare(name)) }))
    .toSorted((a, b) => a.edits - b.edits)
  const isNear = nearest !== undefined && nearest.edits <= NEAR_EDITS_MAX
  const hint = isNear ? `; did you mean ${nearest.candidate}?` : '.'
  return `${name} is not a setting of Vigil${hint}`
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
