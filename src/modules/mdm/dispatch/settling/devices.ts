/** Stores the outcomes of policy assignments and of deletions of devices. */
import type { Db } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { type AuditFacts, SYSTEM } from '../../audit/entry.ts'
import { writeAudit } from '../../audit/store.ts'
import type { AssignJob, Attempt, DeleteJob } from '../job.ts'
import type { SettleContext } from './context.ts'
import { isPermanent } from './retry.ts'
import { settledDispatches } from './settled-dispatch.ts'
import { lockDevicePolicies, settleDispatches, updatePolicyErrors } from './store.ts'

export async function settleAssignments(
  tx: Db,
  { newId, now, random }: SettleContext,
  attempts: readonly Attempt<AssignJob>[],
): Promise<void> {
  const subjects = attempts.map(({ job }) => job.subject)
  const rows = await lockDevicePolicies(tx, subjects)
  const settled = settledDispatches(attempts, random)
  const held = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
  const byId = new Map(rows.map((row) => [row.id, row]))
  const changed = attempts.flatMap(({ job: { subject }, outcome }) => {
    const row = byId.get(subject.subject_id)
    // The outcome no longer matters once the device has another policy.
    if (!row || !held.has(row.id) || row.policy_id !== subject.policy_id) return []
    const policy_error = policyErrorOf(outcome, row.policy_error)
    return policy_error === row.policy_error ? [] : [{ ...row, policy_error }]
  })
  await updatePolicyErrors(tx, changed, now)
  const rejected = changed.filter(({ policy_error }) => policy_error !== null)
  const facts = rejected.map(
    ({ org_id, id, policy_id, policy_error }): AuditFacts => ({
      org_id,
      action: 'device.policy_rejected',
      actor: SYSTEM,
      target: { type: 'device', id },
      after: { policy_id, policy_error },
    }),
  )
  await writeAudit(tx, newId, now, facts)
}

function policyErrorOf(outcome: Attempt['outcome'], before: string | null): string | null {
  if (outcome.kind === 'assigned') return null
  const isFinal = outcome.kind === 'fault' && isPermanent(outcome.fault)
  return isFinal ? storable(outcome.fault.message) : before
}

/** A confirmed deletion is applied even when the lease was lost in the meantime. */
export async function settleDeletions(
  tx: Db,
  { now, random, writer, log }: SettleContext,
  attempts: readonly Attempt<DeleteJob>[],
): Promise<void> {
  const deleted = attempts.filter(({ outcome }) => outcome.kind === 'deleted')
  if (deleted.length > 0) {
    const inputs = deleted.map(({ job: { subject } }) => ({
      kind: 'deletion_confirmed' as const,
      org_id: subject.org_id,
      device_id: subject.subject_id,
      provider_name: subject.device_name,
    }))
    await writer.apply(tx, now, inputs)
  }
  await settleDispatches(tx, settledDispatches(attempts, random))
  for (const { job, outcome } of attempts) {
    if (outcome.kind !== 'fault' || !isPermanent(outcome.fault)) continue
    const { org_id, subject_id: device_id } = job.subject
    const about = { org_id, device_id, reason: outcome.fault.message }
    log.warn(about, 'the provider did not delete a device; retrying')
  }
}
