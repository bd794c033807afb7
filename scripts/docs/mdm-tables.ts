/**
 * The tables of docs/mdm.md: the baseline policies, the devices that support each command, the actions
 * of the audit log and the columns of the reports, each generated from the code.
 */
import { AUDIT_ACTIONS, type AuditAction } from '../../src/modules/mdm/audit/entry.ts'
import { AUDIT_COLUMNS } from '../../src/modules/mdm/audit/routes.ts'
import { type CommandDevice, findDeviceFault } from '../../src/modules/mdm/commands/rules.ts'
import { baselinePolicy } from '../../src/modules/mdm/policies/baseline.ts'
import { COMPLIANCE_COLUMNS } from '../../src/modules/mdm/reports/compliance-columns.ts'
import { INVENTORY_COLUMNS } from '../../src/modules/mdm/reports/inventory-columns.ts'
import { COMMAND_TYPES } from '../../src/modules/mdm/tables.ts'
import { code, renderTable } from './table.ts'

/** Tables by the name of their markers. */
export const mdmTables = (): Record<string, string> => ({
  'mdm baselines': baselines(),
  'mdm commands': commands(),
  'mdm actions': actions(),
  'mdm inventory': columns(INVENTORY_COLUMNS, { ...DEVICE, ...INVENTORY }),
  'mdm compliance': columns(COMPLIANCE_COLUMNS, { ...DEVICE, ...COMPLIANCE }),
  'mdm audit': columns(AUDIT_COLUMNS, AUDIT),
})

function baselines(): string {
  const modes = [baselinePolicy('fully_managed'), baselinePolicy('work_profile')]
  const members = [...new Set(modes.flatMap((policy) => Object.keys(policy)))].toSorted()
  const rows = members.map((member) => [
    code(member),
    ...modes.map((policy) => (member in policy ? code(JSON.stringify(policy[member])) : '')),
  ])
  return renderTable(['Member', '`fully_managed`', '`work_profile`'], rows)
}

const device = (changes: Partial<CommandDevice>): CommandDevice => ({
  state: 'active',
  deletion_requested_at: null,
  management_mode: 'work_profile',
  ownership: 'company_owned',
  api_level: 36,
  ...changes,
})

const DEVICES: readonly CommandDevice[] = [
  device({ management_mode: 'fully_managed' }),
  device({}),
  device({ ownership: 'personally_owned' }),
]
const API_LEVELS: readonly (readonly [level: number, version: string])[] = [
  [24, '7.0'],
  [26, '8.0'],
  [28, '9'],
]

function commands(): string {
  const rows = COMMAND_TYPES.map((type) => {
    const fits = DEVICES.map((each) => (findDeviceFault(each, type) ? 'no' : 'yes'))
    const supporting = DEVICES.find((each) => !findDeviceFault(each, type)) ?? device({})
    const least = API_LEVELS.findLast(
      ([level]) => findDeviceFault({ ...supporting, api_level: level - 1 }, type) !== undefined,
    )
    return [code(type), ...fits, least?.[1] ?? '']
  })
  const owned = ['Fully managed', 'Work profile, company-owned', 'Work profile, personally owned']
  return renderTable(['Command', ...owned, 'Minimum Android version'], rows)
}

const ACTIONS: Record<AuditAction, string> = {
  'enterprise.signup_started': 'a sign-up was started',
  'enterprise.created': 'the enterprise was created',
  'policy.created': 'a policy was created',
  'policy.updated':
    'a policy was changed; for `policy_json`, the entry lists the names of the changed members',
  'policy.published': 'the provider accepted this version of the policy',
  'policy.rejected': 'the provider rejected the policy; with the reason',
  'enrollment_token.created': 'an enrollment token was created; without its value',
  'enrollment_token.ended': 'an enrollment token was ended before it expired',
  'device.enrolled': 'a device enrolled, for the first time or again',
  'device.state_changed': 'the state of a device changed',
  'device.compliance_changed': 'the compliance of a device changed',
  'device.updated': 'the metadata of a device was edited',
  'device.policy_assigned': 'a device was assigned another policy',
  'device.policy_applied': 'a device reported that another policy or version was applied',
  'device.policy_rejected': 'the provider did not assign the policy to a device; with the reason',
  'device.deletion_requested': 'the deletion of a device was requested',
  'device.deleted': 'a device is no longer managed; `by` says how this was detected',
  'command.created': 'a command was created',
  'command.sent': 'the provider accepted a command',
  'command.completed': 'a command ended; with the outcome',
  'group.created': 'a group was created',
  'group.updated': 'a group was renamed or assigned another policy',
  'group.deleted': 'a group was deleted',
  'group.devices_assigned': 'devices were assigned to a group',
  'group.command_created': 'a command was created for all devices of a group',
}

const actions = (): string =>
  renderTable(
    ['`action`', 'Written when'],
    AUDIT_ACTIONS.map((action) => [code(action), ACTIONS[action]]),
  )

/** @throws Error for a column without a description */
function columns(
  described: readonly { name: string }[],
  descriptions: Readonly<Record<string, string>>,
): string {
  const rows = described.map(({ name }) => {
    const description = descriptions[name]
    if (description === undefined) throw new Error(`The column ${name} has no description`)
    return [code(name), description]
  })
  return renderTable(['Column', 'Description'], rows)
}

const DEVICE = {
  id: 'id of the device',
  name: 'name that the organization gave the device',
  serial_number: 'serial number that the device reported',
  state: 'state that the provider reported',
  management_mode: '`fully_managed` or `work_profile`',
  group_name: 'name of its group; empty without a group',
  policy_id: 'id of the policy that is assigned to it',
  policy_name: 'name of that policy',
  compliance_state: '`compliant`, `grace_period`, `non_compliant` or `unknown`',
  last_report_at: 'time of its last report, by the clock of the provider',
}

const INVENTORY = {
  ownership_type: '`company_owned` or `personally_owned`',
  assigned_user_id: 'id of the user to whom the organization assigned the device',
  group_id: 'id of its group',
  applied_policy_id: 'id of the policy that the device applied',
  policy_error: 'reason why the provider did not assign its policy',
  brand: 'brand that the device reported',
  manufacturer: 'manufacturer that the device reported',
  model: 'model that the device reported',
  os_version: 'Android version',
  security_patch_level: 'date of its security patch level',
  enrolled_at: 'time of its latest enrollment',
  deletion_requested_at: 'time at which its deletion was requested, until the provider confirms it',
  custom_attributes: 'as JSON',
}

const COMPLIANCE = {
  violations: 'number of violations in its last report',
  settings_violated:
    'violated settings without duplicates, with the package if any, separated by `;`',
  violated_since: 'time at which the oldest of them was first reported',
  grace_period_expires_at: 'end of the grace period, in the state `grace_period`',
}

const AUDIT = {
  id: 'id of the entry',
  created_at: 'time of the entry',
  action: 'see above',
  actor_type: '`user`, `system` or `provider`',
  actor_id: 'id of the user',
  target_type: '`enterprise`, `policy`, `enrollment_token`, `device`, `command` or `group`',
  target_id: 'id of the target; empty for the enterprise',
  before: 'changed fields before the change, as JSON',
  after: 'changed fields after the change, as JSON',
}
