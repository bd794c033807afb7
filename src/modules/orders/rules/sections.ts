/** Lists the numbers of the rules by section, with their defaults, limits and explanations. */
import { PARAMETER_TEXTS, type SectionText } from '../scoring/parameter-texts.ts'
import { DEFAULT_ORDER_PARAMETERS, limitsOf, type NumbersBySection } from '../scoring/parameters.ts'
import type { RuleSection } from './schema.ts'

export function orderRuleSections(activeParameters: NumbersBySection): RuleSection[] {
  const texts: Readonly<Record<string, SectionText<Record<string, number>>>> = PARAMETER_TEXTS
  const bySection: NumbersBySection = DEFAULT_ORDER_PARAMETERS
  return Object.entries(bySection).flatMap(([section, defaults]) => {
    const about = texts[section]
    if (about === undefined) return []
    const parameters = Object.entries(defaults).flatMap(([name, value]) => {
      const text = about.parameters[name]
      const active = activeParameters[section]?.[name] ?? value
      return text ? [{ name, ...text, default: value, active, ...limitsOf(section, name) }] : []
    })
    return [{ section, title: about.title, about: about.about, parameters }]
  })
}
