/** Reads all rows of an organization as JSON, in one snapshot, without holding them in memory. */
import type { Client } from 'pg'
import { copyOut } from '../../platform/postgres/copy.ts'
import { inSnapshot, quoted } from '../../platform/postgres/dump.ts'
import { listOrganizationTables } from './tables.store.ts'

/** Keys and tokens, also hashed and sealed ones, which serve no one else and could be misused. */
export const SECRET_COLUMNS: readonly string[] = [
  'device_hash',
  'key_hash',
  'new_password',
  'password_hash',
  'previous_secret',
  'provider_sid_hash',
  'sealed',
  'sealed_headers',
  'secret',
  'secret_hash',
  'secret_salt',
  'token',
  'token_hash',
  'token_value',
  'user_hash',
]
/** Data on its way to another place, and answers to repeated requests. */
export const TRANSIENT_TABLES: readonly string[] = ['analytics_spool', 'intake_receipts']

export type RowSink = {
  /** Begins a table. */
  open(table: string): {
    /** @param line one row as JSON with a line break, in memory that is reused after the call */
    write(line: Buffer): Promise<void> | undefined
    end(): Promise<void>
  }
  onTable(table: string, rows: number): void
}

/** @param orgId a UUID, which becomes part of the SQL, because COPY takes no parameters */
export async function exportRows(
  client: Client,
  orgId: string,
  { open, onTable }: RowSink,
  place?: readonly string[],
): Promise<void> {
  await inSnapshot(client, async () => {
    const tables = await listOrganizationTables(client, place)
    for (const { name, columns, condition } of tables) {
      if (TRANSIENT_TABLES.includes(name)) continue
      const list = columns.filter((column) => !SECRET_COLUMNS.includes(column)).map(quoted)
      const chosen = condition.replace('$1', `'${orgId}'`)
      const rows = `select row_to_json(r) from (select ${list.join(', ')} from ${quoted(name)} where ${chosen}) r`
      const file = open(name)
      // JSON has no control characters, so as CSV it is neither quoted nor escaped.
      const format = String.raw`(format csv, delimiter E'\x02', quote E'\x01')`
      const count = await copyOut(client, `copy (${rows}) to stdout ${format}`, file.write)
      await file.end()
      onTable(name, count)
    }
  })
}
