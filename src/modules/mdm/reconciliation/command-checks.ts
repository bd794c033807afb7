/**
 * Looks commands without a result up at the provider, in case a notification was lost, and expires those
 * whose time is over. Any number of processes can run it at the same time.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { MINUTE_SECONDS } from '../../../platform/time-units.ts'
import { type Actor, PROVIDER, SYSTEM } from '../audit/entry.ts'
import {
  type CheckClaim,
  type CommandToCheck,
  claimChecks,
  isBeingSent,
  updateCheckDue,
} from '../commands/checks.store.ts'
import { applyOperations, endCommands } from '../commands/completion.ts'
import type { CommandEnd } from '../commands/state.ts'
import { lockCommands, markCommandsDue } from '../commands/store.ts'
import { NOT_SENT, UNCONFIRMED } from '../dispatch/settling/commands.ts'
import type { AndroidManagement } from '../providers/port.ts'

export type CommandCheckOptions = {
  db: Database
  provider: Pick<AndroidManagement, 'getOperation'>
  newId: NewId
  log: Log
  mdm_command_check_minutes: number
}

export type CommandsChecked = { looked_at: number; ended: number }

const CHECKS_PER_CLAIM = 20
/** Longer than the requests of one claim can take one after another. */
const LEASE_SECONDS = 1200

/** @returns a job for the schedule, which throws when the database is unavailable */
export function createCommandChecks(options: CommandCheckOptions) {
  return async (now: Date, signal: AbortSignal): Promise<CommandsChecked> => {
    // Unsent commands come first, so that they expire on time while the provider is down.
    const unsent = await checkDue(options, 'queued', { now, signal })
    const sent = await checkDue(options, 'sent', { now, signal })
    const looked_at = unsent.looked_at + sent.looked_at
    const sum = { looked_at, ended: unsent.ended + sent.ended }
    if (sum.ended > 0) options.log.info(sum, 'commands without a result were looked up')
    return sum
  }
}

async function checkDue(
  options: CommandCheckOptions,
  status: CheckClaim['status'],
  { now, signal }: Run,
): Promise<CommandsChecked> {
  const sum = { looked_at: 0, ended: 0 }
  while (!signal.aborted) {
    const claim = { status, limit: CHECKS_PER_CLAIM, lease_seconds: LEASE_SECONDS }
    const commands = await claimChecks(options.db, claim)
    if (commands.length === 0) break
    const { left, ended } = await checkAll(options, commands, { now, signal })
    sum.looked_at += commands.length - left.length
    sum.ended += ended
    if (left.length === 0) continue
    // The provider is down or rate limited: the rest is due immediately, after older checks.
    await updateCheckDue(options.db, left, 0)
    break
  }
  return sum
}

type Run = { now: Date; signal: AbortSignal }

async function checkAll(
  options: CommandCheckOptions,
  commands: readonly CommandToCheck[],
  { now, signal }: Run,
): Promise<{ left: readonly CommandToCheck[]; ended: number }> {
  let ended = 0
  for (const [index, command] of commands.entries()) {
    if (signal.aborted) return { left: commands.slice(index), ended }
    const checked = command.status === 'queued' ? expireQueued : checkSent
    const verdict = await checked(options, command, now)
    if (verdict === 'stop') return { left: commands.slice(index), ended }
    if (verdict === 'ended') ended += 1
  }
  return { left: [], ended }
}

type Verdict = 'ended' | 'waits' | 'stop'

/**
 * Expires a command that is not being sent. One that may have arrived is left to the dispatcher until an
 * hour after its expiry.
 */
async function expireQueued(
  { db, newId }: CommandCheckOptions,
  command: CommandToCheck,
  now: Date,
): Promise<Verdict> {
  const isEnded = await db.transaction().execute(async (tx) => {
    const [row] = await lockCommands(tx, [command])
    if (row?.status !== 'queued' || !command.is_expired) return false
    if (await isBeingSent(tx, command)) return false
    if (row.unsure_since !== null && !command.is_long_expired) return false
    const error = row.unsure_since === null ? NOT_SENT : UNCONFIRMED
    const ends = new Map([[row, { status: 'expired', error } satisfies CommandEnd]])
    await endCommands(tx, { newId, now }, { ends, actor: SYSTEM })
    return true
  })
  if (!isEnded) {
    await updateCheckDue(db, [command], MINUTE_SECONDS)
    return 'waits'
  }
  await markCommandsDue(db, [command])
  return 'ended'
}

async function checkSent(
  options: CommandCheckOptions,
  command: CommandToCheck,
  now: Date,
): Promise<Verdict> {
  const { db, provider, newId, mdm_command_check_minutes } = options
  const { org_id, device_name, operation_name, is_long_expired } = command
  if (operation_name === null) return 'waits'
  const answer = await provider.getOperation(operation_name)
  if (!answer.ok && answer.fault.kind !== 'not_found') return 'stop'
  if (!answer.ok) return await end(options, command, { now, actor: PROVIDER, error: UNKNOWN })
  if (answer.value.done === true) {
    const operation = { ...answer.value, name: operation_name }
    await db
      .transaction()
      .execute((tx) => applyOperations(tx, { newId, now }, [{ org_id, device_name, operation }]))
    return 'ended'
  }
  if (is_long_expired) return await end(options, command, { now, actor: SYSTEM, error: SILENT })
  await updateCheckDue(db, [command], mdm_command_check_minutes * MINUTE_SECONDS)
  return 'waits'
}

async function end(
  { db, newId }: CommandCheckOptions,
  command: CommandToCheck,
  { now, actor, error }: { now: Date; actor: Actor; error: string },
): Promise<Verdict> {
  await db.transaction().execute(async (tx) => {
    const rows = await lockCommands(tx, [command])
    const expired: CommandEnd = { status: 'expired', error }
    const ends = new Map(rows.map((row) => [row, expired]))
    await endCommands(tx, { newId, now }, { ends, actor })
  })
  return 'ended'
}

const UNKNOWN = 'The provider no longer knows the command'
const SILENT = 'The device did not respond in time'
