/**
 * The tables of docs/mdm.md: the baselines, which commands fit which devices, the actions of the audit
 * log and the columns of the reports, each from the code that it speaks of.
 */
import { AUDIT_ACTIONS, type AuditAction } from '../../src/modules/mdm/audit/entry.ts'
import { AUDIT_COLUMNS } from '../../src/modules/mdm/audit/routes.ts'
import { type CommandDevice, unfitnessOf } from '../../src/modules/mdm/commands/rules.ts'
import { baselinePolicy } from '../../src/modules/mdm/policies/baseline.ts'
import { COMPLIANCE_COLUMNS } from '../../src/modules/mdm/reports/compliance.ts'
import { INVENTORY_COLUMNS } from '../../src/modules/mdm/reports/inventory.ts'
import { COMMAND_TYPES } from '../../src/platform/postgres/tables/mdm.ts'
import { renderTable } from './table.ts'

/** By the name of their markers. */
export function mdmTables(): Record<string, string> {
  return {
    'mdm baselines': baselines(),
    'mdm commands': commands(),
    'mdm actions': actions(),
    'mdm inventory': columns(INVENTORY_COLUMNS, { ...DEVICE, ...OF_INVENTORY }),
    'mdm compliance': columns(COMPLIANCE_COLUMNS, { ...DEVICE, ...OF_COMPLIANCE }),
    'mdm audit': columns(AUDIT_COLUMNS, OF_AUDIT),
  }
}

const code = (text: string): string => `\`${text}\``

function baselines(): string {
  const modes = [baselinePolicy('fully_managed'), baselinePolicy('work_profile')]
  const members = [...new Set(modes.flatMap((policy) => Object.keys(policy)))].toSorted()
  const rows = members.map((member) => [
    code(member),
    ...modes.map((policy) => (member in policy ? code(JSON.stringify(policy[member])) : '')),
  ])
  return renderTable(['Member', '`fully_managed`', '`work_profile`'], rows)
}

const device = (given: Partial<CommandDevice>): CommandDevice => ({
  state: 'active',
  deletion_requested_at: null,
  management_mode: 'work_profile',
  ownership: 'company_owned',
  api_level: 36,
  ...given,
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
    const fits = DEVICES.map((each) => (unfitnessOf(each, type) ? 'no' : 'yes'))
    const taker = DEVICES.find((each) => !unfitnessOf(each, type)) ?? device({})
    const least = API_LEVELS.findLast(
      ([level]) => unfitnessOf({ ...taker, api_level: level - 1 }, type) !== undefined,
    )
    return [code(type), ...fits, least?.[1] ?? '']
  })
  const owned = ['Fully managed', 'Work profile, company-owned', 'Work profile, personally owned']
  return renderTable(['Command', ...owned, 'Android from'], rows)
}

const ACTIONS: Record<AuditAction, string> = {
  'enterprise.signup_started': 'a sign-up was begun',
  'enterprise.created': 'the enterprise was made',
  'policy.created': 'a policy was made',
  'policy.updated': 'it was changed; of `policy_json` the names of the members that changed',
  'policy.published': 'the provider has this version',
  'policy.rejected': 'the provider does not take it, and why',
  'enrollment_token.created': 'a token was made; without the token',
  'device.enrolled': 'a device enrolled, for the first time or again',
  'device.state_changed': 'its state is another',
  'device.compliance_changed': 'its compliance is another',
  'device.updated': 'its metadata was edited',
  'device.policy_assigned': 'it is to have another policy',
  'device.policy_applied': 'it reports another policy or version to be on it',
  'device.policy_rejected': 'the provider does not give it the policy, and why',
  'device.deletion_requested': 'somebody asked for its removal',
  'device.deleted': 'it is not managed any more; `by` says how that was learnt',
  'command.created': 'a command was given',
  'command.sent': 'the provider has it',
  'command.completed': 'it ended, and how',
  'group.created': 'a group was made',
  'group.updated': 'it was renamed, or got another policy',
  'group.deleted': 'it was deleted',
  'group.devices_assigned': 'devices were put into it',
  'group.command_created': 'a command was given to all of it',
}

const actions = (): string =>
  renderTable(
    ['`action`', 'Written when'],
    AUDIT_ACTIONS.map((action) => [code(action), ACTIONS[action]]),
  )

/** @throws Error for a column without a meaning */
function columns(
  of: readonly { name: string }[],
  meanings: Readonly<Record<string, string>>,
): string {
  const rows = of.map(({ name }) => {
    const meaning = meanings[name]
    if (meaning === undefined) throw new Error(`The column ${name} is not explained`)
    return [code(name), meaning]
  })
  return renderTable(['Column', 'Is'], rows)
}

const DEVICE = {
  id: 'id of the device',
  name: 'as the organisation calls it',
  serial_number: 'as reported',
  state: 'as reported by the provider',
  management_mode: '`fully_managed` or `work_profile`',
  group_name: 'of its group; empty without one',
  policy_id: 'policy that it should have',
  policy_name: 'of that policy',
  compliance_state: '`compliant`, `grace_period`, `non_compliant`, `unknown`',
  last_report_at: "time of its last report, by the provider's clock",
}

const OF_INVENTORY = {
  ownership_type: '`company_owned` or `personally_owned`',
  assigned_user_id: 'as the organisation noted it',
  group_id: 'of its group',
  applied_policy_id: 'policy that is on it',
  policy_error: 'why the provider does not give it its policy',
  brand: 'as reported',
  manufacturer: 'as reported',
  model: 'as reported',
  os_version: 'version of Android',
  security_patch_level: 'date of its security patches',
  enrolled_at: 'when it enrolled, the last time',
  deletion_requested_at: 'when its removal was asked for, while the provider has not confirmed it',
  custom_attributes: 'as JSON',
}

const OF_COMPLIANCE = {
  violations: 'how many details its last report had',
  settings_violated: 'their settings, each once, with the package where there is one; `;` between',
  violated_since: 'when the oldest of them was first reported',
  grace_period_expires_at: 'in the state `grace_period`: when that ends',
}

const OF_AUDIT = {
  id: 'id of the entry',
  created_at: 'when it was written',
  action: 'see above',
  actor_type: '`user`, `system` or `provider`',
  actor_id: 'of the user',
  target_type: '`enterprise`, `policy`, `enrollment_token`, `device`, `command` or `group`',
  target_id: 'its id; empty for the enterprise',
  before: 'what changed, as it was, as JSON',
  after: 'and as it is since',
}
