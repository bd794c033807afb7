/** Changes the policies of the devices of a group whose policy changes, or that is deleted. */
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Actor, AuditFacts } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { lockDeviceWriters } from '../enterprise/store.ts'
import { type GroupChange, updateMembers } from './members.store.ts'

/** Devices per statement, which keeps the statements for a large group short. */
const CHUNK = 5000
const ENTRIES_PER_STATEMENT = 1000
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export type PolicyMove = { id: string; before: string | null; after: string | null }

/**
 * Runs in the transaction that changed the group and has locked its row.
 *
 * @returns number of devices that were neither deleted nor being deleted
 */
export async function applyGroupPolicy(
  newId: NewId,
  tx: Db,
  change: GroupChange,
  actor: Actor,
): Promise<number> {
  await lockDeviceWriters(tx, change.org_id)
  let live = 0
  let after = NIL_UUID
  for (;;) {
    const rows = await updateMembers(tx, change, { after, limit: CHUNK })
    const moves = rows.filter(({ is_live }) => is_live)
    await recordPolicies(newId, tx, { ...change, moves, actor })
    live += moves.length
    if (rows.length < CHUNK) return live
    after = rows.reduce((last, { id }) => (id > last ? id : last), after)
  }
}

type RecordedMoves = { org_id: string; moves: readonly PolicyMove[]; actor: Actor; now: Date }

/** Dispatches the new policy of each device whose policy changed, and adds to its timeline. */
export async function recordPolicies(
  newId: NewId,
  tx: Db,
  { org_id, moves, actor, now }: RecordedMoves,
): Promise<void> {
  const changed = moves.filter(({ before, after }) => before !== after)
  const facts = changed.map(
    ({ id, before, after }): AuditFacts => ({
      org_id,
      action: 'device.policy_assigned',
      actor,
      target: { type: 'device', id },
      before: { policy_id: before },
      after: { policy_id: after },
    }),
  )
  for (let index = 0; index < facts.length; index += ENTRIES_PER_STATEMENT) {
    await writeAudit(tx, newId, now, facts.slice(index, index + ENTRIES_PER_STATEMENT))
  }
  const assigned = changed.filter(({ after }) => after !== null)
  const subjects = assigned.map(({ id }) => ({ org_id, subject_id: id }))
  await requestDispatches(tx, 'assign_policy', subjects)
}
