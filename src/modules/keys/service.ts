/**
 * Creates, rolls, revokes and authenticates API keys. Valid keys are not cached, so a revoked key
 * stops working immediately on every node (specification, Authentication 5).
 */
import { createBatcher } from '../../platform/batch.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { Plan } from '../accounts/tables.ts'
import { insertAudit } from '../audit/index.ts'
import { type KeyKind, keyForm, keyHint, keyTypeOf, newKeyText } from './key-text.ts'
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
import type { KeyType } from './tables.ts'

/** The caller that an API key identifies. */
export type Principal = {
  org_id: string
  key_id: string
  mode: Mode
  kind: KeyKind
  plan: Plan
  /** Name of the cell that holds the data of the organization. */
  cell: string
}

export type Keys = {
  /**
   * @param by the acting user, here and below; undefined for the command line
   * @returns undefined when the organization does not exist
   */
  create(orgId: string, type: KeyType, by?: string): Promise<CreatedKey | undefined>
  /** Newest first, including revoked keys, without their texts. */
  list(orgId: string): Promise<KeyRecord[]>
  /**
   * Revokes the key and creates another of the same type, both or neither.
   * @returns undefined when the organization has no such active key
   */
  roll(orgId: string, keyId: string, by?: string): Promise<CreatedKey | undefined>
  /** Idempotent. @returns false when the organization has no such key */
  revoke(orgId: string, keyId: string, by?: string): Promise<boolean>
  /** @returns undefined when the text is not an active key, for any reason */
  authenticate(text: string): Promise<Principal | undefined>
}

const KEYS_PER_READ_MAX = 500
/** A slow read must not delay all others. */
const READS_IN_FLIGHT_MAX = 2
/** Fewer lookups wait for the current read, because two small reads cost more than one. */
const SECOND_READ_MIN = 16

type KeyOptions = { db: Database; newId: NewId; clock: Clock }

export function createKeys(options: KeyOptions): Keys {
  const { db, clock } = options
  const owners = createBatcher<Buffer, KeyOwner | undefined>({
    run: async (hashes) => {
      const found = new Map<string, KeyOwner>()
      // Most concurrent requests carry the same few keys.
      const distinct = new Map(hashes.map((hash) => [hash.toString('latin1'), hash]))
      for (const owner of await listKeyOwners(db, [...distinct.values()])) {
        found.set(owner.key_hash.toString('latin1'), owner)
      }
      return hashes.map((hash) => found.get(hash.toString('latin1')))
    },
    items_max: KEYS_PER_READ_MAX,
    batches_in_flight_max: READS_IN_FLIGHT_MAX,
    second_batch_min: SECOND_READ_MIN,
  })

  return {
    create: async (orgId, type, by) => {
      if (!isUuid(orgId)) return undefined
      return await inTransaction(db, async (tx) => {
        const created = newKey(options, type, by)
        if (!(await insertKey(tx, orgId, created))) return undefined
        const facts = { action: 'key.created', target: created.key_hint, type, by }
        await audit(tx, options, orgId, facts)
        return { key_id: created.id, key: created.key }
      })
    },
    list: async (orgId) => (isUuid(orgId) ? await listKeys(db, orgId) : []),
    roll: async (orgId, keyId, by) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return undefined
      return await db.transaction().execute(async (tx) => {
        const old = await lockActiveKey(tx, orgId, keyId)
        if (old === undefined) return undefined
        const { type, key_hint } = old
        const created = newKey(options, type, by)
        await insertKey(tx, orgId, created)
        const { id: replaced_by, created_at: revoked_at } = created
        await revokeKey(tx, orgId, keyId, { revoked_at, replaced_by })
        const facts = { action: 'key.rolled', target: key_hint, type, by }
        await audit(tx, options, orgId, { ...facts, replaced_by: created.key_hint })
        return { key_id: created.id, key: created.key }
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
      const owner = await owners.submit(hashToken(text))
      return owner && principalOf(owner)
    },
  }
}

/** The first keys of an installation are created inside a transaction. */
const inTransaction = async <T>(db: Database, run: (tx: Db) => Promise<T>): Promise<T> =>
  db.isTransaction ? await run(db) : await db.transaction().execute(run)

function newKey(
  { newId, clock }: KeyOptions,
  type: KeyType,
  by: string | undefined,
): NewKey & { key: string } {
  const key = newKeyText(type)
  const now = clock.now()
  const origin = { id: newId(now), type, created_at: now, created_by: by ?? null }
  return { ...origin, key, key_hash: hashToken(key), key_hint: keyHint(key, type) }
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

function principalOf({ org_id, key_id, type, plan, cell }: KeyOwner): Principal {
  const { mode, kind } = keyForm(type)
  return { org_id, key_id, mode, kind, plan, cell }
}
