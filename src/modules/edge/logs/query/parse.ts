/** Parses the text of a log query. Everything can be parsed that has a word and is not too expensive. */
import { lex, type Token } from './lexer.ts'
import { textCondition } from './term.ts'
import type { Node, Query } from './tree.ts'

export const QUERY_CHARS_MAX = 1024
/** Pattern of a text with a word, for the API document. */
export const HAS_WORD = String.raw`[\p{L}\p{N}]`
/** Each different word counts. */
export const QUERY_TERMS_MAX = 32
/** Each of them reads the data or the stacks of all entries of the time range. */
export const DATA_TERMS_MAX = 8
/** Groups in groups; one in a group of its kind does not count. */
export const QUERY_DEPTH_MAX = 8

/** `problem` is to follow the name of the parameter. */
export function parseQuery(q: string): Query | { problem: string } {
  // Limits of schemas count code points, of which each has up to two code units.
  if (q.length > 2 * QUERY_CHARS_MAX) {
    return { problem: `must not have more than ${QUERY_CHARS_MAX} characters` }
  }
  const { tokens, notes } = lex(q)
  const node = treeOf(withoutDangling(tokens, q))
  if (node === undefined) {
    return { problem: `must contain 1 to ${QUERY_TERMS_MAX} words or conditions` }
  }
  const problem = expenseOf(node)
  return problem === undefined ? { node, notes } : { problem }
}

/** `OR` at the beginning, or `NOT` at the end, are words. */
function withoutDangling(tokens: readonly Token[], q: string): Token[] {
  const settled: Token[] = []
  for (const [index, token] of tokens.entries()) {
    const before = settled.at(-1)?.kind
    const after = tokens[index + 1]?.kind
    const isBefore = before === 'term' || before === 'close'
    const isAfter = after === 'term' || after === 'open' || after === 'not'
    const { kind, start, end } = token
    const isDangling =
      kind === 'not' ? !isAfter : (kind === 'and' || kind === 'or') && !(isBefore && isAfter)
    const word = isDangling ? textCondition(q.slice(start, end), false) : undefined
    const place = { start, end }
    settled.push(word ? { kind: 'term', term: { ...word, ...place }, ...place } : token)
  }
  return settled
}

/** `a b OR NOT c` is `(a AND b) OR (NOT c)`. */
function treeOf(tokens: readonly Token[]): Node | undefined {
  let at = 0
  const either = (): Node | undefined => {
    const nodes = [all()]
    while (tokens[at]?.kind === 'or') {
      at += 1
      nodes.push(all())
    }
    return joined('or', nodes)
  }
  const all = (): Node | undefined => {
    const nodes: (Node | undefined)[] = []
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      if (token.kind === 'or' || token.kind === 'close') break
      at += 1
      if (token.kind !== 'and') nodes.push(one(token))
    }
    return joined('and', nodes)
  }
  const one = (token: Token): Node | undefined => {
    if (token.kind === 'term') return token.term
    if (token.kind === 'not') {
      const next = tokens[at]
      at += 1
      return negated(next && one(next))
    }
    const node = either()
    if (tokens[at]?.kind === 'close') at += 1
    return node
  }
  return either()
}

const negated = (node: Node | undefined): Node | undefined => {
  if (node === undefined) return undefined
  return node.kind === 'not' ? node.node : { kind: 'not', node }
}

function joined(kind: 'and' | 'or', parts: readonly (Node | undefined)[]): Node | undefined {
  const nodes = parts.flatMap((part): readonly Node[] => {
    if (part === undefined) return []
    return part.kind === kind ? part.nodes : [part]
  })
  return nodes.length > 1 ? { kind, nodes } : nodes[0]
}

function expenseOf(root: Node): string | undefined {
  const terms = new Set<string>()
  const data = new Set<string>()
  const depthOf = (node: Node): number => {
    if (node.kind === 'not') return depthOf(node.node)
    if (node.kind === 'and' || node.kind === 'or') return 1 + Math.max(...node.nodes.map(depthOf))
    if (node.kind === 'text') {
      const [{ words, parts }] = node.texts
      for (const term of [...words, ...parts.map((part) => JSON.stringify(part))]) terms.add(term)
      return 0
    }
    const { start: _start, end: _end, ...condition } = node
    const key = JSON.stringify(condition)
    terms.add(key)
    if (node.kind === 'part' || node.kind.startsWith('data')) data.add(key)
    return 0
  }
  const depth = depthOf(root)
  if (terms.size > QUERY_TERMS_MAX) {
    return `must contain 1 to ${QUERY_TERMS_MAX} words or conditions`
  }
  if (data.size > DATA_TERMS_MAX) {
    return `must not have more than ${DATA_TERMS_MAX} conditions on data and stacks`
  }
  if (depth > QUERY_DEPTH_MAX) {
    return `must not have more than ${QUERY_DEPTH_MAX} groups in each other`
  }
  return undefined
}
