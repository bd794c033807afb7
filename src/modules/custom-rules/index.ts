/** Rules that an organization writes itself, as expressions over published facts. */
export {
  alertsOfRules,
  type CompiledRules,
  compileRules,
  countRules,
  NO_CUSTOM_RULES,
  type RuleSource,
  type RulesInEffect,
  ruleSteps,
} from './compiled.ts'
export { ruleFacts } from './expression.ts'
export { FACTS, RULE_TARGETS, type RuleFacts, type RuleTarget } from './facts.ts'
export { listFacts } from './list-facts.ts'
export { countMatches, type RuleMatch } from './matches.store.ts'
export { ITEM_FACTS } from './order-facts.ts'
export {
  ADJUSTED_FINDINGS,
  type Amount,
  type Rescored,
  type RescoreQuery,
  type RuledSubject,
  type RuledSubjects,
  rowsOfArrivals,
  type StoredTarget,
} from './rescored.ts'
export {
  BY_ACTION,
  CUSTOM_RULES_MAX,
  type CustomRule,
  type CustomRuleChange,
  CustomRuleFault,
  customRuleChanges,
  examineCustomRules,
  RULE_SIGNALS,
  readCustomRules,
} from './rule.ts'
export { RULE_TEMPLATES } from './templates.ts'
