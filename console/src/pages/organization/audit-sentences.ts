/** Describes an audit entry in a sentence. An unknown action is shown by its name. */
import type { AuditEntry } from '../../../../src/modules/audit/schema.ts'

type Entry = Pick<AuditEntry, 'action' | 'target' | 'details'>

const SENTENCES: Record<string, (target: string, entry: Entry) => string> = {
  'organization.created': (target) => `Created the organization ${target}`,
  'organization.renamed': (_, entry) => `Renamed the organization ${fromTo(entry)}`,
  'organization.plan_changed': (_, entry) => `Changed the plan ${fromTo(entry)}`,
  'organization.sign_in_changed': (_, { details }) =>
    details['requires_second_factor'] === true
      ? 'Required a second factor of all members'
      : 'Made the second factor optional',
  'organization.moved': (_, entry) => `Moved the data to another cell ${fromTo(entry)}`,
  'member.added': (target, { details }) => `Added ${target} as ${textOf(details['to'])}`,
  'member.role_changed': (target, entry) => `Changed the role of ${target} ${fromTo(entry)}`,
  'member.removed': (target) => `Removed ${target}`,
  'member.left': (target) => `${target} left`,
  'invitation.created': (target, { details }) => `Invited ${target} as ${textOf(details['role'])}`,
  'invitation.revoked': (target) => `Revoked the invitation for ${target}`,
  'invitation.accepted': (target, { details }) => `${target} joined as ${textOf(details['role'])}`,
  'sign_in.new_browser': (target, { details }) =>
    `${target} signed in from a new browser: ${textOf(details['browser'])}, ${textOf(details['address'] ?? 'unknown address')}`,
  'program.signed_in': (target, { details }) =>
    `${target} signed in the program ${textOf(details['program'])} for ${textOf(details['days'])} days`,
  'session.ended': (target) => `${target} ended a session`,
  'session.others_ended': (target, { details }) =>
    `${target} ended all other sessions (${textOf(details['sessions'])})`,
  'password.changed': (target) => `${target} changed the password`,
  'password.reset_requested': (target) => `Created a link for a new password of ${target}`,
  'password.replaced': (target) => `${target} set a new password with a link`,
  'email.change_requested': (target, { details }) =>
    `${target} asked to use the e-mail ${textOf(details['to'])}`,
  'email.change_canceled': (target) => `The change of the e-mail ${target} was canceled`,
  'email.changed': (_, entry) => `Changed the e-mail ${fromTo(entry)}`,
  'password.reset': (target) => `The operator reset the password of ${target}`,
  'second_factor.enabled': (target) => `${target} set up a second factor`,
  'second_factor.removed': (target) => `Removed the second factor of ${target}`,
  'second_factor.recovery_codes_renewed': (target) => `${target} created new recovery codes`,
  'passkey.added': (target) => `${target} added a passkey`,
  'passkey.removed': (target) => `${target} removed a passkey`,
  'single_sign_on.provider_set': (_, { details }) =>
    `Set up the sign-in provider ${textOf(details['issuer'])}`,
  'single_sign_on.provider_removed': () => 'Removed the sign-in provider',
  'single_sign_on.domains_set': (_, { details }) =>
    `Confirmed these domains for single sign-on: ${domainsText(details)}`,
  'single_sign_on.domain_added': (target) => `Added the domain ${target} for single sign-on`,
  'single_sign_on.domain_removed': (target) => `Removed the domain ${target} for single sign-on`,
  'single_sign_on.required': (_, { details }) =>
    details['required_provider'] === null
      ? 'Made single sign-on optional'
      : 'Required single sign-on of all members but one owner',
  'single_sign_on.tested': (target) => `Tested the sign-in provider as ${target}`,
  'single_sign_on.linked': (target) => `Connected ${target} with the sign-in provider`,
  'single_sign_on.signed_in': (target) => `${target} signed in by the provider`,
  'single_sign_on.signed_out': (_, { details }) =>
    `Signed out at the provider, which ended sessions here: ${textOf(details['sessions'])}`,
  'single_sign_on.bypassed': () => 'Signed in without the provider that is required',
  'single_sign_on.refused': (target, { details }) =>
    `Refused the sign-in of ${target === '' ? 'a person' : target} by the provider: ${textOf(details['reason']).replaceAll('_', ' ')}`,
  'key.created': (target) => `Created the API key ${target}`,
  'key.changed': (target, { details }) =>
    `Changed the API key ${target}: ${Object.keys(details).join(', ')}`,
  'key.rolled': (target, { details }) =>
    `Rolled the API key ${target}, now ${textOf(details['replaced_by'])}`,
  'key.revoked': (target) => `Revoked the API key ${target}`,
  'portal.created': (target) => `Created the portal ${target}`,
  'portal.changed': (target, { details }) =>
    `Changed the portal ${target}: ${Object.keys(details).join(', ')}`,
  'portal.deleted': (target, { details }) =>
    `Deleted the portal ${target} with ${textOf(details['endpoints'])} endpoints`,
  'portal_link.created': (target, { details }) =>
    `Created a link to the portal ${target}${noteText(details)}`,
  'portal_link.ended': (target, { details }) =>
    `Ended a link to the portal ${target}${noteText(details)}`,
  'webhook.created': (target, { details }) => `Added the endpoint ${target}${portalText(details)}`,
  'webhook.changed': (target, { details }) =>
    `Changed the endpoint ${target}${portalText(details)}`,
  'webhook.deleted': (target, { details }) =>
    `Deleted the endpoint ${target}${portalText(details)}`,
  'webhook.secret_rolled': (target, { details }) =>
    `Rolled the secret of the endpoint ${target}${portalText(details)}`,
  'webhook.tested': (target, { details }) =>
    `Sent a test event to the endpoint ${target}${portalText(details)}`,
  'webhook.replayed': (target, { details }) =>
    `Replayed deliveries to the endpoint ${target}${portalText(details)}`,
  'webhook.retried': (target, { details }) =>
    `Retried the delivery ${target}${portalText(details)}`,
  'rules.applied': (target, entry) => `Applied ${target}${changesOf(entry)}`,
  'rules.switched_off': (target, entry) =>
    `Custom rules were switched off because of the time they take: ${target}${changesOf(entry)}`,
  'rules.rolled_back': (target, entry) =>
    `Rolled back to version ${textOf(entry.details['rolled_back_to'])} of the rules: ${target}${changesOf(entry)}`,
  'outcomes.reported': (target, { details }) => `Reported ${target}${modeText(details)}`,
  'list_entry.added': (target, { details }) => `Put ${target}${modeText(details)}`,
  'list_entry.removed': (target, { details }) => `Removed ${target}${modeText(details)}`,
  'configuration.created': (target, { details }) => `Created ${target} from ${fileText(details)}`,
  'configuration.changed': (target, { details }) => `Changed ${target} by ${fileText(details)}`,
  'configuration.deleted': (target, { details }) => `Deleted ${target} by ${fileText(details)}`,
  'configuration.adopted': (target, { details }) => `${target} is managed by ${fileText(details)}`,
  'alert_rule.created': (target) => `Created the log alert rule ${target}`,
  'alert_rule.changed': (target) => `Changed the log alert rule ${target}`,
  'alert_rule.muted': (target) => `Muted the log alert rule ${target}`,
  'alert_rule.unmuted': (target) => `Ended the mute of the log alert rule ${target}`,
  'alert_rule.deleted': (target) => `Deleted the log alert rule ${target}`,
  'person.deleted': () => 'Deleted the data of a person',
  'person.deletion_started': () => 'Deleted a part of the data of a person',
  'credits.low_balance_changed': (_, entry) =>
    `Changed the level of a low balance ${fromTo(entry)}`,
  'cases.changed': () => 'Changed the reason codes and the time limit of cases',
  'error_group.changed': (target, { details }) =>
    `Changed the error group ${target}${groupText(details)}`,
  'error_group.merged': (target, { details }) =>
    `Merged the error group ${target} into ${textOf(details['into'])}`,
  'error_group.split': (target, { details }) =>
    `Split the error group ${target} from ${textOf(details['from'])}`,
  'rules.learning_changed': (target, { details }) =>
    details['automatic'] === true
      ? `Had better learned weights applied automatically: ${target}`
      : `Had learned weights applied by people only: ${target}`,
  'reputation.trust_changed': (_, { details }) =>
    `The operator ${TRUST.get(details['is_trusted']) ?? 'changed whether opinions count for others'}`,
  'reputation.revoked': (_, { details }) =>
    `The operator deleted ${textOf(details['opinions'])} opinions from the shared reputation`,
}

