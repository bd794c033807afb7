/** What becomes of the members of a group whose policy changes, or that is deleted. */
import type { NewId } from '../../../../platform/ids.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { auditEntry } from '../../audit/entry.ts'
import { type Actor, insertAuditEntries } from '../../audit/store.ts'
import { requestDispatches } from '../../dispatch/store.ts'
import { lockDeviceWriters } from '../../enterprise/store.ts'
import { type FollowedRow, type Following, followGroup } from './store.ts'

/** Of a large group each statement stays short. */
const PORTION = 5000
const ENTRIES_PER_STATEMENT = 1000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export type PolicyMove = { id: string; before: string | null; after: string | null }

/** In the transaction that changed the group, whose row is locked. @returns members that were live */
export async function moveMembers(
  newId: NewId,
  tx: Db,
  following: Following,
  actor: Actor,
): Promise<number> {
  await lockDeviceWriters(tx, following.org_id)
  let live = 0
  let after = BEFORE_ALL
  for (;;) {
    const rows = await followGroup(tx, following, { after, limit: PORTION })
    const those = rows.filter(({ is_live }) => is_live)
    await recordPolicies(newId, tx, { ...following, moves: those, actor })
    live += those.length
    if (rows.length < PORTION) return live
    after = lastOf(rows)
  }
}

export type RecordedMoves = {
  org_id: string
  moves: readonly PolicyMove[]
  actor: Actor
  now: Date
}

/** Each device whose policy is another one now gets it, and an entry in its timeline. */
export async function recordPolicies(
  newId: NewId,
  tx: Db,
  { org_id, moves, actor, now }: RecordedMoves,
): Promise<void> {
  const changed = moves.filter(({ before, after }) => before !== after)
  const entries = changed.map(({ id, before, after }) =>
    auditEntry(newId, now, {
      org_id,
      action: 'device.policy_assigned',
      actor,
      target: { type: 'device', id },
      before: { policy_id: before },
      after: { policy_id: after },
    }),
  )
  for (let index = 0; index < entries.length; index += ENTRIES_PER_STATEMENT) {
    await insertAuditEntries(tx, entries.slice(index, index + ENTRIES_PER_STATEMENT))
  }
  const assigned = changed.filter(({ after }) => after !== null)
  const subjects = assigned.map(({ id }) => ({ org_id, subject_id: id }))
  await requestDispatches(tx, 'assign_policy', subjects)
}

const lastOf = (rows: readonly FollowedRow[]): string =>
  rows.reduce((last, { id }) => (id > last ? id : last), BEFORE_ALL)
