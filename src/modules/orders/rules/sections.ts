/** All numbers of the rules by section, with their defaults, limits and explanations. */
import { PARAMETER_TEXTS, type SectionText } from '../scoring/parameter-texts.ts'
import { DEFAULT_ORDER_PARAMETERS, limitsOf, type OrderParameters } from '../scoring/parameters.ts'
import type { RuleSection } from './schema.ts'

type Numbers = Readonly<Record<string, Readonly<Record<string, number>>>>

export function sectionsOf(inForce: OrderParameters): RuleSection[] {
  const texts = PARAMETER_TEXTS as unknown as Record<string, SectionText<Record<string, number>>>
  const now = inForce as unknown as Numbers
  return Object.entries(DEFAULT_ORDER_PARAMETERS as unknown as Numbers).flatMap(
    ([section, defaults]) => {
      const about = texts[section]
      if (about === undefined) return []
      const parameters = Object.entries(defaults).flatMap(([name, value]) => {
        const text = about.parameters[name]
        const in_force = now[section]?.[name] ?? value
        return text ? [{ name, ...text, default: value, in_force, ...limitsOf(section, name) }] : []
      })
      return [{ section, title: about.title, about: about.about, parameters }]
    },
  )
}
