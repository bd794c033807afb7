/** Every table and column is exported, or left out for a reason that is written down here. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { SECRET_COLUMNS, TRANSIENT_TABLES } from './export.store.ts'
import { BY_OTHERS } from './tables.store.ts'

const db = ownDatabase('whole')

/** Tables that belong to no organization. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  account_mails: 'links that were sent to users, until they expire',
  cells: 'databases of the installation',
  data_keys: 'keys of the installation',
  email_changes: 'links of users, until they expire',
  installation_secrets: 'secrets of the installation',
  known_browsers: 'browsers of users, who can belong to several organizations',
  lookup_cache: 'answers of public look-ups for all organizations',
  mdm_connection: 'the service account of the installation at Google',
  mdm_request_counts: 'requests of the installation to Google',
  mdm_request_pauses: 'pauses of the installation at Google',
  notification_progress: 'progress of a job in a cell',
  passkey_challenges: 'sign-ins of users, until they expire',
  push_identity_keys: 'keys of the installation',
  refresh_tokens: 'sessions of users, which are secrets',
  sign_in_logout_tokens: 'uses of tokens of providers, until they expire',
  usage_fold: 'progress of a job in a cell',
  user_passkeys: 'sign-in of users, who can belong to several organizations',
  user_recovery_codes: 'secrets of users',
  user_second_factors: 'secrets of users',
}

/** Columns that are called like secrets and are exported. */
const HARMLESS: readonly string[] = [
  'cashier_actions.action_hash',
  'check_event_ids.payload_hash',
  'imported_profiles.line_hash',
  'intake_receipts.body_hash',
  'mdm_devices.enrollment_token_id',
  'phone_reports.phone_hash',
  'push_subscriptions.token_registered_at',
  'rum_sessions.session_hash',
  'webhook_endpoints.previous_secret_until',
  'webhook_endpoints.secret_prefix',
]

type Column = { table: string; column: string }

const columns = async (): Promise<Column[]> => {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> 'schema_migrations' order by 1, 2`.execute(db)
  return rows
}

it('covers every table, except those listed with a reason', async () => {
  const all = await columns()
  const owned = new Set(all.filter(({ column }) => column === 'org_id').map(({ table }) => table))
  const others = [...new Set(all.map(({ table }) => table))].filter(
    (table) => !owned.has(table) && !(table in BY_OTHERS),
  )
  expect(others).toEqual(Object.keys(OF_NO_ORGANIZATION).toSorted())
  expect(TRANSIENT_TABLES.filter((table) => !owned.has(table))).toEqual([])
})

it('leaves out every column that holds a secret', async () => {
  const all = await columns()
  const suspicious = all.filter(
    ({ table, column }) =>
      !(table in OF_NO_ORGANIZATION) &&
      /secret|token|password|sealed|private|hash|verifier|credential|cipher|salt|nonce/.test(
        column,
      ),
  )
  const exported = suspicious
    .filter(({ column }) => !SECRET_COLUMNS.includes(column))
    .map(({ table, column }) => `${table}.${column}`)
  expect(exported).toEqual(HARMLESS)
})
