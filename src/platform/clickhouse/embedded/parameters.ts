/**
 * Parameters of a query, as a ClickHouse server takes them: `{name:Type}` in the SQL, `param_name`
 * in the address. The engine's own way keeps them for the whole process, where queries that run
 * side by side get each other's; so here the values become part of the text, as literals that are
 * cast to their type.
 */
import { CODE } from '../errors.ts'
import { nameLiteral, piecesOf, textLiteral } from '../sql-text.ts'
import { RequestFault } from './fault.ts'

/** What `{` may begin: a name, a colon, a type (in which texts may hold anything). */
const PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:\s*([A-Za-z](?:[^{}'"`]|'(?:[^'\\]|\\.)*')*?)\s*\}/y
/** Types whose values come as their own text, in which only the texts inside are escaped. */
const COMPOSITE = /^(?:Array|Tuple|Map|Nested|Variant|JSON|Object)\b/
const WRAPPED = /^(?:LowCardinality|Nullable)\s*\(\s*(.*?)\s*\)$/s
const NULLABLE = /^(?:LowCardinality\s*\(\s*)?Nullable\s*\(/
const TIME = /^Date(?:Time)?(?:32|64)?\b/
/** A cast would take more (a zone after the time) than a server takes from a parameter. */
const TIME_VALUE = /^[\dT .:-]*$/
const BAD_PARAMETER = 457

/**
 * @param parameters values as they came in the address (tab-separated form, decoded from URL form)
 * @throws RequestFault when one is missing
 */
export function withParameters(sql: string, parameters: ReadonlyMap<string, string>): string {
  if (!sql.includes('{')) return sql
  let result = ''
  let copied = 0
  let at = 0
  for (const { kind, text } of piecesOf(sql)) {
    for (const { index } of kind === 'code' ? text.matchAll(/\{/g) : []) {
      const start = at + index
      // A type with a text in it reaches over several pieces.
      const found = start < copied ? null : placeholderAt(sql, start)
      if (!found) continue
      const [all, name = '', type = ''] = found
      result += sql.slice(copied, start) + literal(name, type, parameters.get(name))
      copied = start + all.length
    }
    at += text.length
  }
  return result + sql.slice(copied)
}

function placeholderAt(sql: string, at: number): RegExpExecArray | null {
  PLACEHOLDER.lastIndex = at
  return PLACEHOLDER.exec(sql)
}

function literal(name: string, type: string, value: string | undefined): string {
  if (value === undefined) {
    throw new RequestFault(CODE.unknown_parameter, `Substitution \`${name}\` is not set.`)
  }
  if (type === 'Identifier') return nameLiteral(value)
  if (NULLABLE.test(type) && value === '\\N') return `CAST(NULL AS ${type})`
  const base = baseType(type)
  const plain = COMPOSITE.test(base) ? value : unescapeTabSeparated(value)
  if (TIME.test(base) && !TIME_VALUE.test(plain)) {
    const message = `Value ${plain} cannot be parsed as ${type} for query parameter '${name}'`
    throw new RequestFault(BAD_PARAMETER, message)
  }
  return `CAST(${textLiteral(plain)} AS ${type})`
}

function baseType(type: string): string {
  const inner = WRAPPED.exec(type)?.[1]
  return inner === undefined ? type : baseType(inner)
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  r: '\r',
  n: '\n',
  t: '\t',
  '0': '\0',
  a: '\x07',
  v: '\v',
  e: '\x1b',
}

/** A backslash before these says only that they mean themselves; before others it means itself. */
const isPlain = (char: string): boolean => char < ' ' || '\\`"\'/'.includes(char)

/** https://clickhouse.com/docs/interfaces/formats/TabSeparated */
export function unescapeTabSeparated(text: string): string {
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{2})|([\s\S]))/g,
    (all, hex: string | undefined, char: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      if (char === 'N') return ''
      return ESCAPES[char] ?? (isPlain(char) ? char : all)
    },
  )
}
