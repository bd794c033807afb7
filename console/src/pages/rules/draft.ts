/**
 * A draft of the rules: the numbers that are to be other than those in force. Somebody else may apply
 * a version meanwhile: the draft then stands on that one.
 */
import type {
  RuleOverrides,
  RuleParameter,
  RuleSection,
} from '../../../../src/modules/orders/rules/schema.ts'

/** By `section.name`. */
export type Draft = Readonly<Record<string, number>>

export type Changed = {
  /** `section.name` */
  field: string
  section: string
  label: string
  unit: string
  from: number
  to: number
}

export const fieldOf = (section: string, name: string): string => `${section}.${name}`

/** Without what is as it is in force anyway, and what the rules do not have. */
export function tidied(sections: readonly RuleSection[], draft: Draft): Draft {
  return Object.fromEntries(
    parametersOf(sections).flatMap(({ field, in_force }) => {
      const value = Object.hasOwn(draft, field) ? draft[field] : undefined
      return value === undefined || value === in_force ? [] : [[field, value]]
    }),
  )
}

/** What the service is told: all that is other than the defaults. */
export function overridesOf(sections: readonly RuleSection[], draft: Draft): RuleOverrides {
  const overrides: RuleOverrides = {}
  for (const parameter of parametersOf(sections)) {
    const { section, name, field } = parameter
    const value = draft[field] ?? parameter.in_force
    if (value !== parameter.default) overrides[section] = { ...overrides[section], [name]: value }
  }
  return overrides
}

/** The draft that comes to these overrides. */
export function draftOf(sections: readonly RuleSection[], overrides: RuleOverrides): Draft {
  return tidied(
    sections,
    Object.fromEntries(
      parametersOf(sections).map((parameter) => [parameter.field, valueIn(overrides, parameter)]),
    ),
  )
}

/** Every number that differs, in the order of the rules. */
export function changesBetween(
  sections: readonly RuleSection[],
  from: RuleOverrides,
  to: RuleOverrides,
): Changed[] {
  return parametersOf(sections).flatMap((parameter) => {
    const [before, after] = [valueIn(from, parameter), valueIn(to, parameter)]
    if (before === after) return []
    const { field, title, label, unit } = parameter
    return [{ field, section: title, label, unit, from: before, to: after }]
  })
}

/** What is wrong with a number, as the service would say it; undefined when nothing is. */
export function faultOf(text: string, { min, max }: Pick<RuleParameter, 'min' | 'max'>) {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return 'This has to be a number.'
  if (value < min) return `This has to be at least ${min}.`
  return value > max ? `This has to be at most ${max}.` : undefined
}

type Placed = RuleParameter & { section: string; title: string; field: string }

const parametersOf = (sections: readonly RuleSection[]): Placed[] =>
  sections.flatMap(({ section, title, parameters }) =>
    parameters.map((parameter) => ({
      ...parameter,
      section,
      title,
      field: fieldOf(section, parameter.name),
    })),
  )

const valueIn = (overrides: RuleOverrides, { section, name, ...parameter }: Placed): number =>
  overrides[section]?.[name] ?? parameter.default
