/** Makes one attempt with the state of the subject at the time of the claim. It writes nothing. */
import { policyNameOf } from '../../policies/record.ts'
import type { AndroidManagement, Answer } from '../../providers/port.ts'
import type { Job, NotDone, Outcome } from '../job.ts'
import { type CommandSending, sendCommand } from './command.ts'
import { unlessStopped } from './unless-stopped.ts'

export type SendOptions = CommandSending & { provider: AndroidManagement }

export async function send(options: SendOptions, job: Job, signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return { kind: 'stopped' }
  if (performance.now() > job.begin_until) return { kind: 'abandoned' }
  if (job.kind === 'issue_command') return await sendCommand(options, job, signal)
  // A request that is interrupted is sent again, which changes nothing if it had arrived.
  return await unlessStopped<Outcome, Outcome>(signal, sendOther(options.provider, job), STOPPED)
}

async function sendOther(
  provider: AndroidManagement,
  job: Exclude<Job, { kind: 'issue_command' }>,
): Promise<Outcome> {
  switch (job.kind) {
    case 'publish_policy': {
      const { enterprise_name, subject_id, policy_json } = job.subject
      const name = policyNameOf(enterprise_name, subject_id)
      return outcomeOf(await provider.patchPolicy(name, policy_json), ({ version }) => ({
        kind: 'published',
        provider_version: version,
      }))
    }
    case 'assign_policy': {
      const { device_name, enterprise_name, policy_id } = job.subject
      const name = policyNameOf(enterprise_name, policy_id)
      return outcomeOf(await provider.assignPolicy(device_name, name), () => ({ kind: 'assigned' }))
    }
    case 'delete_device': {
      const answer = await provider.deleteDevice(job.subject.device_name)
      // A device that the provider no longer has counts as deleted.
      const isGone = answer.ok || answer.fault.kind === 'not_found'
      return isGone ? { kind: 'deleted' } : { kind: 'fault', fault: answer.fault }
    }
  }
}

const outcomeOf = <T>(answer: Answer<T>, done: (value: T) => Outcome): Outcome =>
  answer.ok ? done(answer.value) : { kind: 'fault', fault: answer.fault }

const STOPPED: NotDone = { kind: 'stopped' }
