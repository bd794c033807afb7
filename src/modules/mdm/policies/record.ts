/** Converts rows of policies to the records of the API. */
import type { MdmTables } from '../tables.ts'
import type { Policy } from './schema.ts'

export type PolicyRow = MdmTables['mdm_policies']

export function toPolicy(row: PolicyRow): Policy {
  const { id, name, description, management_mode, policy_json, version, publish_error } = row
  return {
    id,
    name,
    description,
    management_mode,
    policy_json,
    version,
    publish_state: publishStateOf(row),
    publish_error,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function publishStateOf({
  version,
  published_version,
  publish_error,
}: Pick<PolicyRow, 'version' | 'published_version' | 'publish_error'>) {
  if (publish_error !== null) return 'rejected'
  return published_version === version ? 'published' : 'waiting'
}

/** Returns the name of a policy at the provider. */
export const policyNameOf = (enterpriseName: string, policyId: string): string =>
  `${enterpriseName}/policies/${policyId}`
