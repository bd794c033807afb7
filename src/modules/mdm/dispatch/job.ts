/** Jobs for the provider and the outcomes of attempts. */
import type { ProviderFault, WireOperation } from '../providers/port.ts'
import type {
  ClaimedDispatch,
  CommandToIssue,
  DeviceToAssign,
  DeviceToDelete,
  PolicyToPublish,
} from './claim.store.ts'

type Claimed = {
  claim: ClaimedDispatch
  /** Time of the monotonic clock, in milliseconds, after which no request may begin. */
  begin_until: number
}
export type PublishJob = Claimed & { kind: 'publish_policy'; subject: PolicyToPublish }
export type AssignJob = Claimed & { kind: 'assign_policy'; subject: DeviceToAssign }
export type DeleteJob = Claimed & { kind: 'delete_device'; subject: DeviceToDelete }
export type CommandJob = Claimed & { kind: 'issue_command'; subject: CommandToIssue }
export type Job = PublishJob | AssignJob | DeleteJob | CommandJob

/** Outcomes that any attempt can have. */
export type NotDone =
  | { kind: 'fault'; fault: ProviderFault }
  /** The process is stopping and has sent nothing. */
  | { kind: 'stopped' }
  /** The result is unknown: the next attempt finds it out when the lease has expired. */
  | { kind: 'abandoned' }

export type Outcome =
  | NotDone
  | { kind: 'published'; provider_version: number }
  | { kind: 'assigned' }
  | { kind: 'deleted' }
  | { kind: 'accepted'; operation: WireOperation & { name: string } }
  | { kind: 'expired' }

export type Attempt<J extends Job = Job> = { job: J; outcome: Outcome }
