/** A log query as a condition on rows of `edge_logs`, all values in parameters. */
import { dataPart, dataTokens } from './data-tokens.ts'
import { withParticles } from './korean.ts'
import { type Bounds, boundsOf, hourOf } from './time.ts'
import {
  type Condition,
  type DataPath,
  dataKeys,
  type Glob,
  longDigits,
  type Node,
  type Text,
  type WordPart,
} from './tree.ts'

/** As in the Bloom filter of the table. */
const DATA_WORDS = 'lower(data)'

export type Compilation = {
  /** Adds a parameter and returns its placeholder. */
  put(type: string, value: unknown): string
  /** What times relative to now refer to; required if there are any. */
  now_ms: number | undefined
}
type Put = Compilation['put']

/** Must be spelled exactly as in the text index of the table, or ClickHouse does not use the index. */
export const SEARCHED = 'lower(if(empty(words), message, words))'

export function sqlOf(node: Node, to: Compilation): string {
  if (node.kind === 'not') return `not (${sqlOf(node.node, to)})`
  if (node.kind === 'and') return `(${allSql(node.nodes, to)})`
  if (node.kind === 'or') return `(${node.nodes.map((each) => sqlOf(each, to)).join(' or ')})`
  return `(${conditionSql(node, to)})`
}

/** Words that must all occur are one look-up in the index. */
function allSql(nodes: readonly Node[], to: Compilation): string {
  const plain: Text[] = []
  const others: Node[] = []
  for (const node of nodes) {
    if (node.kind === 'text' && node.texts.length === 1) plain.push(node.texts[0])
    else others.push(node)
  }
  const together = {
    words: [...new Set(plain.flatMap(({ words }) => words))],
    phrases: plain.flatMap(({ phrases }) => phrases),
    parts: plain.flatMap(({ parts }) => parts),
  }
  const conditions = others.map((each) => sqlOf(each, to))
  return (plain.length > 0 ? [textSql(together, to.put), ...conditions] : conditions).join(' and ')
}

function conditionSql(condition: Condition, { put, now_ms }: Compilation): string {
  switch (condition.kind) {
    case 'text':
      return condition.texts.map((text) => `(${textSql(text, put)})`).join(' or ')
    case 'level':
      return `level in ${put('Array(String)', condition.levels)}`
    case 'value': {
      const { field, glob } = condition
      if (field === 'tags') return `arrayExists(tag -> ${globSql('tag', glob, put)}, tags)`
      return globSql(field, glob, put)
    }
    case 'part':
      return globSql(condition.field, condition.glob, put)
    case 'has':
      return `notEmpty(${condition.field})`
    case 'data':
    case 'data-compared':
    case 'data-has':
      return dataKeys(condition.path)
        .map((keys) => dataSql(condition, keys, put))
        .join(' or ')
    case 'time':
      if (now_ms === undefined) throw new Error('A query with a time needs now_ms')
      return timeSql(boundsOf(condition, now_ms), put)
  }
}

/** Whole hours are in the key and in the roll-ups; the exact time is only compared where it matters. */
function timeSql({ from_ms, until_ms }: Bounds, put: Put): string {
  const conditions: string[] = []
  if (from_ms !== undefined) {
    conditions.push(`hour_ms >= ${put('Int64', hourOf(from_ms))}`)
    if (hourOf(from_ms) !== from_ms) conditions.push(`timestamp_ms >= ${put('Int64', from_ms)}`)
  }
  if (until_ms !== undefined) {
    conditions.push(`hour_ms <= ${put('Int64', hourOf(until_ms))}`)
    const isWhole = hourOf(until_ms + 1) === until_ms + 1
    if (!isWhole) conditions.push(`timestamp_ms <= ${put('Int64', until_ms)}`)
  }
  return conditions.join(' and ')
}

function textSql({ words, phrases, parts }: Text, put: Put): string {
  const conditions = phrases.map(
    (phrase) => `hasPhrase(${SEARCHED}, ${put('String', phrase.join(' '))})`,
  )
  const korean = words.map((word) => [word, ...withParticles(word)]).filter(hasSeveral)
  for (const forms of korean) {
    conditions.unshift(`hasAnyTokens(${SEARCHED}, ${put('Array(String)', forms)})`)
  }
  const plain = words.filter((word) => !korean.some(([first]) => first === word))
  if (plain.length > 0) {
    conditions.unshift(`hasAllTokens(${SEARCHED}, ${put('Array(String)', plain)})`)
  }
  return [...conditions, ...parts.map((part) => partSql(part, put))].join(' and ')
}

const hasSeveral = ({ length }: readonly string[]): boolean => length > 1

/** A part has no character that separates words, so it occurs in the text if it occurs in a word. */
function partSql({ at, text }: WordPart, put: Put): string {
  const occurs = `${SEARCHED} like ${put('String', `%${text}%`)}`
  if (at === 'anywhere') return occurs
  const test = at === 'start' ? 'startsWith' : 'endsWith'
  return `${occurs} and arrayExists(word -> ${test}(word, ${put('String', text)}), tokens(${SEARCHED}, 'splitByNonAlpha'))`
}

function globSql(column: string, glob: Glob, put: Put): string {
  if (glob.length === 1) return `lower(${column}) = ${put('String', glob[0])}`
  return `lower(${column}) like ${put('String', glob.map(escaped).join('%'))}`
}

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

const NUMBERS = "('Int64', 'UInt64', 'Double')"

type DataCondition = Extract<Condition, { path: DataPath }>

function dataSql(condition: DataCondition, keys: readonly string[], put: Put): string {
  const at = ['data', ...keys.map((key) => put('String', key))].join(', ')
  const type = `JSONType(${at})`
  const part = dataPart(condition)
  // Most entries do not have the member or the value, and their data needs no parsing.
  const isThere = [
    ...(part === undefined ? [] : [`${DATA_WORDS} like ${put('String', `%${escaped(part)}%`)}`]),
    ...dataTokens(condition, keys).map(
      (token) => `hasToken(${DATA_WORDS}, ${put('String', token)})`,
    ),
    `position(data, ${put('String', JSON.stringify(keys[0]))}) > 0`,
  ].join(' and ')
  if (condition.kind === 'data-has') return `(${isThere} and ${type} != 'Null')`
  if (condition.kind === 'data-compared') {
    const { comparison, number } = condition
    const value = `JSONExtractFloat(${at}) ${comparison} ${put('Float64', number)}`
    return `(${isThere} and ${type} in ${NUMBERS} and ${value})`
  }
  const { glob, literal } = condition
  const values = [`(${type} = 'String' and ${globSql(`JSONExtractString(${at})`, glob, put)})`]
  if (typeof literal === 'boolean') {
    values.push(`(${type} = 'Bool' and JSONExtractBool(${at}) = ${put('Bool', literal)})`)
  }
  if (typeof literal === 'number') {
    const digits = longDigits(glob)
    const exact = digits === undefined ? '' : ` and position(data, ${put('String', digits)}) > 0`
    const value = `JSONExtractFloat(${at}) = ${put('Float64', literal)}`
    values.push(`(${type} in ${NUMBERS} and ${value}${exact})`)
  }
  return `(${isThere} and (${values.join(' or ')}))`
}
