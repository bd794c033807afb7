/** Serves the editor of custom rules: the facts to choose from, and the faults of a draft. */
import {
  examineCustomRules,
  FACTS,
  ITEM_FACTS,
  RULE_SIGNALS,
  RULE_TARGETS,
  RULE_TEMPLATES,
} from '../../custom-rules/index.ts'
import type { DraftCheck, FactText, RuleLanguage } from './schema.ts'

type Facts = Readonly<Record<string, readonly [string, string]>>

const factTexts = (facts: Facts, prefix = ''): FactText[] =>
  Object.entries(facts).map(([name, [type, about]]) => ({ name: `${prefix}${name}`, type, about }))

export const RULE_LANGUAGES: readonly RuleLanguage[] = RULE_TARGETS.map((applies_to) => ({
  applies_to,
  facts: Object.entries<Facts>(FACTS[applies_to]).flatMap(([group, facts]) =>
    factTexts(facts, `${group}.`),
  ),
  item_facts: applies_to === 'order' ? factTexts(ITEM_FACTS) : [],
  signals: [...RULE_SIGNALS[applies_to]],
  templates: RULE_TEMPLATES[applies_to].map((rule) => ({
    ...rule,
    applies_to,
    state: 'shadow',
    warning: '',
  })),
}))

export const checkDraft = (json: unknown): DraftCheck => ({
  faults: examineCustomRules(json).faults.map(({ rule, field, message, place }) => ({
    rule,
    field,
    message,
    start: place?.start ?? null,
    end: place?.end ?? null,
  })),
})
