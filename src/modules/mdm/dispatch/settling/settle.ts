/**
 * Writes what came of attempts, each kind in a transaction of its own: what it means for the
 * subject, the audit entry, and that nothing or something is left to do.
 */
import type { NewId } from '../../../../platform/ids.ts'
import type { Log } from '../../../../platform/log.ts'
import { retryConflicts } from '../../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import type { DispatchKind } from '../../../../platform/postgres/tables/mdm.ts'
import type { DeviceWriter } from '../../devices/apply.ts'
import { preferIndexes } from '../claim/store.ts'
import type { AssignJob, CommandJob, DeleteJob, Job, Outcome, PublishJob } from '../job.ts'
import { settleCommands } from './commands.ts'
import { settleAssignments, settleDeletions } from './devices.ts'
import { settlePublications } from './policies.ts'

export type SettleOptions = {
  db: Database
  newId: NewId
  log: Log
  /** A command without news for so long is looked up. */
  mdm_command_check_minutes: number
  writer: DeviceWriter
}

export type SettleContext = SettleOptions & {
  now: Date
  /** From 0 up to, not including, 1. */
  random: () => number
}

export type Attempt<J extends Job = Job> = { job: J; outcome: Outcome }

export async function settleAttempts(
  context: SettleContext,
  attempts: readonly Attempt[],
): Promise<void> {
  const { db } = context
  const commands = ofKind<CommandJob>(attempts, 'issue_command')
  const deletions = ofKind<DeleteJob>(attempts, 'delete_device')
  const publications = ofKind<PublishJob>(attempts, 'publish_policy')
  const assignments = ofKind<AssignJob>(attempts, 'assign_policy')
  const inTransaction = (work: (tx: Db) => Promise<void>) =>
    db.transaction().execute(async (tx) => {
      await preferIndexes(tx)
      await work(tx)
    })
  if (commands.length > 0) {
    await retryConflicts(() => settleCommands(db, context, commands))
  }
  if (deletions.length > 0) {
    await retryConflicts(() => inTransaction((tx) => settleDeletions(tx, context, deletions)))
  }
  if (publications.length > 0) {
    await retryConflicts(() => settlePublications(db, context, publications))
  }
  if (assignments.length > 0) {
    await retryConflicts(() => inTransaction((tx) => settleAssignments(tx, context, assignments)))
  }
}

const ofKind = <J extends Job>(attempts: readonly Attempt[], kind: DispatchKind): Attempt<J>[] =>
  attempts.filter(({ job }) => job.kind === kind) as Attempt<J>[]
