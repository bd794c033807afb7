/**
 * Limits what an expression may cost, by its syntax tree alone: only known operators and functions, no
 * regular expressions, no macro within another, and a limited number of steps.
 */
import type { ExpressionFault } from './facts.ts'

/** Steps of an expression; those inside of a macro count once for every element it may visit. */
const STEPS_MAX = 5000

const OPERATORS: ReadonlySet<string> = new Set(
  '&& || !_ -_ == != < <= > >= + - * / % in ?: . [] list value id'.split(' '),
)
const FUNCTIONS: ReadonlySet<string> = new Set(
  'size startsWith endsWith contains lowerAscii upperAscii trim int double has'.split(' '),
)
const MACROS: ReadonlySet<string> = new Set('exists exists_one all filter map'.split(' '))

/** A node of the syntax tree, as the library builds it. */
type Node = { op: string; args: unknown; start: number; end: number }

/** @param list_max elements that a macro visits at most */
export function costFault(root: Node, list_max: number): ExpressionFault | undefined {
  let steps = 0
  const visit = (node: Node, times: number): ExpressionFault | undefined => {
    steps += times
    if (steps > STEPS_MAX) {
      return at(
        root,
        'The expression takes too many steps: shorten what is inside of exists or all',
      )
    }
    const name = calledBy(node)
    const refused = name === undefined ? operatorFault(node) : functionFault(node, name, times > 1)
    if (refused) return refused
    const inside = name !== undefined && MACROS.has(name) ? list_max : times
    for (const child of childrenOf(node.args)) {
      const fault = visit(child, inside)
      if (fault) return fault
    }
    return undefined
  }
  return visit(root, 1)
}

const calledBy = ({ op, args }: Node): string | undefined =>
  (op === 'call' || op === 'rcall') && Array.isArray(args) ? String(args[0]) : undefined

function operatorFault(node: Node): ExpressionFault | undefined {
  if (node.op === 'in' && isOfSent((node.args as Node[])[1])) {
    return at(node, 'Compare the value with "", which it is if it was not sent, instead of "in"')
  }
  if (!OPERATORS.has(node.op)) return at(node, `"${node.op}" is not available in rules`)
  const isBytes = node.op === 'value' && typeof node.args === 'object' && node.args !== null
  return isBytes
    ? at(node, 'Only texts, numbers, true and false are available in rules')
    : undefined
}

function functionFault(node: Node, name: string, isInMacro: boolean): ExpressionFault | undefined {
  if (name === 'matches') {
    return at(
      node,
      'Regular expressions are not available: use startsWith, endsWith, contains or ==',
    )
  }
  if (MACROS.has(name)) {
    return isInMacro ? at(node, `"${name}" cannot be used inside of another one`) : undefined
  }
  return FUNCTIONS.has(name) ? undefined : at(node, `"${name}" is not available in rules`)
}

/** Every name is in `sent.metadata`, because a value that was not sent is empty. */
const isOfSent = (node: Node | undefined): boolean =>
  node?.op === '.' && (node.args as [{ args: unknown }, string])[0].args === 'sent'

const at = ({ start, end }: Node, message: string): ExpressionFault => ({ message, start, end })

/** Nodes are nested in arrays of arguments, next to names. */
function* childrenOf(args: unknown): Generator<Node> {
  if (Array.isArray(args)) for (const one of args) yield* childrenOf(one)
  else if (typeof args === 'object' && args !== null && 'op' in args) yield args as Node
}