const noteText = ({ note }: Entry['details']): string =>
  typeof note === 'string' && note !== '' ? ` for ${note}` : ''

/** Changes by the holder of a link. */
const portalText = ({ portal }: Entry['details']): string =>
  typeof portal === 'string' ? ` in the portal ${portal}` : ''

const modeText = ({ mode }: Entry['details']): string => (mode === 'test' ? ' (test data)' : '')

const domainsText = ({ domains }: Entry['details']): string =>
  Array.isArray(domains) && domains.length > 0 ? domains.map(textOf).join(', ') : 'none'

/** Where a configuration came from: the file, and the commit if the caller named it. */
function fileText({ source, revision }: Entry['details']): string {
  const file = typeof source === 'string' ? source : 'a file'
  return typeof revision === 'string' ? `${file}, revision ${revision}` : file
}

const GROUP_MEMBERS = ['state', 'ignored_until', 'assignee', 'link', 'mode']

function groupText(details: Entry['details']): string {
  const changed = GROUP_MEMBERS.filter((name) => Object.hasOwn(details, name))
  return `: ${changed.map((name) => `${name.replace('_', ' ')} ${textOf(details[name] ?? 'none')}`).join(', ')}`
}

const TRUST = new Map<unknown, string>([
  [true, 'trusts the opinions of the organization'],
  [false, 'does not trust the opinions of the organization'],
  [null, 'leaves it to age and requests whether the opinions of the organization count'],
])

