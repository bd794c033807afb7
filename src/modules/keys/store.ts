/** SQL of the API keys. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { KeyType, Plan } from '../../platform/postgres/tables/accounts.ts'

export type NewKey = {
  id: string
  type: KeyType
  key_hash: Buffer
  key_hint: string
  created_at: Date
}

export type KeyRecord = {
  key_id: string
  type: KeyType
  key_hint: string
  created_at: Date
  revoked_at: Date | null
  replaced_by: string | null
}

export type KeyOwner = {
  key_hash: Buffer
  key_id: string
  org_id: string
  type: KeyType
  plan: Plan
}

const KEYS_LISTED_MAX = 1000

/** @returns false when there is no such organisation */
export async function insertKey(db: Db, orgId: string, key: NewKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into api_keys (id, org_id, type, key_hash, key_hint, created_at)
    select ${key.id}::uuid, id, ${key.type}, ${key.key_hash}::bytea, ${key.key_hint},
      ${key.created_at}::timestamptz
    from organizations where id = ${orgId}`.execute(db)
  return numAffectedRows === 1n
}

/** Newest first. */
export async function listKeys(db: Db, orgId: string): Promise<KeyRecord[]> {
  return await db
    .selectFrom('api_keys')
    .select(['id as key_id', 'type', 'key_hint', 'created_at', 'revoked_at', 'replaced_by'])
    .where('org_id', '=', orgId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(KEYS_LISTED_MAX)
    .execute()
}

/** Locks the key, so that of two who roll or revoke it at once only one finds it active. */
export async function lockActiveKey(
  tx: Db,
  orgId: string,
  keyId: string,
): Promise<{ type: KeyType } | undefined> {
  return await tx
    .selectFrom('api_keys')
    .select('type')
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** @returns false when the organisation has no such key; a key stays revoked since the first time */
export async function revokeKey(
  db: Db,
  orgId: string,
  keyId: string,
  revocation: { revoked_at: Date; replaced_by: string | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update api_keys set
      revoked_at = coalesce(revoked_at, ${revocation.revoked_at}),
      replaced_by = coalesce(replaced_by, ${revocation.replaced_by})
    where org_id = ${orgId} and id = ${keyId}`.execute(db)
  return numAffectedRows === 1n
}

/** Only active keys; unscoped, because the key is what says which organisation is asking. */
export async function listKeyOwners(db: Db, keyHashes: Buffer[]): Promise<KeyOwner[]> {
  const { rows } = await sql<KeyOwner>`
    select key.key_hash, key.id as key_id, key.org_id, key.type, org.plan
    from api_keys key join organizations org on org.id = key.org_id
    where key.key_hash = any(${keyHashes}::bytea[]) and key.revoked_at is null`.execute(db)
  return rows
}
