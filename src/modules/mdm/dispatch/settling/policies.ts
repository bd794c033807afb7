/** What came of publishing policies. */
import type { Database } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { type AuditFacts, auditEntry } from '../../audit/entry.ts'
import { insertAuditEntries, SYSTEM } from '../../audit/store.ts'
import { preferIndexes } from '../claim/store.ts'
import type { PublishJob } from '../job.ts'
import { isHopeless } from './retry.ts'
import { settledRows } from './row.ts'
import type { Attempt, SettleContext } from './settle.ts'
import {
  hastenAssignments,
  lockPolicies,
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
    const rows = await lockPolicies(
      tx,
      attempts.map(({ job }) => job.subject),
    )
    const settled = settledRows(attempts, random)
    const mine = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
    const byId = new Map(rows.map((row) => [row.id, row]))
    const changes = attempts.flatMap((attempt) => {
      const row = byId.get(attempt.job.subject.subject_id)
      return row && mine.has(row.id) ? (changeOf(row, attempt) ?? []) : []
    })
    await updatePublished(
      tx,
      changes.map(({ after }) => after),
    )
    await insertAuditEntries(
      tx,
      changes.flatMap(({ facts }) => (facts ? [auditEntry(newId, now, facts)] : [])),
    )
    return changes
      .filter(({ before, after }) => before.published_version === null && after.published_version)
      .map(({ after }) => after)
  })
  await hastenAssignments(db, first)
}

type Change = { before: PolicyRow; after: PolicyRow; facts: AuditFacts | undefined }

/** @returns undefined when it stays as it is */
function changeOf(before: PolicyRow, { job, outcome }: Attempt<PublishJob>): Change | undefined {
  const { org_id, id, published_version } = before
  const { version } = job.subject
  const target = { type: 'policy', id } as const
  if (outcome.kind === 'published') {
    const { provider_version } = outcome
    const publish_error = before.version === version ? null : before.publish_error
    const after = { ...before, published_version: version, provider_version, publish_error }
    const facts: AuditFacts = {
      org_id,
      action: 'policy.published',
      actor: SYSTEM,
      target,
      before: { published_version },
      after: { published_version: version },
    }
    // That the provider got once more what it had is no news.
    return { before, after, facts: published_version === version ? undefined : facts }
  }
  // What was refused may have been replaced meanwhile: then that is tried.
  if (outcome.kind !== 'fault' || !isHopeless(outcome.fault) || before.version !== version) {
    return undefined
  }
  const publish_error = storable(outcome.fault.message)
  const facts: AuditFacts = {
    org_id,
    action: 'policy.rejected',
    actor: SYSTEM,
    target,
    after: { version, publish_error },
  }
  return { before, after: { ...before, publish_error }, facts }
}
