/**
 * Publishes a policy during a request that needs it at the provider. The dispatcher publishes all other
 * policies; both store the result in the same way.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'
import { type AuditFacts, SYSTEM } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { isPermanent } from '../dispatch/settling/retry.ts'
import { markAssignmentsDue } from '../dispatch/settling/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { valueOf } from '../providers/answers.ts'
import type { AndroidManagement, Answer } from '../providers/port.ts'
import { type PolicyRow, policyNameOf } from './record.ts'
import { deleteWaitingPublication, lockPolicy, markPublished, markRejected } from './store.ts'

export type PublicationDependencies = {
  db: Database
  provider: Pick<AndroidManagement, 'patchPolicy'>
  newId: NewId
  clock: Clock
  hint: () => void
}

/** @throws AppError 400 naming `policy_id` when the provider rejects the policy, 429 or 500 */
export async function publishIfAbsent(
  deps: PublicationDependencies,
  enterpriseName: string,
  policy: PolicyRow,
): Promise<void> {
  if (policy.published_version !== null) return
  const name = policyNameOf(enterpriseName, policy.id)
  const answer = await deps.provider.patchPolicy(name, policy.policy_json)
  await deps.db.transaction().execute(async (tx) => await recordAnswer(deps, tx, policy, answer))
  // The assignments of devices to this policy waited for its publication.
  if (answer.ok) await markAssignmentsDue(deps.db, [policy])
  deps.hint()
  valueOf(answer, 'policy_id')
}

async function recordAnswer(
  deps: PublicationDependencies,
  tx: Db,
  { org_id, id, version }: PolicyRow,
  answer: Answer<{ version: number }>,
): Promise<void> {
  const current = await lockPolicy(tx, org_id, id)
  if (!current) return
  const isNewest = current.version === version
  const facts = { org_id, actor: SYSTEM, target: { type: 'policy', id } } as const
  const writeEntry = async (fact: Pick<AuditFacts, 'action' | 'before' | 'after'>) =>
    await writeAudit(tx, deps.newId, deps.clock.now(), { ...facts, ...fact })
  const requestPublication = async () =>
    await requestDispatches(tx, 'publish_policy', [{ org_id, subject_id: id }])

  if (answer.ok) {
    const { published_version } = current
    const publication = { org_id, policy_id: id, version, provider_version: answer.value.version }
    if (await markPublished(tx, publication)) {
      const after = { published_version: version }
      await writeEntry({ action: 'policy.published', before: { published_version }, after })
    }
    if (isNewest) await deleteWaitingPublication(tx, org_id, id)
    // A dispatch may have published a newer version before, which this one has replaced.
    else await requestPublication()
  } else if (isPermanent(answer.fault) && isNewest) {
    const publish_error = storable(answer.fault.message)
    await markRejected(tx, org_id, id, publish_error)
    await writeEntry({ action: 'policy.rejected', after: { version, publish_error } })
    await deleteWaitingPublication(tx, org_id, id)
  } else if (answer.fault.is_ambiguous) {
    await requestPublication()
  }
}
