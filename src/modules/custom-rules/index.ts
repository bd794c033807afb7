/** Rules that an organization writes itself, as expressions over published facts. */
export {
  type CompiledRules,
  compileRules,
  countRules,
  NO_CUSTOM_RULES,
  ruleSteps,
} from './compiled.ts'
export { ruleFacts } from './expression.ts'
export { FACTS, ITEM_FACTS, RULE_TARGETS, type RuleFacts, type RuleTarget } from './facts.ts'
export {
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
