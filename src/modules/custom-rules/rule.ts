/**
 * Custom rules of an organization: what they consist of, and how they are read from JSON. Reading checks
 * every expression, so a stored rule can always be evaluated.
 */
import { compileExpression } from './expression.ts'
import { type ExpressionFault, RULE_TARGETS, type RuleTarget } from './facts.ts'

export const RULE_STATES = ['off', 'shadow', 'on'] as const
export type RuleState = (typeof RULE_STATES)[number]

/**
 * `points` adds to the score, `floor` and `cap` set its least and highest value, `review` sends the
 * subject to the review queue, `alert` raises an alert.
 */
export const RULE_EFFECTS = ['points', 'floor', 'cap', 'review', 'alert'] as const
export type RuleEffect = (typeof RULE_EFFECTS)[number]

export type CustomRule = {
  /** Unique in its organization and mode; explanations show it. */
  name: string
  applies_to: RuleTarget
  state: RuleState
  /** Expression that decides whether the rule matches. */
  when: string
  effect: RuleEffect
  /** Points from -100 to 100, or a score from 0 to 100; 0 for the other effects. */
  value: number
  /** Documented signal that a higher score is attributed to. */
  signal: string
  comment: string
  /** Why the service switched the rule off; empty otherwise. */
  warning: string
}

export const CUSTOM_RULES_MAX = 200
const NAME_MAX_CHARS = 80
const COMMENT_MAX_CHARS = 500

/** Stands for the signal about actions of the type of the action. */
export const BY_ACTION = 'by_action'

/** Signals by what a rule applies to, the default first. */
export const RULE_SIGNALS: Readonly<Record<RuleTarget, readonly string[]>> = {
  order: [
    'pattern',
    'velocity',
    'amount_anomaly',
    'location_anomaly',
    'device_anomaly',
    'time_anomaly',
  ],
  check: ['velocity', 'disposable', 'domain_age', 'mx', 'phone', 'device', 'ip'],
  // Only signals with a flag, because an action is reviewed by its flags.
  cashier_action: [
    BY_ACTION,
    'excessive_voids',
    'excessive_refunds',
    'discount_abuse',
    'off_shift',
    'drawer_anomaly',
    'round_number_refund',
  ],
}

/** A member of the rules is wrong. `rule` is the index of the rule, `place` is set for expressions. */
export class CustomRuleFault extends Error {
  readonly rule: number
  readonly field: string
  readonly place: Pick<ExpressionFault, 'start' | 'end'> | undefined

  constructor(rule: number, field: string, fault: { message: string } & Partial<ExpressionFault>) {
    super(fault.message)
    this.rule = rule
    this.field = field
    const { start, end } = fault
    this.place = start === undefined || end === undefined ? undefined : { start, end }
  }

  /** Path of the member, such as `custom_rules.2.when`. */
  get path(): string {
    return this.rule < 0 ? 'custom_rules' : `custom_rules.${this.rule}.${this.field}`
  }
}

/** @throws CustomRuleFault for the first fault */
export function readCustomRules(json: unknown): CustomRule[] {
  const { rules, faults } = examineCustomRules(json)
  const [fault] = faults
  if (fault) throw fault
  return rules
}

/** Reads rules and collects the first fault of each. */
export function examineCustomRules(json: unknown): {
  rules: CustomRule[]
  faults: CustomRuleFault[]
} {
  if (!Array.isArray(json)) return whole('custom_rules must be a list')
  if (json.length > CUSTOM_RULES_MAX)
    return whole(`An organization can have ${CUSTOM_RULES_MAX} custom rules`)
  const rules: CustomRule[] = []
  const faults: CustomRuleFault[] = []
  const names = new Set<string>()
  for (const [index, member] of json.entries()) {
    try {
      const rule = readRule(index, member)
      if (names.has(rule.name)) {
        throw new CustomRuleFault(index, 'name', { message: `Two rules are named "${rule.name}"` })
      }
      names.add(rule.name)
      rules.push(rule)
    } catch (error) {
      if (!(error instanceof CustomRuleFault)) throw error
      faults.push(error)
    }
  }
  return { rules, faults }
}

