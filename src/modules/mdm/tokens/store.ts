/** SQL of the enrolment tokens. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../../../platform/postgres/tables/mdm.ts'
import { firstId } from '../audit/reading.ts'

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

/**
 * Of those that were made since `since`, the newest first, when that at `place` was made, from 0. By their
 * ids, which begin with the time: there may be many older ones.
 *
 * @returns undefined when there are not so many
 */
export async function findTokenTime(
  db: Db,
  orgId: string,
  { since, place }: { since: Date; place: number },
): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from mdm_enrollment_tokens
    where org_id = ${orgId} and id > ${firstId(since.getTime())}::uuid and created_at > ${since}
    order by id desc offset ${place} limit 1`.execute(db)
  return rows[0]?.created_at
}
