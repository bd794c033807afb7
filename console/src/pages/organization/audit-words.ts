/** What an audit entry says, in a sentence. An action that has none is shown by its name. */
import type { AuditEntry } from '../../../../src/modules/audit/schema.ts'

type Said = Pick<AuditEntry, 'action' | 'target' | 'details'>

const SENTENCES: Record<string, (target: string, said: Said) => string> = {
  'organization.created': (target) => `Made the organisation ${target}`,
  'organization.renamed': (_, said) => `Renamed the organisation ${fromTo(said)}`,
  'organization.plan_changed': (_, said) => `Changed the plan ${fromTo(said)}`,
  'member.added': (target, { details }) => `Added ${target} as ${textOf(details['to'])}`,
  'member.role_changed': (target, said) => `Changed the role of ${target} ${fromTo(said)}`,
  'member.removed': (target) => `Removed ${target}`,
  'member.left': (target) => `${target} left`,
  'invitation.created': (target, { details }) => `Invited ${target} as ${textOf(details['role'])}`,
  'invitation.revoked': (target) => `Revoked the invitation of ${target}`,
  'invitation.accepted': (target, { details }) => `${target} joined as ${textOf(details['role'])}`,
  'key.created': (target) => `Created the API key ${target}`,
  'key.rolled': (target, { details }) =>
    `Rolled the API key ${target}, now ${textOf(details['replaced_by'])}`,
  'key.revoked': (target) => `Revoked the API key ${target}`,
  'rules.applied': (target, said) => `Applied ${target}${changesOf(said)}`,
  'rules.rolled_back': (target, said) =>
    `Rolled back to version ${textOf(said.details['rolled_back_to'])} of the rules: ${target}${changesOf(said)}`,
}

const sentences = new Map(Object.entries(SENTENCES))

export function sentenceOf(said: Said): string {
  const target = said.target ?? ''
  const sentence = sentences.get(said.action)
  return sentence ? sentence(target, said) : `${said.action} ${target}`.trim()
}

/** What a sentence of the list above does not say already. */
export function detailsText({ action, details }: Said): string {
  if (sentences.has(action)) return ''
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ')
}

/** The first numbers that changed; the page of the versions has all of them. */
function changesOf({ details }: Said): string {
  const { changes, note } = details
  const told = Array.isArray(changes)
    ? changes.slice(0, CHANGES_MAX).map((change: unknown) => changeText(change as Change))
    : []
  const rest = Array.isArray(changes) ? changes.length - told.length : 0
  if (rest > 0) told.push(`and ${rest} more`)
  const numbers = told.length === 0 ? '' : ` (${told.join(', ')})`
  return typeof note === 'string' && note !== '' ? `${numbers}: ${note}` : numbers
}

type Change = { section?: unknown; name?: unknown; from?: unknown; to?: unknown }

const CHANGES_MAX = 3

const changeText = ({ section, name, from, to }: Change): string =>
  `${textOf(section)}.${textOf(name)} ${textOf(from)} → ${textOf(to)}`

const fromTo = ({ details }: Said): string =>
  `from ${textOf(details['from'])} to ${textOf(details['to'])}`

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '–')
