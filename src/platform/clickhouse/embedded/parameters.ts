/**
 * Query parameters as a ClickHouse server accepts them: `{name:Type}` in the SQL, `param_name` in the
 * URL. chDB stores parameters per process, so concurrent queries would see each other's values.
 * Therefore the values are inserted into the SQL as literals that are cast to their type.
 */
import { CODE } from '../errors.ts'
import { nameLiteral, piecesOf, textLiteral } from '../sql-text.ts'
import { RequestFault } from './request-fault.ts'

/** A name, a colon and a type in braces; quoted texts in the type can contain any character. */
const PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:\s*([A-Za-z](?:[^{}'"`]|'(?:[^'\\]|\\.)*')*?)\s*\}/y
/** Types whose values are not escaped as a whole, but only the texts within them. */
const COMPOSITE = /^(?:Array|Tuple|Map|Nested|Variant|JSON|Object)\b/
const WRAPPED = /^(?:LowCardinality|Nullable)\s*\(\s*(.*?)\s*\)$/s
const NULLABLE = /^(?:LowCardinality\s*\(\s*)?Nullable\s*\(/
const TIME = /^Date(?:Time)?(?:32|64)?\b/
/** A cast accepts more than a server does in a parameter, for example a time zone. */
const TIME_VALUE = /^[\dT .:-]*$/
const BAD_PARAMETER = 457

/**
 * @param parameters values from the URL, URL-decoded, in tab-separated escaping
 * @throws RequestFault if one is missing
 */
export function withParameters(sql: string, parameters: ReadonlyMap<string, string>): string {
  if (!sql.includes('{')) return sql
  let result = ''
  let copied = 0
  let at = 0
  for (const { kind, text } of piecesOf(sql)) {
    for (const { index } of kind === 'code' ? text.matchAll(/\{/g) : []) {
      const start = at + index
      // A type that contains a quoted text spans several pieces.
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

/** A backslash before one of these characters is dropped; before any other it is kept. */
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
