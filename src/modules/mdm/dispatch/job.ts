/** What is sent to the provider, and what comes of an attempt. */
import type { ProviderFault, WireOperation } from '../providers/port.ts'
import type {
  ClaimedDispatch,
  CommandToIssue,
  DeviceToAssign,
  DeviceToDelete,
  PolicyToPublish,
} from './claim/store.ts'

type Claimed = {
  claim: ClaimedDispatch
  /** From when on, by the monotonic clock in milliseconds, it is too late to begin a request. */
  begin_until: number
}
export type PublishJob = Claimed & { kind: 'publish_policy'; subject: PolicyToPublish }
export type AssignJob = Claimed & { kind: 'assign_policy'; subject: DeviceToAssign }
export type DeleteJob = Claimed & { kind: 'delete_device'; subject: DeviceToDelete }
export type CommandJob = Claimed & { kind: 'issue_command'; subject: CommandToIssue }
export type Job = PublishJob | AssignJob | DeleteJob | CommandJob

/** What can come of any attempt. */
export type NotDone =
  | { kind: 'fault'; fault: ProviderFault }
  /** The process ends; nothing was sent. */
  | { kind: 'stopped' }
  /** Nothing can be said: the lease ends by itself, and whoever comes then finds out. */
  | { kind: 'abandoned' }

export type Outcome =
  | NotDone
  | { kind: 'published'; provider_version: number }
  | { kind: 'assigned' }
  | { kind: 'deleted' }
  | { kind: 'accepted'; operation: WireOperation & { name: string } }
  | { kind: 'expired' }
