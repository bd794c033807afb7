/** What came of assigning policies to devices, and of deleting devices. */
import type { Db } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { auditEntry } from '../../audit/entry.ts'
import { insertAuditEntries, SYSTEM } from '../../audit/store.ts'
import type { AssignJob, DeleteJob } from '../job.ts'
import { isHopeless } from './retry.ts'
import { settledRows } from './row.ts'
import type { Attempt, SettleContext } from './settle.ts'
import { lockDevicePolicies, settleDispatches, updatePolicyErrors } from './store.ts'

export async function settleAssignments(
  tx: Db,
  { newId, now, random }: SettleContext,
  attempts: readonly Attempt<AssignJob>[],
): Promise<void> {
  const rows = await lockDevicePolicies(
    tx,
    attempts.map(({ job }) => job.subject),
  )
  const settled = settledRows(attempts, random)
  const mine = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const changed = attempts.flatMap(({ job: { subject }, outcome }) => {
    const row = byId.get(subject.subject_id)
    // Of a policy that it is not to have any more, nothing is said.
    if (!row || !mine.has(row.id) || row.policy_id !== subject.policy_id) return []
    const policy_error = policyErrorOf(outcome, row.policy_error)
    return policy_error === row.policy_error ? [] : [{ ...row, policy_error }]
  })
  await updatePolicyErrors(tx, changed, now)
  const rejected = changed.filter(({ policy_error }) => policy_error !== null)
  await insertAuditEntries(
    tx,
    rejected.map(({ org_id, id, policy_id, policy_error }) =>
      auditEntry(newId, now, {
        org_id,
        action: 'device.policy_rejected',
        actor: SYSTEM,
        target: { type: 'device', id },
        after: { policy_id, policy_error },
      }),
    ),
  )
}

function policyErrorOf(outcome: Attempt['outcome'], before: string | null): string | null {
  if (outcome.kind === 'assigned') return null
  const isFinal = outcome.kind === 'fault' && isHopeless(outcome.fault)
  return isFinal ? storable(outcome.fault.message) : before
}

/** That a device is gone is so, whoever has the lease by now. */
export async function settleDeletions(
  tx: Db,
  { now, random, writer, log }: SettleContext,
  attempts: readonly Attempt<DeleteJob>[],
): Promise<void> {
  const gone = attempts.filter(({ outcome }) => outcome.kind === 'deleted')
  if (gone.length > 0) {
    const inputs = gone.map(({ job: { subject } }) => ({
      kind: 'deletion_confirmed' as const,
      org_id: subject.org_id,
      device_id: subject.subject_id,
      provider_name: subject.device_name,
    }))
    await writer.apply(tx, now, inputs)
  }
  const settled = settledRows(attempts, random)
  await settleDispatches(tx, settled)
  for (const { job, outcome } of attempts) {
    if (outcome.kind !== 'fault' || !isHopeless(outcome.fault)) continue
    const { org_id, subject_id: device_id } = job.subject
    const { message } = outcome.fault
    log.warn({ org_id, device_id, reason: message }, 'a device is not deleted; tried again')
  }
}
