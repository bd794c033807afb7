/** SQL of the enrolment tokens. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../../../platform/postgres/tables/mdm.ts'

export type TokenRow = MdmTables['mdm_enrollment_tokens']

const LISTED_MAX = 1000

export async function insertToken(tx: Db, row: TokenRow): Promise<void> {
  await tx.insertInto('mdm_enrollment_tokens').values(row).execute()
}

/** The newest first, without those that have expired. */
export async function listTokens(db: Db, orgId: string, now: Date): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select * from mdm_enrollment_tokens where org_id = ${orgId} and expires_at > ${now}
    order by id desc limit ${LISTED_MAX}`.execute(db)
  return rows
}
