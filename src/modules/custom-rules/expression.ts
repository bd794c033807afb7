/**
 * Compiles expressions of the Common Expression Language. They are checked against the published facts
 * and cannot change anything, and what they may cost is limited before they ever run.
 */
import { Environment } from '@marcbachmann/cel-js'
import { costFault } from './cost.ts'
import type { FactGroup, FactType } from './fact-types.ts'
import {
  type ExpressionFault,
  FACTS,
  type FactValues,
  type ItemValues,
  RULE_TARGETS,
  type RuleFacts,
  type RuleTarget,
} from './facts.ts'
import { guardOf, PLAIN, plainOf } from './guard.ts'
import { ITEM_FACTS } from './order-facts.ts'
import { textsOf } from './texts.ts'

export const EXPRESSION_MAX_CHARS = 2000
/** Elements that a macro such as `exists` visits at most. */
export const LIST_MAX = 100
/** Longer texts are cut for rules, so that comparing them is cheap. */
export const TEXT_MAX_CHARS = 512

const LIMITS = {
  maxAstNodes: 200,
  maxDepth: 24,
  maxListElements: LIST_MAX,
  maxMapEntries: 0,
  maxCallArguments: 3,
}

/** @returns whether the facts satisfy the expression; an expression that fails does not match */
export type Matcher = (facts: RuleFacts) => boolean

export function compileExpression(
  target: RuleTarget,
  text: string,
): { matches: Matcher; groups: ReadonlySet<string> } | { fault: ExpressionFault } {
  if (text.length > EXPRESSION_MAX_CHARS) {
    const message = `The expression is longer than ${EXPRESSION_MAX_CHARS} characters`
    return { fault: { message, start: EXPRESSION_MAX_CHARS, end: text.length } }
  }
  const { environment } = LANGUAGES[target]
  const checked = environment.check(text)
  if (!checked.valid) return { fault: faultOf(checked.error, text) }
  if (checked.type !== 'bool') {
    const message = `The expression must be true or false, but its type is ${checked.type}`
    return { fault: { message, start: 0, end: text.length } }
  }
  const run = environment.parse(text)
  const fault = costFault(run.ast, LIST_MAX)
  if (fault) return { fault }
  const { test, is_whole } = guardOf(run.ast)
  return {
    groups: groupsIn(run.ast, environment),
    matches: (facts) => {
      try {
        const isPossible = test(facts)
        if (is_whole || !isPossible) return isPossible
      } catch {
        // The whole expression decides.
      }
      try {
        return run(facts) === true
      } catch {
        // Such as a division by 0 or an index beyond the end of a list.
        return false
      }
    },
  }
}

/** Groups of facts, each computed only if a rule reads it. */
export type FactSources<Target extends RuleTarget> = {
  readonly [Name in keyof FactValues<Target>]: () => FactValues<Target>[Name]
}

/**
 * Converts the facts about one subject for any number of expressions.
 * @param wanted groups that the expressions read
 */
export function ruleFacts<Target extends RuleTarget>(
  target: Target,
  sources: FactSources<Target>,
  wanted: ReadonlySet<string>,
): RuleFacts {
  const facts: Record<string, object> = {}
  const byGroup: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = sources
  for (const { name, convert } of LANGUAGES[target].groups) {
    if (wanted.has(name)) facts[name] = convert(byGroup[name]?.() ?? {})
  }
  return facts
}

function groupsIn(node: unknown, environment: Environment): Set<string> {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) visit(one)
    if (typeof part !== 'object' || part === null || !('op' in part) || !('args' in part)) return
    const { op, args } = part
    if (op === 'id' && environment.hasVariable(String(args))) found.add(String(args))
    else visit(args)
  }
  visit(node)
  return found
}

type Convert = (values: Readonly<Record<string, unknown>>) => object
type Language = {
  environment: Environment
  groups: readonly { name: string; convert: Convert }[]
}

