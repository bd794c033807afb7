import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'

/** @returns undefined without a level, which then depends on the usage */
export async function readLevel(db: Db, orgId: string): Promise<number | undefined> {
  const { rows } = await sql<{ units: number }>`
    select low_balance_units as units from credit_settings where org_id = ${orgId}`.execute(db)
  return rows[0]?.units
}

export async function writeLevel(tx: Db, orgId: string, units: number): Promise<void> {
  await sql`
    insert into credit_settings (org_id, low_balance_units) values (${orgId}, ${units})
    on conflict (org_id) do update set low_balance_units = excluded.low_balance_units`.execute(tx)
}

export async function deleteLevel(tx: Db, orgId: string): Promise<void> {
  await sql`delete from credit_settings where org_id = ${orgId}`.execute(tx)
}
