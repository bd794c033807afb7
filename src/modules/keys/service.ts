/**
 * Creates, changes, rolls, revokes and authenticates API keys. Valid keys are not cached, so a revoked key
 * stops working immediately on every node (specification, Authentication 5).
 */
import { createBatcher } from '../../platform/batch.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import type { Plan } from '../accounts/tables.ts'
import { insertAudit } from '../audit/index.ts'
import { type KeyKind, keyForm, keyHint, keyTypeOf, newKeyText } from './key-text.ts'
import { checkNetworks } from './networks.ts'
import type { CreatedKey, KeyDetails, KeyRecord } from './schema.ts'
import type { Scope } from './scopes.ts'
import {
  type ActiveKey,
  changeKey,
  hasKey,
  insertKey,
  type KeyOwner,
  listKeyOwners,
  listKeys,
  lockActiveKey,
  type NewKey,
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
  /** Whether the data is about to be in another cell, so that writes have to wait. */
  is_moving?: boolean
  /** Limits of the key; null without one. */
  scopes: readonly Scope[] | null
  networks: readonly string[] | null
}

export type Keys = {
  /**
   * @param by the acting user, here and below; undefined for the command line
   * @returns undefined when the organization does not exist
   * @throws AppError 400 naming the invalid detail
   */
  create(
    orgId: string,
    type: KeyType,
    by?: string,
    details?: KeyDetails,
  ): Promise<CreatedKey | undefined>
  /**
   * Changes what a key is called and limited to, from the next request on.
   * @returns false when the organization has no such active key
   * @throws AppError 400 naming the invalid detail
   */
  change(orgId: string, keyId: string, details: KeyDetails, by?: string): Promise<boolean>
  /** Newest first, including revoked keys, without their texts. */
  list(orgId: string): Promise<KeyRecord[]>
  /**
   * Revokes the key and creates another with the same type, name and limits, both or neither. A key that
   * expires is replaced by one that lasts as long as the first was created for.
   * @param overlapHours how long the old key still works; by default it is revoked immediately
   * @returns undefined when the organization has no such active key, or it was rolled before
   */
  roll(
    orgId: string,
    keyId: string,
    by?: string,
    overlapHours?: number,
  ): Promise<CreatedKey | undefined>
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
      for (const owner of await listKeyOwners(db, [...distinct.values()], clock.now())) {
        found.set(owner.key_hash.toString('latin1'), owner)
      }
      return hashes.map((hash) => found.get(hash.toString('latin1')))
    },
    items_max: KEYS_PER_READ_MAX,
    batches_in_flight_max: READS_IN_FLIGHT_MAX,
    second_batch_min: SECOND_READ_MIN,
  })

  return {
    create: async (orgId, type, by, details = {}) => {
      if (!isUuid(orgId)) return undefined
      checkDetails(details, type, clock.now())
      return await inTransaction(db, async (tx) => {
        const created = newKey(options, type, by, details)
        if (!(await insertKey(tx, orgId, created))) return undefined
        const facts = { action: 'key.created', target: created.key_hint, type, by }
        await audit(tx, options, orgId, { ...facts, ...sentDetails(details) })
        return { key_id: created.id, key: created.key }
      })
    },
    change: async (orgId, keyId, details, by) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return false
      return await db.transaction().execute(async (tx) => {
        const now = clock.now()
        const key = await lockActiveKey(tx, orgId, keyId)
        if (key === undefined || hasExpired(key, now)) return false
        checkDetails(details, key.type, now)
        if (details.expires_at !== undefined && key.replaced_by !== null) {
          throw invalidRequest(
            'expires_at',
            'expires_at of a key that was rolled is fixed; revoke it',
          )
        }
        const changed = sentDetails(details)
        if (Object.keys(changed).length === 0) return true
        await changeKey(tx, orgId, keyId, changed)
        const facts = { action: 'key.changed', target: key.key_hint, by }
        await audit(tx, options, orgId, { ...facts, ...changed })
        return true
      })
    },
    list: async (orgId) => (isUuid(orgId) ? await listKeys(db, orgId) : []),
    roll: async (orgId, keyId, by, overlapHours = 0) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return undefined
      return await db.transaction().execute(async (tx) => {
        const now = clock.now()
        const old = await lockActiveKey(tx, orgId, keyId)
        if (old === undefined || old.replaced_by !== null || hasExpired(old, now)) return undefined
        const { type, key_hint } = old
        const created = newKey(options, type, by, { ...old, expires_at: renewedEnd(old, now) })
        await insertKey(tx, orgId, created)
        const works_until = overlapHours === 0 ? now : overlapEnd(old, now, overlapHours)
        await changeKey(tx, orgId, keyId, {
          replaced_by: created.id,
          ...(overlapHours === 0 ? { revoked_at: now } : { expires_at: works_until }),
        })
        const facts = { action: 'key.rolled', target: key_hint, type, by }
        await audit(tx, options, orgId, { ...facts, replaced_by: created.key_hint, works_until })
        return { key_id: created.id, key: created.key }
      })
    },
    revoke: async (orgId, keyId, by) => {
      if (!isUuid(orgId) || !isUuid(keyId)) return false
      return await db.transaction().execute(async (tx) => {
        const active = await lockActiveKey(tx, orgId, keyId)
        if (active === undefined) return await hasKey(tx, orgId, keyId)
        const { type, key_hint } = active
        await changeKey(tx, orgId, keyId, { revoked_at: clock.now() })
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

/** @throws AppError 400 */
function checkDetails(details: KeyDetails, type: KeyType, now: Date): void {
  const { scopes, networks, expires_at } = details
  if (scopes && keyForm(type).kind === 'public') {
    throw invalidRequest(
      'scopes',
      'scopes are for secret keys: public keys only send browser events',
    )
  }
  if (networks) checkNetworks(networks)
  if (expires_at && expires_at <= now) {
    throw invalidRequest('expires_at', 'expires_at must be in the future')
  }
}

const hasExpired = ({ expires_at }: ActiveKey, now: Date): boolean =>
  expires_at !== null && expires_at <= now

/** The end of a key that lasts as long as `old` was created for; null when that does not expire. */
function renewedEnd({ created_at, expires_at }: ActiveKey, now: Date): Date | null {
  return expires_at && new Date(now.getTime() + expires_at.getTime() - created_at.getTime())
}

function overlapEnd({ expires_at }: ActiveKey, now: Date, hours: number): Date {
  const end = new Date(now.getTime() + hours * HOUR_MS)
  return expires_at && expires_at < end ? expires_at : end
}

/** Only what was sent. */
const sentDetails = ({ name, note, scopes, networks, expires_at }: KeyDetails) => ({
  ...(name !== undefined && { name }),
  ...(note !== undefined && { note }),
  ...(scopes !== undefined && { scopes }),
  ...(networks !== undefined && { networks }),
  ...(expires_at !== undefined && { expires_at }),
})

/** The first keys of an installation are created inside a transaction. */
const inTransaction = async <T>(db: Database, run: (tx: Db) => Promise<T>): Promise<T> =>
  db.isTransaction ? await run(db) : await db.transaction().execute(run)

function newKey(
  { newId, clock }: KeyOptions,
  type: KeyType,
  by: string | undefined,
  { name = '', note = '', scopes = null, networks = null, expires_at = null }: KeyDetails,
): NewKey & { key: string } {
  const key = newKeyText(type)
  const now = clock.now()
  const origin = { id: newId(now), type, created_at: now, created_by: by ?? null }
  const details = { name, note, scopes, networks, expires_at }
  return { ...origin, ...details, key, key_hash: hashToken(key), key_hint: keyHint(key, type) }
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

function principalOf({ type, key_hash: _hash, ...owner }: KeyOwner): Principal {
  const { mode, kind } = keyForm(type)
  return { ...owner, mode, kind }
}
