/** JSON for editing: formatted with sorted properties, and parsed with the positions of errors. */
import { type Node, type ParseError, type ParseErrorCode, parseTree } from 'jsonc-parser'

/** @property line from 1 */
export type TextFault = { line: number; column: number; offset: number; message: string }

export type ParsedJson = {
  faults: TextFault[]
  /** Undefined if there are faults. */
  value: Record<string, unknown> | undefined
}

/** Sorted by property name, so that two texts differ only where their values differ. */
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
    message: MESSAGES[error] ?? 'This is not valid JSON.',
  }))
  if (faults.length === 0 && tree && tree.type !== 'object') {
    faults.push({ ...linesOf(tree.offset), message: 'A policy must be an object: { … }.' })
  }
  if (faults.length === 0 && tree) faults.push(...lossyValues(tree, text, linesOf))
  const value = faults.length === 0 ? (JSON.parse(text) as Record<string, unknown>) : undefined
  return { faults, value }
}

/**
 * The position of a property that the service names, such as `policy_json.applications.0.packageName`.
 * For a missing property, the position of its parent.
 */
export function placeOf(text: string, field: string): Omit<TextFault, 'message'> {
  const linesOf = placesIn(text)
  const tree = isDeep(text) ? undefined : parseTree(text, [], STRICT)
  const path = field === 'policy_json' ? '' : field.replace(/^policy_json\./, '')
  return linesOf(tree ? nodeAt(tree, path).offset : 0)
}

/** Property names can contain dots, so the longest matching name wins. */
function nodeAt(node: Node, path: string): Node {
  if (path === '') return node
  if (node.type === 'array') {
    const [index = '', ...rest] = path.split('.')
    const child = node.children?.[Number(index)]
    return child ? nodeAt(child, rest.join('.')) : node
  }
  const matching = (node.children ?? [])
    .filter(({ children }) => isPrefix(path, nameOf(children)))
    .toSorted((a, b) => nameOf(b.children).length - nameOf(a.children).length)
  const [property] = matching
  const [name, value] = property?.children ?? []
  if (!property || !name) return node
  const rest = path.slice(nameOf(property.children).length + 1)
  return rest === '' || !value ? name : nodeAt(value, rest)
}

const nameOf = (children: readonly Node[] | undefined): string => String(children?.[0]?.value ?? '')
const isPrefix = (path: string, name: string): boolean =>
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

/** Valid JSON that the service would not receive as written. */
function lossyValues(node: Node, text: string, linesOf: Places): TextFault[] {
  const names = new Set<string>()
  const faults: TextFault[] = []
  const source = text.slice(node.offset, node.offset + node.length)
  if (node.type === 'number' && !isExact(source)) {
    faults.push({ ...linesOf(node.offset), message: INEXACT })
  }
  for (const child of node.children ?? []) {
    if (node.type === 'object') {
      const name = nameOf(child.children)
      const at = child.children?.[0]?.offset ?? child.offset
      // JSON parsers use the last one.
      if (names.has(name)) faults.push({ ...linesOf(at), message: `Duplicate property: ${name}.` })
      if (name === PROTOTYPE) faults.push({ ...linesOf(at), message: NO_PROTOTYPE })
      names.add(name)
    }
    for (const fault of lossyValues(child, text, linesOf)) faults.push(fault)
  }
  return faults
}

function isExact(source: string): boolean {
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  return !/^-?\d+$/.test(source) || BigInt(source) === BigInt(value)
}

const INEXACT = 'This number cannot be represented exactly. Write it as a string.'
const PROTOTYPE = '__proto__'
const NO_PROTOTYPE = `The property name ${PROTOTYPE} is not allowed.`
const TOO_DEEP = 'This is nested too deeply.'
/** No policy comes near this depth. It limits the recursion of everything that walks the tree. */
const DEPTH_MAX = 200

/** Checked before parsing. Brackets in strings do not count. */
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
  1: 'This is not a JSON value.',
  2: 'This is not a JSON number.',
  3: 'Expected a property name in double quotes.',
  4: 'Expected a value.',
  5: 'Expected a colon.',
  6: 'Expected a comma.',
  7: 'Expected a closing brace }.',
  8: 'Expected a closing bracket ].',
  9: 'Unexpected text after the end of the object.',
  10: 'JSON does not allow comments.',
  11: 'JSON does not allow comments, and this one does not end.',
  12: 'This string does not end: a double quote is missing.',
  13: 'This number is incomplete.',
  14: 'This is not a Unicode character.',
  15: 'This is not a JSON escape sequence.',
  16: 'This character must be escaped.',
}
