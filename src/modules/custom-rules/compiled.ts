/**
 * Rules in the form in which they are evaluated. A sample of the evaluations is timed, because a rule
 * that takes too long is switched off; the time has no effect on what a rule returns.
 */
import type { Owner } from '../../platform/owner.ts'
import type { Adjustment, AdjustmentStep } from '../risk/index.ts'
import { compileExpression, type Matcher } from './expression.ts'
import { RULE_TARGETS, type RuleFacts, type RuleTarget } from './facts.ts'
import type { CustomRule } from './rule.ts'

export type CompiledRule = { rule: CustomRule; matches: Matcher }

export type CompiledRules = {
  /** Rules that are on or in shadow, in their order. */
  of(target: RuleTarget): readonly CompiledRule[]
  /** Groups of facts that these rules read. */
  groups(target: RuleTarget): ReadonlySet<string>
  /** Names of the rules that have exceeded the budget. */
  exceeded(): readonly string[]
}

/** Rules of an organization and mode with their version; 0 for the defaults, which have no custom rules. */
export type RulesInEffect = { version: number; custom: CompiledRules }

/** Where those who score get the rules. They read them once for each request. */
export type RuleSource = {
  /** Returns a promise only when the rules have to be read first. */
  active(owner: Owner): RulesInEffect | Promise<RulesInEffect>
  /** Must be called after scoring. Switches off the rules that take too long, without waiting for it. */
  switchOffSlow(owner: Owner, rules: RulesInEffect): void
}

/** Ten times what a usual rule takes, on a slow machine. */
export const RULE_BUDGET_MS = 0.25
/** Every eighth evaluation of a rule is timed. */
const SAMPLE_EVERY = 8
/** A rule exceeds the budget when most of this many timed evaluations in a row took longer. */
const TIMED_MAX = 64

const NO_COMPILED: readonly CompiledRule[] = []
const NO_GROUPS: ReadonlySet<string> = new Set()
export const NO_CUSTOM_RULES: CompiledRules = {
  of: () => NO_COMPILED,
  groups: () => NO_GROUPS,
  exceeded: () => [],
}

/** @param now_ms measures durations */
export function compileRules(
  rules: readonly CustomRule[],
  now_ms: () => number = () => performance.now(),
): CompiledRules {
  const exceeded: string[] = []
  const byTarget = new Map<RuleTarget, CompiledRule[]>()
  const groups = new Map<RuleTarget, ReadonlySet<string>>()
  for (const rule of rules) {
    if (rule.state === 'off') continue
    const compiled = compileExpression(rule.applies_to, rule.when)
    // A fact that a later version of the program no longer has.
    if ('fault' in compiled) continue
    const onExceeded = () => exceeded.push(rule.name)
    const matches = timed(compiled.matches, now_ms, onExceeded)
    const { applies_to } = rule
    byTarget.set(applies_to, [...(byTarget.get(applies_to) ?? []), { rule, matches }])
    groups.set(applies_to, new Set([...(groups.get(applies_to) ?? []), ...compiled.groups]))
  }
  if (byTarget.size === 0) return NO_CUSTOM_RULES
  return {
    of: (target) => byTarget.get(target) ?? NO_COMPILED,
    groups: (target) => groups.get(target) ?? NO_GROUPS,
    exceeded: () => exceeded,
  }
}

function timed(matches: Matcher, now_ms: () => number, onExceeded: () => void): Matcher {
  let evaluations = 0
  let measured = 0
  let slow = 0
  let isExceeded = false
  return (facts) => {
    evaluations += 1
    if (isExceeded || evaluations % SAMPLE_EVERY !== 0) return matches(facts)
    const from = now_ms()
    const isMatch = matches(facts)
    measured += 1
    if (now_ms() - from > RULE_BUDGET_MS) slow += 1
    if (measured === TIMED_MAX) {
      isExceeded = slow > TIMED_MAX / 2
      if (isExceeded) onExceeded()
      measured = 0
      slow = 0
    }
    return isMatch
  }
}

/** Returns what the rules that match do to a score, in the order of the rules. */
export function ruleSteps<Signal extends string>(
  rules: readonly CompiledRule[],
  facts: RuleFacts,
  { review_score, signal_min = 0 }: { review_score: number; signal_min?: number },
): AdjustmentStep<Signal>[] {
  const steps: AdjustmentStep<Signal>[] = []
  for (const { rule, matches } of rules) {
    if (!matches(facts)) continue
    const { name, effect, value, state } = rule
    const signal = rule.signal as Signal
    const isReview = effect === 'review'
    steps.push({
      cause: { by: 'rule', rule: name },
      change: isReview
        ? { effect: 'floor', value: review_score, signal, signal_min }
        : { effect, value, signal },
      is_shadow: state === 'shadow',
    })
  }
  return steps
}

/** Names of the rules that ask for an alert, without those in shadow. */
export const alertsOfRules = (adjustments: readonly Adjustment[]): string[] =>
  adjustments.flatMap((one) => (one.by === 'rule' && one.effect === 'alert' ? [one.rule] : []))

export const countRules = (rules: CompiledRules): number =>
  RULE_TARGETS.reduce((sum, target) => sum + rules.of(target).length, 0)
