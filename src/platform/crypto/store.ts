/** SQL for data keys and installation secrets. */
import { sql } from 'kysely'
import type { Db } from '../postgres/db.ts'

export type WrappedKey = { id: string; master_key_id: string; wrapped_key: Buffer }

/** An arbitrary constant that all Vigil processes share. */
const DATA_KEY_LOCK = 7_164_516

/**
 * Every transaction that wraps a data key takes this lock, so that no key is wrapped by a master
 * key that a rotation is about to drop.
 */
export async function lockDataKeys(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DATA_KEY_LOCK})`.execute(tx)
}

const dataKeys = (db: Db) =>
  db.selectFrom('data_keys').select(['id', 'master_key_id', 'wrapped_key'])

export async function findNewestDataKey(db: Db): Promise<WrappedKey | undefined> {
  const newest = dataKeys(db).orderBy('created_at', 'desc').orderBy('id', 'desc')
  return await newest.limit(1).executeTakeFirst()
}

export async function findDataKey(db: Db, id: string): Promise<WrappedKey | undefined> {
  return await dataKeys(db).where('id', '=', id).executeTakeFirst()
}

export const listDataKeys = (db: Db): Promise<WrappedKey[]> => dataKeys(db).execute()

export async function insertDataKey(db: Db, key: WrappedKey): Promise<void> {
  await db.insertInto('data_keys').values(key).execute()
}

export async function updateDataKey(db: Db, { id, ...wrapping }: WrappedKey): Promise<void> {
  await db.updateTable('data_keys').set(wrapping).where('id', '=', id).execute()
}

export async function findInstallationSecret(db: Db, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('installation_secrets')
    .select('sealed')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.sealed
}

/** Does nothing when a secret of that name exists. */
export async function insertInstallationSecret(
  db: Db,
  name: string,
  sealed: string,
): Promise<void> {
  await db
    .insertInto('installation_secrets')
    .values({ name, sealed })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}
