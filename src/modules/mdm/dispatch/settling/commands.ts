/**
 * Stores the outcomes of sending commands. That the provider has a command is stored even when the lease
 * was lost in the meantime, so that it is not sent again.
 */
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { type AuditFacts, PROVIDER, SYSTEM } from '../../audit/entry.ts'
import { writeAudit } from '../../audit/store.ts'
import { endCommands } from '../../commands/completion.ts'
import type { CommandRow } from '../../commands/record.ts'
import { type CommandEnd, endOfOperation } from '../../commands/state.ts'
import {
  clearUnsure,
  deleteCommandDispatches,
  listKnownOperations,
  lockCommands,
  markCommandsDue,
  updateSent,
} from '../../commands/store.ts'
import { unavailable } from '../../providers/faults.ts'
import { preferIndexes } from '../claim.store.ts'
import type { Attempt, CommandJob, Outcome } from '../job.ts'
import type { SettleContext } from './context.ts'
import { isPermanent } from './retry.ts'
import { settledDispatch } from './settled-dispatch.ts'
import { settleDispatches } from './store.ts'

type CommandAttempt = Attempt<CommandJob>
type Accepted = { row: CommandRow; operation: Extract<Outcome, { kind: 'accepted' }>['operation'] }

export async function settleCommands(
  db: Database,
  context: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<void> {
  const next = await db.transaction().execute(async (tx) => await write(tx, context, attempts))
  // The next command of each device is due. Its own transaction, because it waits for claims.
  await markCommandsDue(db, next)
}

/** @returns the commands that are no longer queued */
async function write(
  tx: Db,
  context: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<CommandRow[]> {
  await preferIndexes(tx)
  const subjects = attempts.map(({ job }) => job.subject)
  const rows = await lockCommands(tx, subjects)
  const unsent = rows.filter(({ status }) => status === 'queued')
  const queued = new Map(unsent.map((row) => [row.id, row]))
  const accepted = await acceptedOf(tx, queued, attempts)
  await writeSent(tx, context, accepted)
  const others = attempts.filter(({ outcome }) => outcome.kind !== 'accepted')
  const held = await settleOthers(tx, context, [...others, ...conflicting(attempts, accepted)])
  const ends = endsOf(queued, others, held)
  await endCommands(tx, context, { ends, actor: SYSTEM })
  return [...accepted.map(({ row }) => row), ...ends.keys()]
}

/** Two commands never share an operation: if another command owns it by now, the search starts over. */
async function acceptedOf(
  tx: Db,
  queued: ReadonlyMap<string, CommandRow>,
  attempts: readonly CommandAttempt[],
): Promise<Accepted[]> {
  const claimed = attempts.flatMap(({ job, outcome }) => {
    const row = queued.get(job.subject.id)
    return row && outcome.kind === 'accepted' ? [{ row, operation: outcome.operation }] : []
  })
  const operations = claimed.map(({ row: { org_id }, operation: { name } }) => ({ org_id, name }))
  const taken = await listKnownOperations(tx, operations)
  return claimed.filter(({ row, operation }) => {
    const keys = [row.id, operation.name]
    if (keys.some((key) => taken.has(key))) return false
    for (const key of keys) taken.add(key)
    return true
  })
}

async function writeSent(
  tx: Db,
  context: SettleContext,
  accepted: readonly Accepted[],
): Promise<void> {
  const { newId, now, mdm_command_check_minutes } = context
  const sent = accepted.map(({ row, operation }) => ({
    before: row,
    operation,
    after: {
      ...row,
      status: 'sent' as const,
      operation_name: operation.name,
      sent_at: now,
      new_password: null,
      unsure_since: null,
    },
  }))
  const rows = sent.map(({ after }) => after)
  await updateSent(tx, rows, mdm_command_check_minutes)
  const facts = rows.map(
    ({ org_id, id, device_id, type }): AuditFacts => ({
      org_id,
      action: 'command.sent',
      actor: SYSTEM,
      target: { type: 'command', id, device_id },
      before: { status: 'queued' },
      after: { status: 'sent', type },
    }),
  )
  await writeAudit(tx, newId, now, facts)
  await deleteCommandDispatches(tx, rows)
  const ends = sent.flatMap(({ after, operation }) => {
    const end = endOfOperation(operation)
    return end ? [[after, end] as const] : []
  })
  // Audit entries sort by time: the end comes after the sending.
  const afterwards = { newId, now: new Date(now.getTime() + 1) }
  await endCommands(tx, afterwards, { ends: new Map(ends), actor: PROVIDER })
}

/** Commands whose operation belongs to another command count as unsure and are retried. */
function conflicting(
  attempts: readonly CommandAttempt[],
  accepted: readonly Accepted[],
): CommandAttempt[] {
  const written = new Set(accepted.map(({ row }) => row.id))
  return attempts
    .filter(({ job, outcome }) => outcome.kind === 'accepted' && !written.has(job.subject.id))
    .map(({ job }) => ({ job, outcome: { kind: 'fault', fault: CONFLICT } }))
}

const CONFLICT = unavailable('The operation belongs to another command.', true)

/** @returns ids of the commands whose lease was still held */
async function settleOthers(
  tx: Db,
  { random }: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<Set<string>> {
  const settled = attempts.flatMap(({ job, outcome }) => {
    const row = settledDispatch(job.claim, outcome, random())
    if (row === undefined) return []
    // The last retry is due when the command expires, so that it expires on time.
    const expiresInMs = job.subject.remaining_s * 1000
    return [expiresInMs > 0 ? { ...row, delay_ms: Math.min(row.delay_ms, expiresInMs) } : row]
  })
  const held = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
  const unsent = attempts.flatMap(({ job, outcome }) =>
    held.has(job.subject.id) && isUnsent(job, outcome) ? [job.subject] : [],
  )
  await clearUnsure(tx, unsent)
  return held
}

/** Whether the provider certainly has the command neither from this attempt nor from an earlier one. */
function isUnsent({ subject }: CommandJob, outcome: Outcome): boolean {
  if (subject.was_unsure_since !== null) return false
  return outcome.kind === 'stopped' || (outcome.kind === 'fault' && !outcome.fault.is_ambiguous)
}

function endsOf(
  queued: ReadonlyMap<string, CommandRow>,
  attempts: readonly CommandAttempt[],
  held: ReadonlySet<string>,
): Map<CommandRow, CommandEnd> {
  const ends = new Map<CommandRow, CommandEnd>()
  for (const { job, outcome } of attempts) {
    const row = queued.get(job.subject.id)
    const end = endOf(job, outcome)
    if (row && end && held.has(row.id)) ends.set(row, end)
  }
  return ends
}

function endOf({ claim, subject }: CommandJob, outcome: Outcome): CommandEnd | undefined {
  if (outcome.kind === 'expired') {
    const reason = claim.error === null ? '' : `: ${claim.error}`
    return { status: 'expired', error: storable(`${NOT_SENT}${reason}`) }
  }
  if (outcome.kind !== 'fault') return undefined
  const { fault } = outcome
  if (isPermanent(fault)) return { status: 'failed', error: storable(fault.message) }
  return subject.is_long_expired ? { status: 'expired', error: UNCONFIRMED } : undefined
}

/** Texts of the column `error` of expired commands. */
export const NOT_SENT = 'The command could not be sent in time'
export const UNCONFIRMED = 'The provider did not confirm in time that it received the command'