const sentences = new Map(Object.entries(SENTENCES))

export function sentenceOf(entry: Entry): string {
  const target = entry.target ?? ''
  const sentence = sentences.get(entry.action)
  return sentence ? sentence(target, entry) : `${entry.action} ${target}`.trim()
}

/** Details of an unknown action; the sentences above contain theirs. */
export function detailsText({ action, details }: Entry): string {
  if (sentences.has(action)) return ''
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ')
}

/** The first changed numbers. The page of rule versions shows all of them. */
function changesOf({ details }: Entry): string {
  const { changes, custom_rules, note } = details
  const all = [
    ...(Array.isArray(changes) ? changes : []).map((change: unknown) =>
      changeText(change as Change),
    ),
    ...(Array.isArray(custom_rules) ? custom_rules : []).map((change: unknown) => {
      const { name, change: kind } = change as CustomChange
      return `rule “${textOf(name)}” ${textOf(kind)}`
    }),
  ]
  const texts = all.slice(0, CHANGES_MAX)
  const rest = all.length - texts.length
  if (rest > 0) texts.push(`and ${rest} more`)
  const numbers = texts.length === 0 ? '' : ` (${texts.join(', ')})`
  return typeof note === 'string' && note !== '' ? `${numbers}: ${note}` : numbers
}

type CustomChange = { name?: unknown; change?: unknown }
type Change = { section?: unknown; name?: unknown; from?: unknown; to?: unknown }

const CHANGES_MAX = 3

const changeText = ({ section, name, from, to }: Change): string =>
  `${textOf(section)}.${textOf(name)} ${textOf(from)} → ${textOf(to)}`

const fromTo = ({ details }: Entry): string =>
  `from ${textOf(details['from'])} to ${textOf(details['to'])}`

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '–')
