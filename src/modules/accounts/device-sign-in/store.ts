/** SQL for programs that wait for the approval of a user. */
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables } from '../tables.ts'

type Row = AccountTables['device_sign_ins']
export type Waiting = Selectable<Row>
export type Approval = {
  user_id: string
  org_id: string
  days: number
  is_proved: boolean
  provider_at: Date | null
  provider_org_id: string | null
}

const ROWS_PER_SWEEP = 1000

export async function insertDeviceSignIn(db: Db, row: Insertable<Row>): Promise<void> {
  await db.insertInto('device_sign_ins').values(row).execute()
}

/** @returns undefined for a code that was decided about or has expired */
export async function findUndecided(
  db: Db,
  userHash: Buffer,
  now: Date,
): Promise<Waiting | undefined> {
  return await db
    .selectFrom('device_sign_ins')
    .selectAll()
    .where('user_hash', '=', userHash)
    .where('user_id', 'is', null)
    .where('is_denied', '=', false)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Of concurrent decisions one succeeds. @returns what was decided about */
export async function decide(
  tx: Db,
  userHash: Buffer,
  decision: Approval | 'denied',
  now: Date,
): Promise<Waiting | undefined> {
  return await tx
    .updateTable('device_sign_ins')
    .set(decision === 'denied' ? { is_denied: true } : decision)
    .where('user_hash', '=', userHash)
    .where('user_id', 'is', null)
    .where('is_denied', '=', false)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export async function findByDevice(
  db: Db,
  deviceHash: Buffer,
  now: Date,
): Promise<Waiting | undefined> {
  return await db
    .selectFrom('device_sign_ins')
    .selectAll()
    .where('device_hash', '=', deviceHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Of concurrent calls one succeeds. */
export async function takeByDevice(db: Db, deviceHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('device_sign_ins')
    .where('device_hash', '=', deviceHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** @returns the number of deleted rows */
export async function sweepDeviceSignIns(db: Db, now: Date): Promise<number> {
  const portion = {
    table: 'device_sign_ins',
    key: 'device_hash',
    rows_max: ROWS_PER_SWEEP,
  } as const
  return await deleteExpired(db, portion, now)
}
