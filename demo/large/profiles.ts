/** The names of copied profiles, and their ids, which follow from the names. */
import { sql } from 'kysely'
import type { Database } from '../../src/platform/postgres/db.ts'
import type { StateId } from '../../src/platform/states/index.ts'
import { SCHEMA } from './functions.ts'

type Named = { base_id: string; base_name: string; copy: number; external_id: string }

export async function copyProfiles(
  db: Database,
  stateId: StateId,
  orgId: string,
  copies: number,
): Promise<void> {
  const owner = { org_id: orgId, mode: 'live' } as const
  const table = sql.raw(`${SCHEMA}.profile_copies`)
  await sql`create unlogged table ${table} (base_id uuid, base_name text, copy int, external_id text, id uuid,
    primary key (base_id, copy))`.execute(db)
  for (let k = 1; k <= copies; k += 1) {
    const { rows } = await sql<Named>`
      select id as base_id, external_id as base_name, ${k}::int as copy,
        ${sql.raw(SCHEMA)}.name(external_id, ${k}::int) as external_id
      from profiles where org_id = ${orgId}`.execute(db)
    const named = rows.map((row) => ({ ...row, id: stateId(owner, 'profile', row.external_id) }))
    await sql`insert into ${table} select base_id, base_name, copy, external_id, id
      from json_to_recordset(${JSON.stringify(named)}::json)
        as n (base_id uuid, base_name text, copy int, external_id text, id uuid)`.execute(db)
  }
  await sql`analyze ${table}`.execute(db)
}
