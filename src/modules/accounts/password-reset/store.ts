/** SQL for links that replace a password. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables } from '../tables.ts'

type Row = AccountTables['password_resets']
export type FoundReset = Pick<Row, 'user_id' | 'org_id'> & { email: string }

const ROWS_PER_SWEEP = 1000

export async function insertReset(tx: Db, reset: Row): Promise<void> {
  await tx.insertInto('password_resets').values(reset).execute()
}

/** Open links and expired ones of the last hour, which the sweep may not have deleted yet. */
export async function countResets(tx: Db, userId: string, since: Date): Promise<number> {
  const { resets } = await tx
    .selectFrom('password_resets')
    .select((row) => row.fn.countAll<number>().as('resets'))
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return resets
}

/**
 * A link that an admin was shown works only while the user is a member of that organization and of no other, so
 * that admins of one organization cannot enter another one with it.
 */
export async function findReset(
  db: Db,
  tokenHash: Buffer,
  now: Date,
): Promise<FoundReset | undefined> {
  const { rows } = await sql<FoundReset>`
    select r.user_id, r.org_id, u.email from password_resets r join users u on u.id = r.user_id
    where r.token_hash = ${tokenHash} and r.expires_at > ${now}
      and (r.org_id is null or (${isMemberOf('r.user_id', 'r.org_id')}
        and not ${isMemberElsewhere('r.user_id', 'r.org_id')}))`.execute(db)
  return rows[0]
}

const isMemberOf = (user: string, org: string) => sql`exists (
  select from memberships m where m.user_id = ${sql.ref(user)} and m.org_id = ${sql.ref(org)})`

const isMemberElsewhere = (user: string, org: string) => sql`exists (
  select from memberships m where m.user_id = ${sql.ref(user)} and m.org_id <> ${sql.ref(org)})`

export async function belongsElsewhere(tx: Db, userId: string, orgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('memberships')
    .select('org_id')
    .where('user_id', '=', userId)
    .where('org_id', '<>', orgId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Serializes changes of the password and of the memberships of a user. */
export async function lockUser(tx: Db, userId: string): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
}

/** @returns the number of deleted rows */
export async function sweepResets(db: Db, now: Date): Promise<number> {
  const portion = { table: 'password_resets', key: 'token_hash', rows_max: ROWS_PER_SWEEP } as const
  return await deleteExpired(db, portion, now)
}

/** Deletes requests for a new password. @returns their addresses */
export async function takeResetRequests(tx: Db, max: number): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    delete from account_mails where id in (
      select id from account_mails where kind = 'reset_request' and due_at <= now()
      order by due_at limit ${max} for update skip locked)
    returning recipient`.execute(tx)
  return rows.map(({ recipient }) => recipient)
}