/** Instances of classes are read as they are; plain objects would be converted by every rule. */
function factsClass(fields: FactGroup) {
  class Facts {
    [name: string]: unknown
    readonly [PLAIN]: Record<string, unknown> = {}
  }
  const entries = Object.entries(fields).map(([name, [type]]) => ({
    name,
    toFact: CONVERSIONS[type],
  }))
  const convert: Convert = (values) => {
    const facts = new Facts()
    const plain = facts[PLAIN]
    for (const { name, toFact } of entries) {
      const fact = toFact(values[name])
      facts[name] = fact
      plain[name] = plainOf(fact)
    }
    return facts
  }
  const types = Object.fromEntries(Object.entries(fields).map(([name, [type]]) => [name, type]))
  return { ctor: Facts, types, convert }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, TEXT_MAX_CHARS) : ''
const wholeOf = (value: unknown): bigint =>
  typeof value === 'number' && Number.isFinite(value) ? BigInt(Math.round(value)) : 0n
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, LIST_MAX) : []

/** A missing fact is empty, 0 or false, so that rules need not ask whether it is there. */
const CONVERSIONS: Readonly<Record<FactType, (value: unknown) => unknown>> = {
  string: textOf,
  int: wholeOf,
  double: (value) => (typeof value === 'number' ? value : 0),
  bool: (value) => value === true,
  'list<string>': (value) => listOf(value).map(textOf),
  'map<string, string>': textsOf,
  'list<Item>': (value) => listOf(value).map((item) => ITEM.convert(item as ItemValues)),
}

const ITEM = factsClass(ITEM_FACTS)

const LANGUAGES = Object.fromEntries(
  RULE_TARGETS.map((target) => [target, languageOf(target)]),
) as Record<RuleTarget, Language>

function languageOf(target: RuleTarget): Language {
  const environment = new Environment({ limits: LIMITS })
  environment.registerType('Item', { ctor: ITEM.ctor, fields: ITEM.types })
  const groups = Object.entries<FactGroup>(FACTS[target]).map(([name, fields]) => {
    const { ctor, types, convert } = factsClass(fields)
    const type = `Facts_${name}`
    environment.registerType(type, { ctor, fields: types })
    environment.registerVariable(name, type)
    return { name, convert }
  })
  return { environment, groups }
}

type CheckError = { summary?: string; message: string; range?: { start: number; end: number } }

function faultOf(error: CheckError | undefined, text: string): ExpressionFault {
  const { start, end } = error?.range ?? { start: 0, end: text.length }
  const message = plainMessage(error?.summary ?? 'The expression cannot be read')
  return { message, start: Math.min(start, text.length), end: Math.min(end, text.length) }
}

/** Messages of the library that people meet often, in words that need no knowledge of the language. */
const MESSAGES: readonly [RegExp, (...found: string[]) => string][] = [
  [/^Unexpected token: EOF$/, () => 'The expression is incomplete'],
  [/^Unexpected token: (.+)$/, (token) => `"${token}" is not expected here`],
  [
    /^Unexpected character: =$/,
    () => 'A single "=" is not a comparison: write "==" to compare, or "&&" for "and"',
  ],
  [
    /^Unexpected character: (.+)$/,
    (found) => `${found} is not expected here: conditions are joined by "&&" or "||"`,
  ],
  [/^No such key: (.+)$/, (name) => `There is no fact "${name}" here`],
  [/^Unknown variable: (.+)$/, (name) => `There is no fact "${name}"`],
  [
    /^Exceeded maxDepth.*$/,
    () => `The expression is nested more than ${LIMITS.maxDepth} levels deep`,
  ],
  [
    /^Exceeded maxAstNodes.*$/,
    () => `The expression has more than ${LIMITS.maxAstNodes} parts: divide it into several rules`,
  ],
  [
    /^Exceeded maxListElements.*$/,
    () => `A list has more than ${LIST_MAX} values: use the lists of the organization`,
  ],
  [/^Exceeded maxMapEntries.*$/, () => 'Maps are not available in rules'],
]

const TYPE_NAMES = /Facts_(\w+)/g

function plainMessage(summary: string): string {
  for (const [pattern, text] of MESSAGES) {
    const found = pattern.exec(summary)
    if (found) return text(...found.slice(1))
  }
  return summary.replace(TYPE_NAMES, '$1')
}
