/**
 * Merges groups of errors by hand, and splits them again. The fingerprints of errors do not change: a merge says
 * to which group a fingerprint belongs, also for errors that arrive later.
 */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import { reachable } from '../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest, notFound } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { insertAudit } from '../../audit/index.ts'
import { lastErrors } from '../error-states/store.ts'
import { withinTime } from '../logs/explorer/within-time.ts'
import { groupOf, mergeOf } from './merges.ts'
import type { MergedGroups } from './schema.ts'
import { deleteMerge, listMerged, listMerges, lockMerges, upsertMerges } from './store.ts'

type Actor = Owner & { user_id: string }

export type ErrorMerges = {
  read(owner: Owner, fingerprint: string): Promise<MergedGroups>
  /** @throws AppError 404 if one of the groups does not exist, 400 naming `into` */
  merge(actor: Actor, fingerprint: string, into: string): Promise<MergedGroups>
  /** Takes a fingerprint out of its group. @throws AppError 404 if it is not merged */
  split(actor: Actor, fingerprint: string): Promise<MergedGroups>
}

export type ErrorMergesOptions = {
  db: Database
  directory: Database
  clickhouse: Pick<ClickHouse, 'query'>
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
}

/** Each reading of groups has all of them as parameters. */
export const MERGES_MAX = 1000

export function createErrorMerges(options: ErrorMergesOptions): ErrorMerges {
  const { db, directory, clock, newId, audit } = options
  const reader = withinTime(options.clickhouse)
  const read = async (owner: Owner, fingerprint: string): Promise<MergedGroups> => {
    const group = groupOf(await listMerges(db, owner), fingerprint)
    const merged = await listMerged(db, owner, group)
    const members = merged.map(({ merged_by }) => merged_by)
    const emails = await emailsOf(directory, members)
    return {
      group,
      merged: merged.map(({ merged_at, merged_by, ...each }) => ({
        ...each,
        merged_at: merged_at.toISOString(),
        merged_by: emails.get(merged_by) ?? null,
      })),
    }
  }
  const audited = (user_id: string, action: string, target: string, details: object) => {
    const at = clock.now()
    const facts = { id: newId(at), at, actor_user_id: user_id, action, target }
    return { ...facts, details: { ...details } }
  }
  return {
    read,
    merge: async ({ user_id, ...owner }, fingerprint, into) => {
      const fingerprints = [fingerprint, into]
      const known = await reachable('Errors', lastErrors(reader, owner, { fingerprints }))
      if (!known.has(fingerprint)) throw notFound()
      if (!known.has(into)) throw invalidRequest('into', 'into must be an error group')
      await db.transaction().execute(async (tx) => {
        await lockMerges(tx, owner)
        const merges = await listMerges(tx, owner)
        const rows = mergeOf(merges, { fingerprint, into })
        if (!rows) throw invalidRequest('into', 'into must be another error group')
        if (merges.size >= MERGES_MAX) {
          const message = `into is one too many: ${MERGES_MAX} error groups are merged already; split one first`
          throw invalidRequest('into', message)
        }
        await upsertMerges(tx, owner, { ...rows, merged_by: user_id, merged_at: clock.now() })
        const details = { mode: owner.mode, into: rows.into_fingerprint }
        const source = groupOf(merges, fingerprint)
        await audit(tx, owner.org_id, audited(user_id, 'error_group.merged', source, details))
      })
      return await read(owner, into)
    },
    split: async ({ user_id, ...owner }, fingerprint) => {
      await db.transaction().execute(async (tx) => {
        await lockMerges(tx, owner)
        const from = await deleteMerge(tx, owner, fingerprint)
        if (from === undefined) throw notFound()
        const entry = audited(user_id, 'error_group.split', fingerprint, { mode: owner.mode, from })
        await audit(tx, owner.org_id, entry)
      })
      return await read(owner, fingerprint)
    },
  }
}
