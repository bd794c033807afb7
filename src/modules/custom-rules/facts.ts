/**
 * The facts that custom rules can read, by what a rule applies to, with their types and meanings. The
 * editor completes these names, and the documents list them.
 */
import { CASHIER_FACTS } from './cashier-facts.ts'
import { CHECK_FACTS } from './check-facts.ts'
import type { FactGroup } from './fact-types.ts'
import { type ITEM_FACTS, ORDER_FACTS } from './order-facts.ts'

export const RULE_TARGETS = ['order', 'check', 'cashier_action'] as const
export type RuleTarget = (typeof RULE_TARGETS)[number]

export const FACTS = {
  order: ORDER_FACTS,
  check: CHECK_FACTS,
  cashier_action: CASHIER_FACTS,
} as const satisfies Readonly<Record<RuleTarget, Readonly<Record<string, FactGroup>>>>

type ValueOf<Type> = Type extends 'int' | 'double'
  ? number
  : Type extends 'bool'
    ? boolean
    : Type extends 'list<string>'
      ? readonly string[]
      : Type extends 'list<Item>'
        ? readonly ItemValues[]
        : Type extends 'map<string, string>'
          ? Readonly<Record<string, unknown>>
          : string

type ValuesOf<Facts> = {
  readonly [Name in keyof Facts]: Facts[Name] extends readonly [infer Type, string]
    ? ValueOf<Type>
    : never
}

export type ItemValues = ValuesOf<typeof ITEM_FACTS>

/** The facts about one subject, with numbers as numbers of JavaScript. */
export type FactValues<Target extends RuleTarget> = {
  readonly [Name in keyof (typeof FACTS)[Target]]: ValuesOf<(typeof FACTS)[Target][Name]>
}

/** Facts in the form in which expressions read them. */
export type RuleFacts = Readonly<Record<string, object>>

/** A mistake in an expression with its place: offsets in the text, the end excluded. */
export type ExpressionFault = { message: string; start: number; end: number }
