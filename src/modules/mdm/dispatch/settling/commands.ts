/**
 * What came of issuing commands. That the provider has one is written whoever has the lease by now,
 * so that it is not sent again.
 */
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import { storable } from '../../../../platform/postgres/storable.ts'
import { auditEntry } from '../../audit/entry.ts'
import { insertAuditEntries, PROVIDER, SYSTEM } from '../../audit/store.ts'
import { endCommands } from '../../commands/completion.ts'
import type { CommandRow } from '../../commands/record.ts'
import { type CommandEnd, endOfOperation } from '../../commands/state.ts'
import {
  deleteCommandDispatches,
  forgetAttempts,
  hastenCommands,
  listOwners,
  lockCommands,
  updateSent,
} from '../../commands/store.ts'
import { preferIndexes } from '../claim/store.ts'
import type { CommandJob, Outcome } from '../job.ts'
import { isHopeless } from './retry.ts'
import { settledRow } from './row.ts'
import type { Attempt, SettleContext } from './settle.ts'
import { settleDispatches } from './store.ts'

type CommandAttempt = Attempt<CommandJob>
type Accepted = { row: CommandRow; operation: Extract<Outcome, { kind: 'accepted' }>['operation'] }

export async function settleCommands(
  db: Database,
  context: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<void> {
  const next = await db.transaction().execute(async (tx) => await write(tx, context, attempts))
  // Those behind them have their turn; in a transaction of its own, since it waits for claims.
  await hastenCommands(db, next)
}

/** @returns commands that wait no longer */
async function write(
  tx: Db,
  context: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<CommandRow[]> {
  await preferIndexes(tx)
  const rows = await lockCommands(
    tx,
    attempts.map(({ job: { subject } }) => subject),
  )
  const queued = new Map(rows.filter(isQueued).map((row) => [row.id, row]))
  const accepted = await acceptedOf(tx, queued, attempts)
  await writeSent(tx, context, accepted)
  const others = attempts.filter(({ outcome }) => outcome.kind !== 'accepted')
  const mine = await settleOthers(tx, context, [...others, ...conflicting(attempts, accepted)])
  const ends = endsOf(queued, others, mine)
  await endCommands(tx, context, { ends, actor: SYSTEM })
  return [...accepted.map(({ row }) => row), ...ends.keys()]
}

const isQueued = ({ status }: CommandRow): boolean => status === 'queued'

/** Two commands never have the same operation: one that is another's by now is looked for again. */
async function acceptedOf(
  tx: Db,
  queued: ReadonlyMap<string, CommandRow>,
  attempts: readonly CommandAttempt[],
): Promise<Accepted[]> {
  const said = attempts.flatMap(({ job, outcome }) => {
    const row = queued.get(job.subject.id)
    return row && outcome.kind === 'accepted' ? [{ row, operation: outcome.operation }] : []
  })
  const operations = said.map(({ row, operation }) => ({
    org_id: row.org_id,
    name: operation.name,
  }))
  const taken = await listOwners(tx, operations)
  return said.filter(({ row, operation }) => {
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
  await insertAuditEntries(
    tx,
    rows.map(({ org_id, id, device_id, type }) =>
      auditEntry(newId, now, {
        org_id,
        action: 'command.sent',
        actor: SYSTEM,
        target: { type: 'command', id, device_id },
        before: { status: 'queued' },
        after: { status: 'sent', type },
      }),
    ),
  )
  await deleteCommandDispatches(tx, rows)
  const ends = sent.flatMap(({ after, operation }) => {
    const end = endOfOperation(operation)
    return end ? [[after, end] as const] : []
  })
  // Entries are in the order of their times.
  const afterwards = { newId, now: new Date(now.getTime() + 1) }
  await endCommands(tx, afterwards, { ends: new Map(ends), actor: PROVIDER })
}

/** Those that cannot have the operation that they were said to have: unsure, and due again. */
function conflicting(
  attempts: readonly CommandAttempt[],
  accepted: readonly Accepted[],
): CommandAttempt[] {
  const written = new Set(accepted.map(({ row }) => row.id))
  return attempts
    .filter(({ job, outcome }) => outcome.kind === 'accepted' && !written.has(job.subject.id))
    .map(({ job }) => ({ job, outcome: { kind: 'fault', fault: ANOTHERS } }))
}

const ANOTHERS = {
  kind: 'unavailable',
  message: 'The operation belongs to another command.',
  is_ambiguous: true,
} as const

/** @returns ids of those that were still leased to whoever settles */
async function settleOthers(
  tx: Db,
  { random }: SettleContext,
  attempts: readonly CommandAttempt[],
): Promise<Set<string>> {
  const settled = attempts.flatMap(({ job, outcome }) => {
    const row = settledRow(job.claim, outcome, random())
    if (row === undefined) return []
    // It expires on time, and not at the first attempt after it.
    const expiresInMs = job.subject.remaining_s * 1000
    return [expiresInMs > 0 ? { ...row, delay_ms: Math.min(row.delay_ms, expiresInMs) } : row]
  })
  const mine = new Set((await settleDispatches(tx, settled)).map(({ subject_id }) => subject_id))
  const unsent = attempts.filter(
    ({ job, outcome }) => mine.has(job.subject.id) && isUnsent(job, outcome),
  )
  await forgetAttempts(
    tx,
    unsent.map(({ job }) => job.subject),
  )
  return mine
}

/** It is certain that the provider has it neither from this attempt nor from an earlier one. */
function isUnsent({ subject }: CommandJob, outcome: Outcome): boolean {
  if (subject.was_unsure_since !== null) return false
  return outcome.kind === 'stopped' || (outcome.kind === 'fault' && !outcome.fault.is_ambiguous)
}

function endsOf(
  queued: ReadonlyMap<string, CommandRow>,
  attempts: readonly CommandAttempt[],
  mine: ReadonlySet<string>,
): Map<CommandRow, CommandEnd> {
  const ends = attempts.flatMap(({ job, outcome }) => {
    const row = queued.get(job.subject.id)
    const end = endOf(job, outcome)
    return row && end && mine.has(row.id) ? [[row, end] as const] : []
  })
  return new Map(ends)
}

function endOf({ claim, subject }: CommandJob, outcome: Outcome): CommandEnd | undefined {
  if (outcome.kind === 'expired') {
    const reason = claim.error === null ? '' : `: ${claim.error}`
    return { status: 'expired', error: storable(`It could not be sent in time${reason}`) }
  }
  if (outcome.kind !== 'fault') return undefined
  if (isHopeless(outcome.fault)) return { status: 'failed', error: storable(outcome.fault.message) }
  return subject.is_long_expired ? { status: 'expired', error: UNSURE } : undefined
}

const UNSURE = 'Whether the provider took it in time could not be learnt'
