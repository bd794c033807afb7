/**
 * Reads the settings of Vigil, which `settings/` declares by topic, from the environment. No other file
 * reads the environment. docs/operate/settings.md and .env.example are generated from the declarations.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { parseEnv } from 'node:util'
import { OperatorError, reasonOf } from './platform/operator-error.ts'
import type { Setting, Values } from './platform/settings.ts'
import { ACCOUNT_SETTINGS } from './settings/accounts.ts'
import { BACKUP_SETTINGS } from './settings/backups.ts'
import { BILLING_SETTINGS } from './settings/billing.ts'
import { ENGINE_SETTINGS } from './settings/engines.ts'
import { FRAUD_SETTINGS } from './settings/fraud.ts'
import { LOOKUP_SETTINGS } from './settings/lookups.ts'
import { MDM_SETTINGS } from './settings/mdm.ts'
import { NOTIFICATION_SETTINGS } from './settings/notifications.ts'
import { PUSH_SETTINGS } from './settings/push.ts'
import { RATE_LIMIT_SETTINGS } from './settings/rate-limits.ts'
import { SERVER_SETTINGS } from './settings/server.ts'
import { SINGLE_SIGN_ON_SETTINGS } from './settings/single-sign-on.ts'
import { TELEMETRY_SETTINGS } from './settings/telemetry.ts'
import { WEBHOOK_SETTINGS } from './settings/webhooks.ts'

/** Settings by topic, in the order of the reference. */
export const SETTING_TOPICS: Readonly<Record<string, Record<string, Setting<unknown>>>> = {
  Server: SERVER_SETTINGS,
  'Databases and secrets': ENGINE_SETTINGS,
  Backups: BACKUP_SETTINGS,
  'Rate limits': RATE_LIMIT_SETTINGS,
  'Accounts and sign-in': ACCOUNT_SETTINGS,
  'Single sign-on': SINGLE_SIGN_ON_SETTINGS,
  'Credits and prices': BILLING_SETTINGS,
  'Checks, orders and events': FRAUD_SETTINGS,
  'Look-ups': LOOKUP_SETTINGS,
  Webhooks: WEBHOOK_SETTINGS,
  'Logs, RUM and the spool': TELEMETRY_SETTINGS,
  'Managed devices': MDM_SETTINGS,
  'Mobile push': PUSH_SETTINGS,
  Notifications: NOTIFICATION_SETTINGS,
}

export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...ENGINE_SETTINGS,
  ...BACKUP_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...SINGLE_SIGN_ON_SETTINGS,
  ...BILLING_SETTINGS,
  ...FRAUD_SETTINGS,
  ...LOOKUP_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...MDM_SETTINGS,
  ...PUSH_SETTINGS,
  ...NOTIFICATION_SETTINGS,
} as const satisfies Record<string, Setting<unknown>>

export type Config = Values<typeof SETTINGS>

const UNPREFIXED = ['database_url', 'clickhouse_url', 'redis_url']

export const environmentName = (key: string): string =>
  UNPREFIXED.includes(key) ? key.toUpperCase() : `VIGIL_${key.toUpperCase()}`

/** Its message names each wrong setting on a line of its own. */
export class ConfigError extends OperatorError {}

/** @throws ConfigError listing every unknown name and every invalid value */
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
 * Merges the environment of the process over the `.env` file of the folder.
 *
 * @param hasFile whether to read the file; a supervisor passes it on in the environment, because its
 *   processes may be unable to read it
 * @throws ConfigError when the file exists but cannot be read
 */
export function readEnvironment(
  folder: string,
  hasFile = true,
): Record<string, string | undefined> {
  return { ...(hasFile && readEnvFile(`${folder}/.env`)), ...process.env }
}

function readEnvFile(file: string): Record<string, string | undefined> {
  if (!existsSync(file)) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`Cannot read ${file}: ${reasonOf(error)}.`)
  }
}

/** A service that npm started ends together with that `npm start` or `npx`. */
export const isStartedByNpm = (environment: Record<string, string | undefined>): boolean =>
  ['start', 'demo', 'npx'].includes(environment['npm_lifecycle_event'] ?? '')

/** Address of the API for clients: `public_url` when it is set, else where the service listens. */
export function baseUrl({ public_url, host, port }: Config): string {
  if (public_url !== undefined) return `${public_url.replace(/\/+$/, '')}/v1`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/v1`
}

/** Host names under which clients reach the service, in addition to addresses. */
export function hostNames(config: Config): string[] {
  const { public_url, android_push_audience, host, allowed_hosts } = config
  const urls = [public_url, android_push_audience].filter((url) => url !== undefined)
  return [...urls.map((url) => new URL(url).hostname), host, ...allowed_hosts]
}

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