const whole = (message: string) => ({
  rules: [],
  faults: [new CustomRuleFault(-1, '', { message })],
})

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'applies_to',
  'state',
  'when',
  'effect',
  'value',
  'signal',
  'comment',
  'warning',
])

function readRule(index: number, json: unknown): CustomRule {
  const fault = (field: string, message: string) => new CustomRuleFault(index, field, { message })
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw fault('name', 'A custom rule must be an object')
  }
  const members = json as Record<string, unknown>
  for (const name in members) if (!MEMBERS.has(name)) throw fault(name, `Unknown member "${name}"`)
  const text = (field: string, max: number, fallback?: string): string => {
    const value = members[field] ?? fallback
    if (typeof value !== 'string') throw fault(field, `${field} must be a text`)
    if (value.length > max) throw fault(field, `${field} can have ${max} characters`)
    return value.trim()
  }
  const one = <Value extends string>(field: string, values: readonly Value[], fallback?: Value) => {
    const value = values.find((each) => each === (members[field] ?? fallback))
    if (value === undefined) throw fault(field, `${field} must be one of ${values.join(', ')}`)
    return value
  }
  const name = text('name', NAME_MAX_CHARS)
  if (name === '') throw fault('name', 'name must not be empty')
  const applies_to = one('applies_to', RULE_TARGETS)
  const effect = one('effect', RULE_EFFECTS)
  const state = one('state', RULE_STATES, 'shadow')
  const rule: CustomRule = {
    name,
    applies_to,
    state,
    when: text('when', Number.POSITIVE_INFINITY),
    effect,
    value: valueOf(members['value'], effect, fault),
    signal: one('signal', RULE_SIGNALS[applies_to], RULE_SIGNALS[applies_to][0]),
    comment: text('comment', COMMENT_MAX_CHARS, ''),
    warning: state === 'off' ? text('warning', COMMENT_MAX_CHARS, '') : '',
  }
  const compiled = compileExpression(applies_to, rule.when)
  if ('fault' in compiled) throw new CustomRuleFault(index, 'when', compiled.fault)
  return rule
}

function valueOf(
  value: unknown,
  effect: RuleEffect,
  fault: (field: string, message: string) => CustomRuleFault,
): number {
  if (effect === 'review' || effect === 'alert') return 0
  const least = effect === 'points' ? -100 : 0
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > 100) {
    throw fault('value', `value must be a whole number from ${least} to 100`)
  }
  return value as number
}

/** The names of the rules that differ between two versions, in the order of the newer one. */
export type CustomRuleChange = { name: string; change: 'added' | 'changed' | 'moved' | 'removed' }

export function customRuleChanges(
  before: readonly CustomRule[],
  after: readonly CustomRule[],
): CustomRuleChange[] {
  const byName = new Map(before.map((rule) => [rule.name, rule]))
  const names = new Set(after.map(({ name }) => name))
  const kept = before.filter(({ name }) => names.has(name)).map(({ name }) => name)
  const changes: CustomRuleChange[] = []
  let position = 0
  for (const rule of after) {
    const { name } = rule
    const was = byName.get(name)
    if (was === undefined) changes.push({ name, change: 'added' })
    else {
      const isMoved = kept[position] !== name
      position += 1
      if (!isSameRule(was, rule)) changes.push({ name, change: 'changed' })
      else if (isMoved) changes.push({ name, change: 'moved' })
    }
  }
  for (const { name } of before) if (!names.has(name)) changes.push({ name, change: 'removed' })
  return changes
}

const isSameRule = (a: CustomRule, b: CustomRule): boolean =>
  (Object.keys(a) as (keyof CustomRule)[]).every((member) => a[member] === b[member])
