/** SQL for the queue of e-mails about accounts. Times of the queue are those of the database. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { AccountTables } from '../tables.ts'

type Row = AccountTables['account_mails']
export type NewMailRow = Pick<
  Row,
  'id' | 'kind' | 'recipient' | 'details' | 'subject_id' | 'expires_at'
>
/** `attempts` includes the one that the claim starts. */
export type ClaimedMail = Pick<Row, 'id' | 'kind' | 'recipient' | 'details' | 'expires_at'> & {
  attempts: number
  lease_id: string
}

export async function insertMail(tx: Db, mail: NewMailRow): Promise<void> {
  const { details, ...row } = mail
  await sql`
    insert into account_mails (id, kind, recipient, details, subject_id, expires_at)
    values (${row.id}, ${row.kind}, ${row.recipient}, ${JSON.stringify(details)}::jsonb,
      ${row.subject_id}, ${row.expires_at})`.execute(tx)
}

/** Requests for a new password are no mails yet. */
export async function claimMails(
  db: Db,
  { lease_id, lease_ms, mails_max }: { lease_id: string; lease_ms: number; mails_max: number },
): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    update account_mails set attempts = attempts + 1, lease_id = ${lease_id}::uuid,
      leased_until = now() + ${lease_ms}::float8 * interval '1 millisecond'
    where id in (
      select id from account_mails
      where kind <> 'reset_request' and due_at <= now() and (leased_until is null or leased_until <= now())
      order by due_at, id limit ${mails_max}::integer for update skip locked)
    returning id, kind, recipient, details, expires_at, attempts, lease_id`.execute(db)
  return rows
}

/** A mail without a further attempt is deleted. Nothing changes once its lease has passed on. */
export async function settleMail(
  db: Db,
  { id, lease_id }: Pick<ClaimedMail, 'id' | 'lease_id'>,
  delayMs: number | null,
): Promise<void> {
  if (delayMs === null) {
    await sql`delete from account_mails where id = ${id} and lease_id = ${lease_id}`.execute(db)
    return
  }
  await sql`
    update account_mails set lease_id = null, leased_until = null,
      due_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where id = ${id} and lease_id = ${lease_id}`.execute(db)
}

/** Deletes mails about an invitation that does not exist any more, or of a user. */
export async function deleteMailsAbout(
  tx: Db,
  subjectId: string,
  kinds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('account_mails')
    .where('subject_id', '=', subjectId)
    .where('kind', 'in', kinds)
    .execute()
}
