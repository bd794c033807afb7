/** SQL of idempotency keys. */
import { sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushTables } from '../tables.ts'
import type { Accepted } from './schema.ts'

export type KeyUse = { org_id: string; mode: Mode; key: string; fingerprint: Buffer }

/** Waits for concurrent transactions that use the same key. @returns whether this one inserted it */
export async function insertKey(tx: Db, use: KeyUse, messageId: string): Promise<boolean> {
  const { org_id, mode, key, fingerprint } = use
  const { rows } = await sql`
    insert into push_idempotency_keys
      (org_id, mode, key, fingerprint, message_id, answer, created_at)
    values (${org_id}, ${mode}, ${key}, ${fingerprint}, ${messageId}, '{}', now())
    on conflict do nothing returning key`.execute(tx)
  return rows.length > 0
}

export type KeyRow = Pick<PushTables['push_idempotency_keys'], 'fingerprint' | 'answer'>

export async function findKey(tx: Db, { org_id, mode, key }: KeyUse): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    select fingerprint, answer from push_idempotency_keys
    where org_id = ${org_id} and mode = ${mode} and key = ${key}`.execute(tx)
  return rows[0]
}

/** Stores the response, in the transaction that inserted the key. */
export async function updateAnswer(tx: Db, { org_id, mode, key }: KeyUse, answer: Accepted) {
  await sql`
    update push_idempotency_keys set answer = ${JSON.stringify(answer)}::jsonb
    where org_id = ${org_id} and mode = ${mode} and key = ${key}`.execute(tx)
}

const SWEPT_AT_ONCE = 5000

/**
 * Deletes a portion of older keys. Deletes by `ctid`, because the planner would read the whole table to
 * find the rows by key. @returns number of rows
 */
export async function sweepIdempotencyKeys(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from push_idempotency_keys where ctid = any (array(
      select ctid from push_idempotency_keys where created_at < ${before}
      order by created_at limit ${SWEPT_AT_ONCE}))`.execute(db)
  return Number(numAffectedRows)
}
