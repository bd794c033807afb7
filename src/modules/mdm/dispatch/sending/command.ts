/**
 * Sending a command, which must not happen twice. That an attempt begins was written down with its
 * claim; so whoever comes after one whose outcome is not known asks the provider first what it has,
 * and sends only what it does not have.
 */
import type { Sealer } from '../../../../platform/crypto/sealed.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { passwordContext } from '../../commands/password.ts'
import type { AndroidManagement, ProviderFault } from '../../providers/port.ts'
import type { CommandJob, NotDone, Outcome } from '../job.ts'
import { adoptedOperation, isNamed, type NamedOperation } from './adoption.ts'
import { findStanding } from './store.ts'
import { unlessStopped } from './unless-stopped.ts'
import { wireCommand } from './wire-command.ts'

export type CommandSending = {
  db: Db
  provider: Pick<AndroidManagement, 'issueCommand' | 'listOperations'>
  sealer: Pick<Sealer, 'open'>
  log: Log
}

export async function sendCommand(
  options: CommandSending,
  job: CommandJob,
  signal: AbortSignal,
): Promise<Outcome> {
  const { was_unsure_since, is_expired } = job.subject
  if (was_unsure_since === null) {
    return is_expired ? { kind: 'expired' } : await issue(options, job, signal)
  }
  const searched = search(options, job, was_unsure_since)
  const found = await unlessStopped(signal, searched, STOPPED)
  if (found !== 'nothing') return found
  if (is_expired) return { kind: 'expired' }
  if (performance.now() > job.begin_until) return ABANDONED
  return await issue(options, job, signal)
}

/** @returns `nothing` when the provider does not have it */
async function search(
  { db, provider }: CommandSending,
  { claim, subject }: CommandJob,
  since: Date,
): Promise<Outcome | 'nothing'> {
  const listed = await provider.listOperations(subject.device_name)
  if (!listed.ok) return { kind: 'fault', fault: stillUnsure(listed.fault) }
  // Only now: what others have sent meanwhile is written down by them before it is anybody else's.
  const names = listed.value.filter(isNamed).map(({ name }) => name)
  const { is_mine, taken } = await findStanding(db, claim, names)
  if (!is_mine) return ABANDONED
  const own = adoptedOperation(listed.value, subject, { since, taken: new Set(taken) })
  return own ? { kind: 'accepted', operation: own } : 'nothing'
}

async function issue(
  options: CommandSending,
  { subject }: CommandJob,
  signal: AbortSignal,
): Promise<Outcome> {
  const opened = await openPassword(options, subject)
  if (!opened.ok) return { kind: 'fault', fault: SEALED }
  if (signal.aborted) return STOPPED
  const { remaining_s } = subject
  const command = wireCommand(subject, { remaining_s, new_password: opened.password })
  const issued = options.provider.issueCommand(subject.device_name, command)
  // It may arrive or not. Nobody sends it again before the lease ends, and nobody without looking.
  const answer = await unlessStopped(signal, issued, ABANDONED)
  if ('kind' in answer) return answer
  if (!answer.ok) return { kind: 'fault', fault: answer.fault }
  const operation = answer.value
  return isNamed(operation) ? accepted(operation) : { kind: 'fault', fault: NAMELESS }
}

const accepted = (operation: NamedOperation): Outcome => ({ kind: 'accepted', operation })

type Opened = { ok: true; password: string | undefined } | { ok: false }

async function openPassword(
  { sealer, log }: CommandSending,
  command: CommandJob['subject'],
): Promise<Opened> {
  if (command.new_password === null) return { ok: true, password: undefined }
  try {
    const opened = await sealer.open(command.new_password, passwordContext(command))
    return { ok: true, password: opened.toString('utf8') }
  } catch (error) {
    log.error({ err: error, command_id: command.id }, 'the password of a command cannot be opened')
    return { ok: false }
  }
}

/** But for a device that is not there, which takes no command whatever became of the last one. */
const stillUnsure = (listing: ProviderFault): ProviderFault => ({
  ...listing,
  is_ambiguous: listing.kind !== 'not_found',
})

const fault = (message: string, isAmbiguous: boolean): ProviderFault => ({
  kind: 'unavailable',
  message,
  is_ambiguous: isAmbiguous,
})
const SEALED = fault('The stored password cannot be opened.', false)
const NAMELESS = fault('Google took the command without saying under which name.', true)
const STOPPED: NotDone = { kind: 'stopped' }
const ABANDONED: NotDone = { kind: 'abandoned' }
