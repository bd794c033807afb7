/**
 * A draft of the rules: the parameters that differ from the active version. When another person applies a
 * version in the meantime, the draft builds on that one.
 */
import type {
  RuleOverrides,
  RuleParameter,
  RuleSection,
} from '../../../../src/modules/orders/rules/schema.ts'

/** Values by `section.name`. */
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

/** Removes values equal to the active ones, and unknown parameters. */
export function normalized(sections: readonly RuleSection[], draft: Draft): Draft {
  return Object.fromEntries(
    parametersOf(sections).flatMap(({ field, active }) => {
      const value = Object.hasOwn(draft, field) ? draft[field] : undefined
      return value === undefined || value === active ? [] : [[field, value]]
    }),
  )
}

/** The form that the API takes: all values that differ from the defaults. */
export function overridesOf(sections: readonly RuleSection[], draft: Draft): RuleOverrides {
  const overrides: RuleOverrides = {}
  for (const parameter of parametersOf(sections)) {
    const { section, name, field } = parameter
    const value = draft[field] ?? parameter.active
    if (value !== parameter.default) overrides[section] = { ...overrides[section], [name]: value }
  }
  return overrides
}

/** The draft that results in these overrides. */
export function draftOf(sections: readonly RuleSection[], overrides: RuleOverrides): Draft {
  return normalized(
    sections,
    Object.fromEntries(
      parametersOf(sections).map((parameter) => [parameter.field, valueIn(overrides, parameter)]),
    ),
  )
}

/** Every parameter that differs, in the order of the rules. */
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

/** @returns the error message for an input, or undefined when it is valid */
export function errorOf(text: string, { min, max }: Pick<RuleParameter, 'min' | 'max'>) {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return 'Enter a number.'
  if (value < min) return `Enter a number of at least ${min}.`
  return value > max ? `Enter a number of at most ${max}.` : undefined
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
