/** SQL for API keys. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Plan } from '../accounts/tables.ts'
import type { KeyRecord } from './schema.ts'
import type { KeyTables } from './tables.ts'

type Row = Selectable<KeyTables['api_keys']>
export type NewKey = Omit<Row, 'org_id' | 'revoked_at' | 'replaced_by'>
export type KeyOwner = Pick<Row, 'key_hash' | 'org_id' | 'type'> & {
  key_id: string
  plan: Plan
  cell: string
}

const KEYS_LISTED_MAX = 1000

/** @returns false when the organization does not exist */
export async function insertKey(db: Db, orgId: string, key: NewKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into api_keys (id, org_id, type, key_hash, key_hint, created_at, created_by)
    select ${key.id}::uuid, id, ${key.type}, ${key.key_hash}::bytea, ${key.key_hint},
      ${key.created_at}::timestamptz, ${key.created_by}::uuid
    from organizations where id = ${orgId}`.execute(db)
  return numAffectedRows === 1n
}

/** Newest first. */
export async function listKeys(db: Db, orgId: string): Promise<KeyRecord[]> {
  return await db
    .selectFrom('api_keys as key')
    .leftJoin('users as maker', 'maker.id', 'key.created_by')
    .select(['key.id as key_id', 'key.type', 'key.key_hint', 'key.created_at', 'key.revoked_at'])
    .select(['key.replaced_by', 'maker.email as created_by'])
    .where('key.org_id', '=', orgId)
    .orderBy('key.created_at', 'desc')
    .orderBy('key.id', 'desc')
    .limit(KEYS_LISTED_MAX)
    .execute()
}

/** Locks the key, so that only one of two concurrent changes finds it active. */
export async function lockActiveKey(
  tx: Db,
  orgId: string,
  keyId: string,
): Promise<Pick<Row, 'type' | 'key_hint'> | undefined> {
  return await tx
    .selectFrom('api_keys')
    .select(['type', 'key_hint'])
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Requires the lock of `lockActiveKey`. */
export async function revokeKey(
  tx: Db,
  orgId: string,
  keyId: string,
  revocation: Pick<Row, 'revoked_at' | 'replaced_by'>,
): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set(revocation)
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .execute()
}

export async function hasKey(db: Db, orgId: string, keyId: string): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns active keys only. Not scoped by organization, because the key identifies it. */
export async function listKeyOwners(db: Db, keyHashes: Buffer[]): Promise<KeyOwner[]> {
  const { rows } = await sql<KeyOwner>`
    select key.key_hash, key.id as key_id, key.org_id, key.type, org.plan, org.cell
    from api_keys key join organizations org on org.id = key.org_id
    where key.key_hash = any(${keyHashes}::bytea[]) and key.revoked_at is null`.execute(db)
  return rows
}
