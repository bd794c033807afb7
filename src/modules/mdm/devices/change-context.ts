/** The facts about an organization that decide how its devices change. */
import type { ManagementMode } from '../tables.ts'
import type { ComplianceSettings } from './compliance.ts'

export type PolicyFacts = {
  management_mode: ManagementMode
  /** The provider's number of the version that it has; null before the first publication. */
  provider_version: number | null
  /** The member `policyEnforcementRules` of the policy. */
  rules: unknown
}

export type TokenFacts = { id: string; policy_id: string; management_mode: ManagementMode }

export type ChangeContext = {
  now: Date
  org_id: string
  /** The id that the device gets if it is new. */
  id: string
  settings: ComplianceSettings
  /** By id: the policies and groups that the batch refers to. */
  policies: ReadonlyMap<string, PolicyFacts>
  groups: ReadonlyMap<string, { policy_id: string | null }>
  /** The token that the device reports to have enrolled with. */
  token: TokenFacts | undefined
}
