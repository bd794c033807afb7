/**
 * Sends a command, which must not reach the device twice. The claim records the start of each attempt,
 * so an attempt after one with an unknown outcome first looks for the command at the provider, and
 * sends it only if the provider does not have it.
 */
import type { Sealer } from '../../../../platform/crypto/sealed.ts'
import type { Log } from '../../../../platform/log.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { passwordContext } from '../../commands/password.ts'
import { unavailable } from '../../providers/faults.ts'
import type { AndroidManagement, ProviderFault } from '../../providers/port.ts'
import type { CommandJob, NotDone, Outcome } from '../job.ts'
import { adoptedOperation, isNamed } from './adoption.ts'
import { findClaimState } from './store.ts'
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
  // Read only after the listing, so that operations that other commands stored until then are excluded.
  const names = listed.value.filter(isNamed).map(({ name }) => name)
  const { is_held, taken } = await findClaimState(db, claim, names)
  if (!is_held) return ABANDONED
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
  // The command may still arrive. It is not sent again before the lease ends, or without a look-up.
  const answer = await unlessStopped(signal, issued, ABANDONED)
  if ('kind' in answer) return answer
  if (!answer.ok) return { kind: 'fault', fault: answer.fault }
  const operation = answer.value
  return isNamed(operation) ? { kind: 'accepted', operation } : { kind: 'fault', fault: NAMELESS }
}

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
    const about = { err: error, command_id: command.id }
    log.error(about, 'the password of a command cannot be decrypted')
    return { ok: false }
  }
}

/** A failed listing leaves the outcome unknown, except that a missing device takes no command at all. */
const stillUnsure = (listing: ProviderFault): ProviderFault => ({
  ...listing,
  is_ambiguous: listing.kind !== 'not_found',
})

const SEALED = unavailable('The stored password cannot be decrypted.', false)
const NAMELESS = unavailable('Google accepted the command without returning its name.', true)
const STOPPED: NotDone = { kind: 'stopped' }
const ABANDONED: NotDone = { kind: 'abandoned' }
