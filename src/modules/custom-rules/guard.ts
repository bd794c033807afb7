/**
 * A fast test in front of an expression. Most rules do not match, because a plain comparison in them is
 * false, and comparing takes a tenth of the time of evaluating the whole expression. Conditions joined by
 * && are false as soon as one of them is, so the result stays the same.
 */
import type { RuleFacts } from './facts.ts'

/**
 * Under this name, facts have their values with whole numbers as numbers, because comparing bigints takes several times as
 * long. Numbers that would not be exact stay bigints.
 */
export const PLAIN = Symbol('plain')

export const plainOf = (value: unknown): unknown =>
  typeof value === 'bigint' && value >= SAFE_MIN && value <= SAFE_MAX ? Number(value) : value

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER)
const SAFE_MIN = BigInt(Number.MIN_SAFE_INTEGER)

type Test = (facts: RuleFacts) => boolean
type Scalar = bigint | number | string | boolean
type Operand = (facts: RuleFacts) => unknown

export type Guard = {
  /** False when the expression is false. It throws when only the whole expression shows what it is. */
  test: Test
  /** Whether the test is the whole expression. */
  is_whole: boolean
}

type Node = { op: string; args: unknown }

/** @param root syntax tree of a checked expression, so that the types of operands agree */
export function guardOf(root: Node): Guard {
  const conditions = conjuncts(root)
  const tests = conditions.flatMap((condition) => testOf(condition) ?? [])
  return {
    test: allOf(tests),
    is_whole: tests.length === conditions.length,
  }
}

function allOf(tests: readonly Test[]): Test {
  const [first, second, ...more] = tests
  if (!first) return () => true
  if (!second) return first
  if (more.length === 0) return (facts) => first(facts) && second(facts)
  const rest = allOf([second, ...more])
  return (facts) => first(facts) && rest(facts)
}

function conjuncts(node: Node): Node[] {
  if (node.op !== '&&') return [node]
  const [left, right] = pairOf(node)
  return [...conjuncts(left), ...conjuncts(right)]
}

/** @returns undefined for anything but comparisons of facts, texts and numbers */
function testOf(node: Node): Test | undefined {
  const { op } = node
  if (op === '!_') return negated(testOf(node.args as Node))
  if (op === '||' || op === '&&') {
    const [left, right] = pairOf(node).map(testOf)
    if (!left || !right) return undefined
    return op === '||'
      ? (facts) => left(facts) || right(facts)
      : (facts) => left(facts) && right(facts)
  }
  if (op === 'in') return membership(node)
  const compare = COMPARISONS[op]
  if (compare) {
    const [left, right] = pairOf(node).map(operandOf)
    return left && right && ((facts) => compare(left(facts) as Scalar, right(facts) as Scalar))
  }
  const fact = operandOf(node)
  return fact && ((facts) => fact(facts) === true)
}

const negated = (test: Test | undefined): Test | undefined => test && ((facts) => !test(facts))

const COMPARISONS: Readonly<Record<string, (a: Scalar, b: Scalar) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function membership(node: Node): Test | undefined {
  const [element, list] = pairOf(node)
  const left = operandOf(element)
  if (!left) return undefined
  if (list.op === 'list' && Array.isArray(list.args)) {
    const members = list.args as Node[]
    if (!members.every(({ op }) => op === 'value')) return undefined
    const values = new Set(members.map(({ args }) => plainOf(args)))
    return (facts) => values.has(left(facts))
  }
  const right = operandOf(list)
  return right && ((facts) => (right(facts) as readonly unknown[]).includes(left(facts)))
}

function operandOf(node: Node): Operand | undefined {
  const { op, args } = node
  if (op === 'value') {
    const value = plainOf(args)
    return () => value
  }
  const calculate = ARITHMETIC[op]
  if (calculate) {
    const [left, right] = pairOf(node).map(operandOf)
    return left && right && ((facts) => calculated(calculate, left(facts), right(facts)))
  }
  if (op === 'call' && Array.isArray(args) && args[0] === 'size') {
    const [list] = args[1] as Node[]
    const fact = list && factOf(list)
    return fact && ((facts) => sizeOf(fact(facts)))
  }
  return factOf(node)
}

type Calculate = (a: number, b: number) => number
const ARITHMETIC: Readonly<Record<string, Calculate>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
}

/** @throws Error for anything but two numbers, and for whole numbers that are not exact */
function calculated(calculate: Calculate, a: unknown, b: unknown): number {
  if (typeof a !== 'number' || typeof b !== 'number') throw new Error('no numbers')
  const result = calculate(a, b)
  if (Number.isInteger(a) && Number.isInteger(b) && !Number.isSafeInteger(result)) {
    throw new Error('not exact')
  }
  return result
}

/** A text has another size in the expression than in JavaScript. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length
  return value instanceof Map ? value.size : (value as readonly unknown[]).length
}

function factOf({ op, args }: Node): Operand | undefined {
  if (op !== '.' || !Array.isArray(args)) return undefined
  const [of, name] = args as [Node, string]
  if (of.op !== 'id') return undefined
  const group = String(of.args)
  return (facts) =>
    (facts[group] as { readonly [PLAIN]: Readonly<Record<string, unknown>> })[PLAIN][name]
}

const pairOf = ({ args }: Node): [Node, Node] => args as [Node, Node]
