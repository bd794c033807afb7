import type {
  CustomRule,
  CustomRuleChange,
  RuleMatch,
  RuleTarget,
} from '../../custom-rules/index.ts'
import type { RuleOverrides } from '../scoring/parameters.ts'

export type { CustomRule, CustomRuleChange, RuleMatch, RuleOverrides, RuleTarget }

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
  custom_rules: CustomRule[]
  note: string | null
  /** Version that this one restored. */
  rolled_back_to: number | null
  applied_at: string
  /** User id, `cli`, `learning`, or `budget` for a version that switched off a rule. */
  applied_by: string
  applied_by_email: string | null
}

export type RulesShown = {
  /** Active version; 0 for the defaults. */
  version: number
  overrides: RuleOverrides
  custom_rules: CustomRule[]
  /** Null when the defaults were never changed. */
  applied: RulesVersion | null
  sections: RuleSection[]
}

export type RulesVersionPage = { versions: RulesVersion[]; next_cursor: string | null }

/** A number that a version changed. */
export type RuleChange = { section: string; name: string; from: number; to: number }

export type RulesApplied = {
  version: number
  changes: RuleChange[]
  custom_changes: CustomRuleChange[]
}

/** A fact that custom rules can read. */
export type FactText = { name: string; type: string; about: string }

/** The facts, signals and templates that the editor offers for one kind of subject. */
export type RuleLanguage = {
  applies_to: RuleTarget
  facts: FactText[]
  /** Members of the items of a list. */
  item_facts: FactText[]
  signals: string[]
  /** Usual rules to start with, in shadow. */
  templates: CustomRule[]
}

/** A mistake in a drafted rule. `rule` is its index, -1 for the list; `start` and `end` are offsets in `when`. */
export type DraftFault = {
  rule: number
  field: string
  message: string
  start: number | null
  end: number | null
}

export type DraftCheck = { faults: DraftFault[] }

/** The number of matches of each custom rule among the newest orders, checks and cashier actions. */
export type RuleMatches = {
  /** The kinds that active rules apply to. */
  examined: { applies_to: RuleTarget; count: number; since: string | null }[]
  rules: RuleMatch[]
}
