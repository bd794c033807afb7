/**
 * The operator's view of the shared reputation: who said what about an identity, which opinions
 * count, and their removal. Also maintains what decides that.
 */
import type { Clock } from '../../platform/clock.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import { insertAudit } from '../audit/index.ts'
import { MAIN_CELL } from '../cells/index.ts'
import { type Explanation, explainOpinions } from './explanation.ts'
import type { SharingRule } from './judge.ts'
import type { Identity, ReputationStore } from './service.ts'
import { countOpinions, deleteOpinions, listNamedOpinions } from './store.ts'
import {
  addRequests,
  countRequests,
  findCountable,
  insertMissingVoices,
  listDueVoices,
  listRelated,
  lockVoices,
  updateTrust,
  updateVoices,
} from './voices.store.ts'
import { joinVoices } from './voices.ts'

/** An identity about which an organization has an opinion, in either mode. */
export type NamedIdentity = Omit<Identity, 'org_id' | 'mode'>

export type ReputationOperator = {
  /** Recurring work: joins organizations into voices, and counts their requests. */
  refresh(signal?: AbortSignal): Promise<void>
  /**
   * @param isTrusted whether the opinions of the organization count for others; null leaves it to
   *   age and requests
   * @returns false when the organization does not exist
   */
  setTrust(orgId: string, isTrusted: boolean | null): Promise<boolean>
  explain(identity: Identity): Promise<Explanation>
  /** Counts what `revoke` would delete. */
  count(orgId: string, identity?: NamedIdentity): Promise<number>
  /** Deletes the opinions of an organization. @returns their number */
  revoke(orgId: string, identity?: NamedIdentity): Promise<number>
}

export type OperatorDependencies = {
  directory: Database
  db: Database
  /** Name of the cell that `db` is the handle of. Default: the main one. */
  cell?: string
  clock: Clock
  newId: NewId
  reputation: ReputationStore
  sharing: SharingRule
}

const MODES: readonly Mode[] = ['live', 'test']

export function createReputationOperator(deps: OperatorDependencies): ReputationOperator {
  const { directory, db, cell = MAIN_CELL, clock, newId, reputation, sharing } = deps
  const audit = async (tx: Db, orgId: string, action: string, details: Record<string, unknown>) => {
    const at = clock.now()
    const entry = { id: newId(at), at, actor_user_id: null, action, details }
    await insertAudit(tx, orgId, entry)
  }
  const keysOf = (org_id: string, identity: NamedIdentity | undefined) =>
    identity && MODES.map((mode) => reputation.key({ ...identity, org_id, mode }))

  return {
    refresh: async (signal) => {
      await directory.transaction().execute(refreshVoices)
      const until = await findCountable(db)
      if (until === undefined) return
      for (;;) {
        if (signal?.aborted === true) return
        const due = await listDueVoices(directory, sharing.reputation_requests, until, cell)
        if (due.length === 0) return
        await addRequests(directory, await countRequests(db, due))
      }
    },
    setTrust: async (orgId, isTrusted) => {
      if (!isUuid(orgId)) return false
      return await directory.transaction().execute(async (tx) => {
        await refreshVoices(tx)
        if (!(await updateTrust(tx, orgId, isTrusted))) return false
        await audit(tx, orgId, 'reputation.trust_changed', { is_trusted: isTrusted })
        return true
      })
    },
    explain: async (identity) => {
      const { mode } = identity
      const opinions = await listNamedOpinions(directory, {
        mode,
        key_hash: reputation.key(identity),
      })
      return explainOpinions(opinions, clock.now(), sharing)
    },
    count: async (orgId, identity) =>
      await countOpinions(directory, orgId, keysOf(orgId, identity)),
    revoke: async (orgId, identity) =>
      await directory.transaction().execute(async (tx) => {
        const opinions = await deleteOpinions(tx, orgId, keysOf(orgId, identity))
        const { kind = null } = identity ?? {}
        // The value is personal data, and the log is permanent.
        if (opinions > 0) await audit(tx, orgId, 'reputation.revoked', { opinions, kind })
        return opinions
      }),
  }
}

async function refreshVoices(tx: Db): Promise<void> {
  await lockVoices(tx)
  await insertMissingVoices(tx)
  await updateVoices(tx, joinVoices(await listRelated(tx)))
}
