import type { RuleOverrides } from '../scoring/parameters.ts'

export type { RuleOverrides }

/** A number of the rules with the texts and limits for changing it. */
export type RuleParameter = {
  name: string
  label: string
  /** Empty for a plain number. */
  unit: string
  about: string
  /** Effect of a higher value. */
  raising: string
  default: number
  active: number
  min: number
  max: number
  slider_max: number
  step: number
}

export type RuleSection = {
  section: string
  title: string
  about: string
  parameters: RuleParameter[]
}

/** A version that was applied; version 0, the defaults, has no record. */
export type RulesVersion = {
  version: number
  overrides: RuleOverrides
  note: string | null
  /** Version that this one restored. */
  rolled_back_to: number | null
  applied_at: string
  /** User id or `cli`. */
  applied_by: string
  applied_by_email: string | null
}

export type RulesShown = {
  /** Active version; 0 for the defaults. */
  version: number
  overrides: RuleOverrides
  /** Null when the defaults were never changed. */
  applied: RulesVersion | null
  sections: RuleSection[]
}

export type RulesVersionPage = { versions: RulesVersion[]; next_cursor: string | null }

/** A number that a version changed. */
export type RuleChange = { section: string; name: string; from: number; to: number }

export type RulesApplied = { version: number; changes: RuleChange[] }
