/** SQL for API keys. */
import { type Selectable, sql } from 'kysely'
import { textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Plan } from '../accounts/tables.ts'
import type { KeyRecord } from './schema.ts'
import type { KeyTables } from './tables.ts'

type Row = Selectable<KeyTables['api_keys']>
type Use = 'last_used_at' | 'last_used_address' | 'last_used_operation'
export type NewKey = Omit<Row, 'org_id' | 'revoked_at' | 'replaced_by' | Use>
export type KeyOwner = Pick<Row, 'key_hash' | 'org_id' | 'type' | 'scopes' | 'networks'> & {
  key_id: string
  plan: Plan
  cell: string
  is_moving?: boolean
}

const KEYS_LISTED_MAX = 1000

/** @returns false when the organization does not exist */
export async function insertKey(db: Db, orgId: string, key: NewKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into api_keys (id, org_id, type, key_hash, key_hint, created_at, created_by, name, note,
      scopes, networks, expires_at)
    select ${key.id}::uuid, id, ${key.type}, ${key.key_hash}::bytea, ${key.key_hint},
      ${key.created_at}::timestamptz, ${key.created_by}::uuid, ${key.name}, ${key.note},
      ${key.scopes}::text[], ${key.networks}::text[], ${key.expires_at}::timestamptz
    from organizations where id = ${orgId}`.execute(db)
  return numAffectedRows === 1n
}

/** Newest first. */
export async function listKeys(db: Db, orgId: string): Promise<KeyRecord[]> {
  return await db
    .selectFrom('api_keys as key')
    .leftJoin('users as maker', 'maker.id', 'key.created_by')
    .select(['key.id as key_id', 'key.type', 'key.key_hint', 'key.created_at', 'key.revoked_at'])
    .select(['key.replaced_by', 'maker.email as created_by', 'key.name', 'key.note', 'key.scopes'])
    .select(['key.networks', 'key.expires_at', 'key.last_used_at', 'key.last_used_address'])
    .select('key.last_used_operation')
    .where('key.org_id', '=', orgId)
    .orderBy('key.created_at', 'desc')
    .orderBy('key.id', 'desc')
    .limit(KEYS_LISTED_MAX)
    .execute()
}

export type ActiveKey = Pick<Row, 'type' | 'key_hint' | 'created_at' | 'replaced_by' | Detail>
type Detail = 'name' | 'note' | 'scopes' | 'networks' | 'expires_at'

/** Locks the key, so that only one of two concurrent changes finds it active. */
export async function lockActiveKey(
  tx: Db,
  orgId: string,
  keyId: string,
): Promise<ActiveKey | undefined> {
  return await tx
    .selectFrom('api_keys')
    .select(['type', 'key_hint', 'created_at', 'replaced_by'])
    .select(['name', 'note', 'scopes', 'networks', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Requires the lock of `lockActiveKey`. */
export async function changeKey(
  tx: Db,
  orgId: string,
  keyId: string,
  change: Partial<Pick<Row, 'revoked_at' | 'replaced_by' | Detail>>,
): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set(change)
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

/**
 * Returns active keys only, including those of an overlap that has not ended. Not scoped by organization,
 * because the key identifies it.
 */
export async function listKeyOwners(db: Db, keyHashes: Buffer[], now: Date): Promise<KeyOwner[]> {
  const { rows } = await sql<KeyOwner>`
    select key.key_hash, key.id as key_id, key.org_id, key.type, key.scopes, key.networks, org.plan,
      org.cell, coalesce(org.paused_until > now(), false) as is_moving
    from api_keys key join organizations org on org.id = key.org_id
    where key.key_hash = any(${keyHashes}::bytea[]) and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > ${now})`.execute(db)
  return rows
}

export type PublicKeyQuery = Pick<Row, 'org_id' | 'type' | 'key_hint'> & { now: Date }

/** @returns the hashes of the active keys for each query; a hint is shared by few keys, if any */
export async function listPublicKeyHashes(
  db: Db,
  queries: readonly PublicKeyQuery[],
): Promise<Buffer[][]> {
  const { rows } = await sql<Pick<Row, 'org_id' | 'type' | 'key_hint' | 'key_hash'>>`
    select key.org_id, key.type, key.key_hint, key.key_hash
    from unnest(
      ${uuidArray(queries.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(queries.map(({ type }) => type))}::text[],
      ${textArray(queries.map(({ key_hint }) => key_hint))}::text[],
      ${timeArray(queries.map(({ now }) => now))}::timestamptz[]
    ) as wanted (org_id, type, key_hint, now)
    join api_keys key on key.org_id = wanted.org_id and key.type = wanted.type
      and key.key_hint = wanted.key_hint
    where key.revoked_at is null and (key.expires_at is null or key.expires_at > wanted.now)
    group by key.id`.execute(db)
  return queries.map((query) =>
    rows
      .filter((row) => row.org_id === query.org_id && row.type === query.type)
      .filter(({ key_hint }) => key_hint === query.key_hint)
      .map(({ key_hash }) => key_hash),
  )
}

export type KeyUse = { key_id: string; at: Date; address: string; operation: string }

/** Skips keys that another node updated within the last minute, so that a key is written once a minute. */
export async function updateKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update api_keys key
    set last_used_at = used.at, last_used_address = used.address,
      last_used_operation = used.operation
    from unnest(
      ${uuidArray(uses.map(({ key_id }) => key_id))}::uuid[],
      ${timeArray(uses.map(({ at }) => at))}::timestamptz[],
      ${textArray(uses.map(({ address }) => address))}::text[],
      ${textArray(uses.map(({ operation }) => operation))}::text[]
    ) as used (key_id, at, address, operation)
    where key.id = used.key_id
      and (key.last_used_at is null or key.last_used_at <= used.at - interval '1 minute')`.execute(
    db,
  )
}
