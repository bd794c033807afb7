/** Stores the outcomes of publishing policies. */
import type { Database } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { type AuditFacts, SYSTEM } from '../../audit/entry.ts'
import { writeAudit } from '../../audit/store.ts'
import { preferIndexes } from '../claim.store.ts'
import type { Attempt, PublishJob } from '../job.ts'
import type { SettleContext } from './context.ts'
import { isPermanent } from './retry.ts'
import { settledDispatches } from './settled-dispatch.ts'
import {
  lockPolicies,
  markAssignmentsDue,
  type PolicyRow,
  settleDispatches,
  updatePublished,
} from './store.ts'

export async function settlePublications(
  db: Database,
  context: SettleContext,
  attempts: readonly Attempt<PublishJob>[],
): Promise<void> {
  const { newId, now, random } = context
  const first = await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    const subjects = attempts.map(({ job }) => job.subject)
    const rows = await lockPolicies(tx, subjects)
    const settled = settledDispatches(attempts, random)
    const held = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
    const byId = new Map(rows.map((row) => [row.id, row]))
    const changes = attempts.flatMap((attempt) => {
      const row = byId.get(attempt.job.subject.subject_id)
      return row && held.has(row.id) ? (changeOf(row, attempt) ?? []) : []
    })
    const policies = changes.map(({ after }) => after)
    await updatePublished(tx, policies)
    const entries = changes.flatMap(({ facts }) => facts ?? [])
    await writeAudit(tx, newId, now, entries)
    return changes
      .filter(({ before, after }) => before.published_version === null && after.published_version)
      .map(({ after }) => after)
  })
  await markAssignmentsDue(db, first)
}

type Change = { before: PolicyRow; after: PolicyRow; facts: AuditFacts | undefined }

/** @returns undefined when the policy does not change */
function changeOf(before: PolicyRow, { job, outcome }: Attempt<PublishJob>): Change | undefined {
  const { org_id, id, published_version } = before
  const { version } = job.subject
  const common = { org_id, actor: SYSTEM, target: { type: 'policy', id } } as const
  if (outcome.kind === 'published') {
    const { provider_version } = outcome
    const publish_error = before.version === version ? null : before.publish_error
    const after = { ...before, published_version: version, provider_version, publish_error }
    const facts: AuditFacts = {
      ...common,
      action: 'policy.published',
      before: { published_version },
      after: { published_version: version },
    }
    // Publishing the same version again gets no audit entry.
    return { before, after, facts: published_version === version ? undefined : facts }
  }
  // A newer version that replaced the rejected one is queued already.
  if (outcome.kind !== 'fault' || !isPermanent(outcome.fault) || before.version !== version) {
    return undefined
  }
  const publish_error = storable(outcome.fault.message)
  const facts: AuditFacts = {
    ...common,
    action: 'policy.rejected',
    after: { version, publish_error },
  }
  return { before, after: { ...before, publish_error }, facts }
}
