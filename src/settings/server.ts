/** Settings of the engines, the server, its limits and its sessions. */
import { isAddressRange, isHost } from '../platform/net/address-text.ts'
import {
  choice,
  flag,
  formed,
  integer,
  list,
  optionalFormed,
  optionalText,
  optionalUrl,
  rateLimit,
  type Setting,
} from '../platform/settings.ts'

const MASTER_KEY_BYTES = 32

export const SERVER_SETTINGS = {
  database_url: optionalUrl(['postgres', 'postgresql'], {
    help: 'PostgreSQL 15 or newer of your own; without it an embedded server is used',
    secret: true,
  }),
  clickhouse_url: optionalUrl(['http', 'https'], {
    help: 'ClickHouse 26.4 or newer of your own for logs and events, with database as the path; without it an embedded engine is used',
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
    help: 'Folder of the embedded engines and the master key (default: ./data)',
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
  rate_limit_push: rateLimit('2000/10', {
    help: 'Push messages and identity tokens per organisation',
  }),
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
