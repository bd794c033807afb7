/** JSON as text that people edit: written in one order, and read with the places of what is wrong. */
import { type Node, type ParseError, type ParseErrorCode, parseTree } from 'jsonc-parser'

/** @property line from 1 */
export type TextFault = { line: number; column: number; offset: number; message: string }

export type ParsedJson = {
  faults: TextFault[]
  /** Set when there are no faults. */
  value: Record<string, unknown> | undefined
}

/** Members by their names, so that two texts differ only where their values do. */
export const jsonText = (value: unknown): string => JSON.stringify(sorted(value), null, 2)

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

export function parseJson(text: string): ParsedJson {
  const errors: ParseError[] = []
  const linesOf = placesIn(text)
  if (isDeep(text)) return { faults: [{ ...linesOf(0), message: TOO_DEEP }], value: undefined }
  const tree = parseTree(text, errors, STRICT)
  const faults = errors.map(({ error, offset }) => ({
    ...linesOf(offset),
    message: MESSAGES[error] ?? 'This is not JSON.',
  }))
  if (faults.length === 0 && tree && tree.type !== 'object') {
    faults.push({ ...linesOf(tree.offset), message: 'A policy is an object: { … }.' })
  }
  if (faults.length === 0 && tree) faults.push(...changedOnTheWay(tree, text, linesOf))
  const value = faults.length === 0 ? (JSON.parse(text) as Record<string, unknown>) : undefined
  return { faults, value }
}

/**
 * Where a member is that the service names, such as `policy_json.applications.0.packageName`; of one
 * that is missing, where it would have to be.
 */
export function placeOf(text: string, field: string): Omit<TextFault, 'message'> {
  const linesOf = placesIn(text)
  const tree = isDeep(text) ? undefined : parseTree(text, [], STRICT)
  const path = field === 'policy_json' ? '' : field.replace(/^policy_json\./, '')
  return linesOf(tree ? nodeAt(tree, path).offset : 0)
}

/** Names of members may have dots: the longest that fits is taken. */
function nodeAt(node: Node, path: string): Node {
  if (path === '') return node
  if (node.type === 'array') {
    const [index = '', ...rest] = path.split('.')
    const child = node.children?.[Number(index)]
    return child ? nodeAt(child, rest.join('.')) : node
  }
  const fitting = (node.children ?? [])
    .filter(({ children }) => isBegin(path, nameOf(children)))
    .toSorted((a, b) => nameOf(b.children).length - nameOf(a.children).length)
  const [property] = fitting
  const [name, value] = property?.children ?? []
  if (!property || !name) return node
  const rest = path.slice(nameOf(property.children).length + 1)
  return rest === '' || !value ? name : nodeAt(value, rest)
}

const nameOf = (children: readonly Node[] | undefined): string => String(children?.[0]?.value ?? '')
const isBegin = (path: string, name: string): boolean =>
  path === name || path.startsWith(`${name}.`)

type Places = (offset: number) => { line: number; column: number; offset: number }

function placesIn(text: string): Places {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, offset }
  }
}

/** What JSON allows and would not arrive as it was written: hardly what somebody means. */
function changedOnTheWay(node: Node, text: string, linesOf: Places): TextFault[] {
  const names = new Set<string>()
  const faults: TextFault[] = []
  const written = text.slice(node.offset, node.offset + node.length)
  if (node.type === 'number' && !isExact(written)) {
    faults.push({ ...linesOf(node.offset), message: INEXACT })
  }
  for (const child of node.children ?? []) {
    if (node.type === 'object') {
      const name = nameOf(child.children)
      const at = child.children?.[0]?.offset ?? child.offset
      // The last one would count.
      if (names.has(name)) faults.push({ ...linesOf(at), message: `${name} is there twice.` })
      if (name === PROTOTYPE) faults.push({ ...linesOf(at), message: NO_PROTOTYPE })
      names.add(name)
    }
    for (const fault of changedOnTheWay(child, text, linesOf)) faults.push(fault)
  }
  return faults
}

function isExact(written: string): boolean {
  const value = Number(written)
  if (!Number.isFinite(value)) return false
  return !/^-?\d+$/.test(written) || BigInt(written) === BigInt(value)
}

const INEXACT = 'This number cannot be kept exactly; write it as a text.'
const PROTOTYPE = '__proto__'
const NO_PROTOTYPE = `The service takes no member of the name ${PROTOTYPE}.`
const TOO_DEEP = 'This is nested too deeply.'
/** No policy has a tenth of it, and whatever reads trees calls itself that often. */
const DEPTH_MAX = 200

/** Judged before anything is read, of what may be no JSON. Brackets in texts are none. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > DEPTH_MAX) return true
  }
  return false
}

/** By `ParseErrorCode`, which is a constant enumeration of the parser. */
const MESSAGES: Readonly<Partial<Record<ParseErrorCode, string>>> = {
  1: 'This is no value of JSON.',
  2: 'This is no number of JSON.',
  3: 'The name of a member is expected here, in double quotes.',
  4: 'A value is expected here.',
  5: 'A colon is expected here.',
  6: 'A comma is expected here.',
  7: 'A closing brace } is expected here.',
  8: 'A closing bracket ] is expected here.',
  9: 'The object has ended before this.',
  10: 'JSON has no comments.',
  11: 'A comment does not end, and JSON has none.',
  12: 'A text does not end: a double quote is missing.',
  13: 'A number does not end.',
  14: 'This is no character of Unicode.',
  15: 'This is no escape of JSON.',
  16: 'This character has to be written as an escape.',
}
