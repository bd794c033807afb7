/** What the rules lab shows of the rules of orders. */

/** What is other than the defaults: `{section: {name: number}}`. */
export type RuleOverrides = Record<string, Record<string, number>>

/** One number of the rules, with what people need to know to change it. */
export type RuleParameter = {
  name: string
  label: string
  /** Empty for a plain number. */
  unit: string
  about: string
  /** What raising it does. */
  raising: string
  default: number
  in_force: number
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

/** One that was ever in force. Version 0, the defaults, has none of this. */
export type RulesVersion = {
  version: number
  overrides: RuleOverrides
  note: string | null
  /** Whose rules these are again. */
  rolled_back_to: number | null
  applied_at: string
  /** A user, or `cli`. */
  applied_by: string
  applied_by_email: string | null
}

export type RulesShown = {
  /** The version in force; 0 for the defaults. */
  version: number
  overrides: RuleOverrides
  /** Null where the defaults were never changed. */
  applied: RulesVersion | null
  sections: RuleSection[]
}

export type RulesVersionPage = { versions: RulesVersion[]; next_cursor: string | null }

/** One number that a version changed. */
export type RuleChange = { section: string; name: string; from: number; to: number }

export type RulesApplied = { version: number; changes: RuleChange[] }
