/** The draft of custom rules in this browser, and how it differs from the active rules. */
import type { CustomRule, CustomRuleChange } from '../../../../src/modules/orders/rules/schema.ts'

/** Every rule that differs, by its name. */
export function customChanges(
  before: readonly CustomRule[],
  after: readonly CustomRule[],
): CustomRuleChange[] {
  const byName = new Map(before.map((rule) => [rule.name, rule]))
  const names = new Set(after.map(({ name }) => name))
  const kept = before.filter(({ name }) => names.has(name))
  const common = after.filter(({ name }) => byName.has(name))
  const changes = after.flatMap((rule): CustomRuleChange[] => {
    const { name } = rule
    const was = byName.get(name)
    if (was === undefined) return [{ name, change: 'added' }]
    if (!isSameRule(was, rule)) return [{ name, change: 'changed' }]
    const isMoved = kept.indexOf(was) !== common.indexOf(rule)
    return isMoved ? [{ name, change: 'moved' }] : []
  })
  const removed = before.filter(({ name }) => !names.has(name))
  return [...changes, ...removed.map(({ name }) => ({ name, change: 'removed' as const }))]
}

const isSameRule = (a: CustomRule, b: CustomRule): boolean =>
  (Object.keys(a) as (keyof CustomRule)[]).every((member) => a[member] === b[member])

export const EMPTY_RULE: CustomRule = {
  name: '',
  applies_to: 'order',
  state: 'shadow',
  when: '',
  effect: 'points',
  value: 20,
  signal: 'pattern',
  comment: '',
  warning: '',
}

/** Puts a rule in its place. @param index past the end for a new rule */
export const withRule = (
  rules: readonly CustomRule[],
  index: number,
  rule: CustomRule,
): CustomRule[] => [...rules.slice(0, index), rule, ...rules.slice(index + 1)]

export const withoutRule = (rules: readonly CustomRule[], index: number): CustomRule[] =>
  rules.filter((_rule, position) => position !== index)

/** Exchanges a rule with the one above it. */
export function movedUp(rules: readonly CustomRule[], index: number): CustomRule[] {
  const [above, rule] = [rules[index - 1], rules[index]]
  if (!above || !rule) return [...rules]
  return [...rules.slice(0, index - 1), rule, above, ...rules.slice(index + 1)]
}

/** A name that no rule has, such as `Large order 2`. */
export function freeName(rules: readonly CustomRule[], name: string): string {
  const taken = new Set(rules.map((rule) => rule.name))
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name} ${number}`
    if (!taken.has(tried)) return tried
  }
}

/** The word in front of the cursor that a name of a fact could complete. */
export function wordBefore(text: string, cursor: number): { start: number; word: string } {
  const word = /[A-Za-z_][\w.]*$/.exec(text.slice(0, cursor))?.[0] ?? ''
  return { start: cursor - word.length, word }
}

/** Ignores stored text of any other form. */
export function readRules(text: string | null): CustomRule[] | undefined {
  try {
    const json = JSON.parse(text ?? 'null') as unknown
    return Array.isArray(json) ? (json as CustomRule[]) : undefined
  } catch {
    return undefined
  }
}
