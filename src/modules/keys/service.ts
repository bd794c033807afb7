/**
 * API keys: made, shown once, rolled, revoked, and recognised. Nothing that was once valid is
 * remembered, so a revoked key stops at once on every node (specification, Authentication 5).
 */
import { createBatcher } from '../../platform/batch.ts'
import type { Clock } from '../../platform/clock.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { KeyType, Plan } from '../../platform/postgres/tables/accounts.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { insertAudit } from '../audit/index.ts'
import { type KeyKind, keyForm, keyHash, keyHint, keyTypeOf, newKeyText } from './key-text.ts'
import type { CreatedKey, KeyRecord } from './schema.ts'
import {
  hasKey,
  insertKey,
  type KeyOwner,
  listKeyOwners,
  listKeys,
  lockActiveKey,
  type NewKey,
  revokeKey,
} from './store.ts'

/** Who is asking, as told by an API key. */
export type Principal = {
  org_id: string
  key_id: string
  mode: Mode
  kind: KeyKind
  plan: Plan
}

export type Keys = {
  /**
   * @param by user who asks, here and below; the command line when left out
   * @returns undefined when there is no such organisation
   */
  create(orgId: string, type: KeyType, by?: string): Promise<CreatedKey | undefined>
  /** Newest first, revoked ones included, without the keys themselves. */
  list(orgId: string): Promise<KeyRecord[]>
  /**
   * Revokes the key and makes another of the same type, both or neither.
   * @returns undefined when the organisation has no such active key
   */
  roll(orgId: string, keyId: string, by?: string): Promise<CreatedKey | undefined>
  /** @returns false when the organisation has no such key; revoking again changes nothing */
  revoke(orgId: string, keyId: string, by?: string): Promise<boolean>
  /** @returns undefined for a text that is not an active key, whatever the reason */
  authenticate(text: string): Promise<Principal | undefined>
}

const KEYS_PER_READ_MAX = 500
/** A read that is slow must not hold back all others. */
const READS_IN_FLIGHT_MAX = 2
/** Fewer wait for the read under way: two small reads cost more than one. */
const SECOND_READ_MIN = 16

type KeyOptions = { db: Database; newId: NewId; clock: Clock }

export function createKeys(options: KeyOptions): Keys {
  const { db, clock } = options
  const owners = createBatcher<Buffer, KeyOwner | undefined>({
    run: async (hashes) => {
      const found = new Map<string, KeyOwner>()
      // Most of what arrives together carries the same few keys.
      const distinct = new Map(hashes.map((hash) => [hash.toString('latin1'), hash]))
      for (const owner of await listKeyOwners(db, [...distinct.values()])) {
        found.set(owner.key_hash.toString('latin1'), owner)
      }
      return hashes.map((hash) => found.get(hash.toString('latin1')))
    },
    items_max: KEYS_PER_READ_MAX,
    batches_in_flight_max: READS_IN_FLIGHT_MAX,
    beside_min: SECOND_READ_MIN,
  })

  return {
    create: async (orgId, type, by) => {
      if (!isUuid(orgId)) return undefined
      return await inTransaction(db, async (tx) => {
        const made = newKey(options, type, by)
        if (!(await insertKey(tx, orgId, made))) return undefined
        await audit(tx, options, orgId, { action: 'key.created', target: made.key_hint, type, by })
        return { key_id: made.id, key: made.key }
      })
    },
    list: async (orgId) => (isUuid(orgId) ? await listKeys(db, orgId) : []),
    roll: async (orgId, keyId, by) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return undefined
      return await db.transaction().execute(async (tx) => {
        const old = await lockActiveKey(tx, orgId, keyId)
        if (old === undefined) return undefined
        const { type, key_hint } = old
        const made = newKey(options, type, by)
        await insertKey(tx, orgId, made)
        await revokeKey(tx, orgId, keyId, { revoked_at: made.created_at, replaced_by: made.id })
        const facts = { action: 'key.rolled', target: key_hint, type, by }
        await audit(tx, options, orgId, { ...facts, replaced_by: made.key_hint })
        return { key_id: made.id, key: made.key }
      })
    },
    revoke: async (orgId, keyId, by) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return false
      return await db.transaction().execute(async (tx) => {
        const active = await lockActiveKey(tx, orgId, keyId)
        if (active === undefined) return await hasKey(tx, orgId, keyId)
        const { type, key_hint } = active
        await revokeKey(tx, orgId, keyId, { revoked_at: clock.now(), replaced_by: null })
        await audit(tx, options, orgId, { action: 'key.revoked', target: key_hint, type, by })
        return true
      })
    },
    authenticate: async (text) => {
      if (keyTypeOf(text) === undefined) return undefined
      const owner = await owners.submit(keyHash(text))
      return owner && principalOf(owner)
    },
  }
}

/** The first keys of an installation are made in a transaction that is under way. */
const inTransaction = async <T>(db: Database, run: (tx: Db) => Promise<T>): Promise<T> =>
  db.isTransaction ? await run(db) : await db.transaction().execute(run)

function newKey(
  { newId, clock }: KeyOptions,
  type: KeyType,
  by: string | undefined,
): NewKey & { key: string } {
  const key = newKeyText(type)
  const now = clock.now()
  return {
    id: newId(now),
    type,
    key,
    key_hash: keyHash(key),
    key_hint: keyHint(key, type),
    created_at: now,
    created_by: by ?? null,
  }
}

async function audit(
  tx: Db,
  { newId, clock }: KeyOptions,
  orgId: string,
  facts: { action: string; target: string; by: string | undefined; [detail: string]: unknown },
): Promise<void> {
  const { action, target, by = null, ...details } = facts
  const at = clock.now()
  await insertAudit(tx, orgId, { id: newId(at), at, actor_user_id: by, action, target, details })
}

function principalOf({ org_id, key_id, type, plan }: KeyOwner): Principal {
  const { mode, kind } = keyForm(type)
  return { org_id, key_id, mode, kind, plan }
}
