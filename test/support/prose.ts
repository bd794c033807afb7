/** The English in the source: comments, and string literals that people read. */
import { type Node, parseSync } from 'oxc-parser'

export type Prose = {
  /** File and line: `src/app/index.ts:12`. */
  place: string
  text: string
}

export function commentsIn(path: string, text: string): Prose[] {
  const lineOf = lineNumbers(text)
  return parseSync(path, text).comments.map(({ value, start }) => ({
    place: `${path}:${lineOf(start)}`,
    // The stars at the beginning of lines are not part of the sentences.
    text: value.replaceAll(/\n\s*\* ?/g, ' ').trim(),
  }))
}

/** String literals, template literals and JSX text with more than one word. SQL and imports are left out. */
export function sentencesIn(path: string, text: string): Prose[] {
  const lineOf = lineNumbers(text)
  const found: Prose[] = []
  const visit = (node: Node): void => {
    if (isCode(node)) return
    const sentence = sentenceOf(node)
    if (sentence !== undefined && /\p{L}\s+\p{L}/u.test(sentence)) {
      found.push({ place: `${path}:${lineOf(node.start)}`, text: sentence })
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visit(child)
      }
    }
  }
  visit(parseSync(path, text).program)
  return found
}

function sentenceOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'JSXText') return node.value
  if (node.type === 'TemplateElement') return node.value.cooked ?? node.value.raw
  return undefined
}

/** Statements of SQL are tagged with `sql` or a method of it. */
function isCode(node: Node): boolean {
  if (node.type === 'ImportDeclaration') return true
  if (node.type !== 'TaggedTemplateExpression') return false
  const { tag } = node
  const object = tag.type === 'MemberExpression' ? tag.object : tag
  return object.type === 'Identifier' && object.name === 'sql'
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function lineNumbers(text: string): (offset: number) => number {
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index)
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}
