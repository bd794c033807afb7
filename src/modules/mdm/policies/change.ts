/** What a request changes about a policy, and what is written down of it. Pure. */
import { canonicalJson } from '../../../platform/canonical-json.ts'
import type { PolicyRow } from './record.ts'
import type { UpdatePolicy } from './schema.ts'

export type PolicyChange = {
  row: PolicyRow
  has_new_mode: boolean
  has_new_version: boolean
  /** Of the audit log: only what changed. */
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** @returns undefined when everything is as it was */
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
  const version = has_new_version ? row.version + 1 : row.version
  return {
    row: {
      ...row,
      ...wanted,
      ...(has_new_version && { policy_json, version, publish_error: null }),
      updated_at: now,
    },
    has_new_mode: changed.includes('management_mode'),
    has_new_version,
    before: {
      ...Object.fromEntries(changed.map((member) => [member, row[member]])),
      ...(has_new_version && { version: row.version }),
    },
    after: {
      ...Object.fromEntries(changed.map((member) => [member, wanted[member]])),
      ...(has_new_version && {
        version,
        policy_json_members: changedMembers(row.policy_json, policy_json),
      }),
    },
  }
}

const MEMBERS = ['name', 'description', 'management_mode'] as const

/** Their names alone: a policy may hold passwords of networks. What they were is kept by version. */
function changedMembers(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name]))
    .toSorted()
}
