/**
 * Measures functions without the bodies of nested functions, which are measured separately. A factory
 * is therefore as long as its set-up, without the closures that it returns.
 */
import { type Node, parseSync } from 'oxc-parser'

export type FunctionLength = {
  path: string
  /** Names of the enclosing functions and of this one: `createLane > apply`. */
  name: string
  /** First line. */
  line: number
  /** Number of lines without the bodies of nested functions. */
  lines: number
}

export function functionLengths(path: string, text: string): FunctionLength[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const lineOf = lineNumbers(text)
  const found: FunctionLength[] = []
  measure({ node: program, lineOf, report: (length) => void found.push({ path, ...length }) })
  return found
}

type Measuring = {
  node: Node
  names?: readonly string[]
  /** Name of the surrounding declaration or property, which an anonymous function takes. */
  outerName?: string | undefined
  lineOf: (offset: number) => number
  report: (length: Omit<FunctionLength, 'path'>) => void
}

/** @returns the number of lines in nested function bodies, which do not count for the enclosing function */
function measure({ node, names = [], outerName, lineOf, report }: Measuring): number {
  const isFunction = FUNCTIONS.has(node.type)
  const name = nameIn(node) ?? outerName
  const path = isFunction ? [...names, name ?? 'anonymous'] : names
  let nested = 0
  for (const child of childrenOf(node)) {
    const next = { names: path, outerName: isFunction ? undefined : name, lineOf, report }
    nested += measure({ node: child, ...next })
  }
  if (!isFunction) return nested
  const [first, last] = [lineOf(node.start), lineOf(node.end)]
  report({ name: path.join(' > '), line: first, lines: last - first + 1 - nested })
  const body = 'body' in node && isNode(node.body) ? node.body : node
  const [from, to] = [lineOf(body.start), lineOf(body.end)]
  // The lines with the braces belong to the enclosing function, as does the line of the arrow.
  if (body.type === 'BlockStatement') return Math.max(to - from - 1, 0)
  return to - from + (from > first ? 1 : 0)
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Name of a declaration, a function or a property. */
function nameIn(node: Node): string | undefined {
  const named = 'id' in node ? node.id : 'key' in node ? node.key : undefined
  const hasName = isNode(named) && 'name' in named && typeof named.name === 'string'
  return hasName ? named.name : undefined
}

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

function lineNumbers(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
