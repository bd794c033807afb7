/** SQL of the enrollment tokens. */
import { type Selectable, sql } from 'kysely'
import { lowestIdAt } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../tables.ts'

export type TokenRow = Selectable<MdmTables['mdm_enrollment_tokens']>

const LISTED_MAX = 1000

export async function insertToken(tx: Db, row: TokenRow): Promise<void> {
  await tx.insertInto('mdm_enrollment_tokens').values(row).execute()
}

/** Newest first, without tokens that have expired or were ended. */
export async function listTokens(db: Db, orgId: string, now: Date): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select * from mdm_enrollment_tokens
    where org_id = ${orgId} and expires_at > ${now} and ended_at is null
    order by id desc limit ${LISTED_MAX}`.execute(db)
  return rows
}

export type TokenPlace = { after: string | undefined; limit: number }

/** Newest first, tokens of every state. */
export async function listAllTokens(
  db: Db,
  orgId: string,
  { after, limit }: TokenPlace,
): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select * from mdm_enrollment_tokens
    where org_id = ${orgId} ${after === undefined ? sql`` : sql`and id < ${after}::uuid`}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

export async function findToken(db: Db, orgId: string, id: string): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    select * from mdm_enrollment_tokens where org_id = ${orgId} and id = ${id}`.execute(db)
  return rows[0]
}

/** @returns false when it was ended before */
export async function markTokenEnded(
  tx: Db,
  { org_id, id }: Pick<TokenRow, 'org_id' | 'id'>,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mdm_enrollment_tokens set ended_at = ${now}
    where org_id = ${org_id} and id = ${id} and ended_at is null`.execute(tx)
  return numAffectedRows === 1n
}

/**
 * Returns the creation time of the token at `place`, counted from 0, among those created after `since`,
 * newest first. The condition on ids, which begin with the time, lets the index skip older tokens.
 *
 * @returns undefined when there are no more than `place` tokens
 */
export async function findTokenTime(
  db: Db,
  orgId: string,
  { since, place }: { since: Date; place: number },
): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from mdm_enrollment_tokens
    where org_id = ${orgId} and id > ${lowestIdAt(since.getTime())}::uuid and created_at > ${since}
    order by id desc offset ${place} limit 1`.execute(db)
  return rows[0]?.created_at
}
