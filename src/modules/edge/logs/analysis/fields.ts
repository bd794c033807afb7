/** Fields of a log entry as expressions on rows of `edge_logs`. */
import { sqlOf } from '../query/conditions.ts'
import { textFieldOf } from '../query/term.ts'
import { dataKeys } from '../query/tree.ts'

/** Adds a parameter and returns its placeholder. */
export type Put = (type: string, value: unknown) => string

const DATA = 'data.'
/** Longer values of `data` are cut off, because they would not be read in a table. */
const VALUE_CHARS = 256

/** The path in `data`, if the field is a member of it. */
export const dataPathOf = (field: string): string | undefined =>
  field.startsWith(DATA) && field.length > DATA.length ? field.slice(DATA.length) : undefined

/** @returns the value of a field as a text, empty if there is none; undefined for an unknown field */
export function fieldExpression(field: string, put: Put): string | undefined {
  if (field === 'level') return 'level'
  const column = textFieldOf(field)
  if (column === 'tags') return `arrayJoin(if(empty(tags), [''], tags))`
  if (column !== undefined) return column
  const path = dataPathOf(field)
  if (path === undefined) return undefined
  const [first = '', second] = memberTexts(path, put)
  const value = second === undefined ? first : `if(empty(${first}), ${second}, ${first})`
  return `leftUTF8(${value}, ${VALUE_CHARS})`
}

/** @returns a number in `data`, null if the log does not have one */
export function numberExpression(path: string, put: Put): string {
  const values = placesOf(path, put).map(
    (at) =>
      `if(JSONType(${at}) in ('Int64', 'UInt64', 'Double'), JSONExtractFloat(${at}), cast(null as Nullable(Float64)))`,
  )
  return `coalesce(${values.join(', ')})`
}

/** A condition that skips logs without a member of data, most of them by the index. */
export const hasMember = (path: string, put: Put): string =>
  sqlOf({ kind: 'data-has', path, start: 0, end: 0 }, { put, now_ms: undefined })

const memberTexts = (path: string, put: Put): string[] =>
  placesOf(path, put).map(
    (at) =>
      `multiIf(JSONType(${at}) = 'String', JSONExtractString(${at}), JSONType(${at}) = 'Null', '', JSONExtractRaw(${at}))`,
  )

const placesOf = (path: string, put: Put): string[] =>
  dataKeys(path).map((keys) => ['data', ...keys.map((key) => put('String', key))].join(', '))
