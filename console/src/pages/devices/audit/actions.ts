/** What each action of the audit log means, in words. */
import type { AuditEntry } from '../../../../../src/modules/mdm/audit/schema.ts'

export const ACTIONS: Record<AuditEntry['action'], string> = {
  'enterprise.signup_started': 'A sign-up was begun',
  'enterprise.created': 'The enterprise was created',
  'policy.created': 'A policy was made',
  'policy.updated': 'A policy was changed',
  'policy.published': 'The provider has a version of a policy',
  'policy.rejected': 'The provider does not take a policy',
  'enrollment_token.created': 'An enrolment token was made',
  'device.enrolled': 'A device enrolled',
  'device.state_changed': 'The state of a device changed',
  'device.compliance_changed': 'The compliance of a device changed',
  'device.updated': 'What is noted about a device was edited',
  'device.policy_assigned': 'A device is to have another policy',
  'device.policy_applied': 'A policy is on a device',
  'device.policy_rejected': 'The provider does not give a device its policy',
  'device.deletion_requested': 'The removal of a device was asked for',
  'device.deleted': 'A device is not managed any more',
  'command.created': 'A command was given',
  'command.sent': 'The provider has a command',
  'command.completed': 'A command ended',
  'group.created': 'A group was made',
  'group.updated': 'A group was changed',
  'group.deleted': 'A group was deleted',
  'group.devices_assigned': 'Devices were put into a group',
  'group.command_created': 'A command was given to a group',
}
