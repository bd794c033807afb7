/** SQL of the data keys and of the installation's own secrets. */
import { sql } from 'kysely'
import type { Db } from '../postgres/db.ts'

export type WrappedKey = { id: string; master_key_id: string; wrapped_key: Buffer }

/** Any constant will do; all Vigil processes use the same one. */
const DATA_KEY_LOCK = 7_164_516

/**
 * Held to the end of the transaction by whoever wraps a data key, so that no key is wrapped by a
 * master key that a rotation is about to drop.
 */
export async function lockDataKeys(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DATA_KEY_LOCK})`.execute(tx)
}

export async function findNewestDataKey(db: Db): Promise<WrappedKey | undefined> {
  return await db
    .selectFrom('data_keys')
    .select(['id', 'master_key_id', 'wrapped_key'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function findDataKey(db: Db, id: string): Promise<WrappedKey | undefined> {
  return await db
    .selectFrom('data_keys')
    .select(['id', 'master_key_id', 'wrapped_key'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function listDataKeys(db: Db): Promise<WrappedKey[]> {
  return await db.selectFrom('data_keys').select(['id', 'master_key_id', 'wrapped_key']).execute()
}

export async function insertDataKey(db: Db, key: WrappedKey): Promise<void> {
  await db.insertInto('data_keys').values(key).execute()
}

export async function updateDataKey(db: Db, key: WrappedKey): Promise<void> {
  const { id, ...wrapping } = key
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

/** Leaves an existing secret of that name alone. */
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
