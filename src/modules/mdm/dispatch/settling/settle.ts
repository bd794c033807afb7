/**
 * Stores the outcomes of attempts, each kind in its own transaction: the change of the subject, the
 * audit entry, and whether the dispatch is done or retried.
 */
import { retryConflicts } from '../../../../platform/postgres/conflicts.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { preferIndexes } from '../claim.store.ts'
import type { AssignJob, Attempt, CommandJob, DeleteJob, Job, PublishJob } from '../job.ts'
import { settleCommands } from './commands.ts'
import type { SettleContext } from './context.ts'
import { settleAssignments, settleDeletions } from './devices.ts'
import { settlePublications } from './policies.ts'

export async function settleAttempts(
  context: SettleContext,
  attempts: readonly Attempt[],
): Promise<void> {
  const { db } = context
  const settle = async <J extends Job>(
    kind: J['kind'],
    store: (own: readonly Attempt<J>[]) => Promise<void>,
  ) => {
    const own = attempts.filter(({ job }) => job.kind === kind) as Attempt<J>[]
    if (own.length > 0) await retryConflicts(() => store(own))
  }
  const inTransaction = (work: (tx: Db) => Promise<void>) =>
    db.transaction().execute(async (tx) => {
      await preferIndexes(tx)
      await work(tx)
    })
  await settle<CommandJob>('issue_command', (own) => settleCommands(db, context, own))
  await settle<DeleteJob>('delete_device', (own) =>
    inTransaction((tx) => settleDeletions(tx, context, own)),
  )
  await settle<PublishJob>('publish_policy', (own) => settlePublications(db, context, own))
  await settle<AssignJob>('assign_policy', (own) =>
    inTransaction((tx) => settleAssignments(tx, context, own)),
  )
}
