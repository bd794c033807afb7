/** Computes the changes that a request makes to a policy, and their audit entry. Pure. */
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { PolicyRow } from './record.ts'
import type { UpdatePolicy } from './schema.ts'

export type PolicyChange = {
  row: PolicyRow
  has_new_mode: boolean
  has_new_version: boolean
  /** For the audit log, only the members that changed. */
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** @returns undefined when nothing changes */
export function changePolicy(
  row: PolicyRow,
  request: UpdatePolicy,
  now: Date,
): PolicyChange | undefined {
  const { name = row.name, description = row.description, policy_json = row.policy_json } = request
  const management_mode = request.management_mode ?? row.management_mode
  const has_new_version = canonicalJson(policy_json) !== canonicalJson(row.policy_json)
  const wanted = { name, description, management_mode }
  const changed = MEMBERS.filter((member) => wanted[member] !== row[member])
  if (changed.length === 0 && !has_new_version) return undefined
  const version = row.version + 1
  const before = Object.fromEntries(changed.map((member) => [member, row[member]]))
  const after = Object.fromEntries(changed.map((member) => [member, wanted[member]]))
  const next = { ...row, ...wanted, updated_at: now }
  const has_new_mode = changed.includes('management_mode')
  if (!has_new_version) return { row: next, has_new_mode, has_new_version, before, after }
  const policy_json_members = changedMembers(row.policy_json, policy_json)
  return {
    row: { ...next, policy_json, version, publish_error: null },
    has_new_mode,
    has_new_version,
    before: { ...before, version: row.version },
    after: { ...after, version, policy_json_members },
  }
}

const MEMBERS = ['name', 'description', 'management_mode'] as const

/** Only names, because a policy can contain network passwords. The values are in the versions. */
function changedMembers(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name]))
    .toSorted()
}
