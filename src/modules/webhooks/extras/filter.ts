/**
 * Filters on the content of events. A filter is a short list of conditions, which becomes an SQL/JSON path: the
 * fan-out evaluates it in the database, where deliveries are created, and nothing else evaluates it.
 */
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { EventFilter } from './schema.ts'

const FIELD = /^(?:id|type|timestamp|data(?:\.[A-Za-z0-9_-]{1,64}){1,8})$/

type Condition = EventFilter['conditions'][number]
type Scalar = string | number | boolean

/**
 * The path that is true for events which pass the filter; null without one.
 * @throws AppError 400 naming the condition that is invalid
 */
export function filterPath(filter: EventFilter | null): string | null {
  if (filter === null) return null
  const { match, conditions } = filter
  return conditions
    .map((one, index) => `(${conditionPath(one, index)})`)
    .join(match === 'all' ? ' && ' : ' || ')
}

function conditionPath({ field, operator, value }: Condition, index: number): string {
  const at = `filter.conditions.${index}`
  if (!FIELD.test(field)) {
    throw invalidRequest(at, `${at}.field must be id, type, timestamp or a field below data`)
  }
  const path = `$${field
    .split('.')
    .map((name) => `.${JSON.stringify(name)}`)
    .join('')}`
  const is = (wanted: Scalar) => `${path} == ${literalOf(wanted)}`
  switch (operator) {
    case 'exists':
      return value === false ? `!(exists(${path}))` : `exists(${path})`
    case 'eq':
      return is(scalarOf(value, at))
    case 'ne': {
      // A missing field, or a value of another type, is not equal.
      const equal = is(scalarOf(value, at))
      return `!(${equal}) || ((${equal}) is unknown)`
    }
    case 'in':
      return [value ?? []].flat().map(is).join(' || ') || fail(at, 'value must be a list')
    case 'contains':
      return `${path} like_regex ${literalOf(textOf(value, at))} flag "q"`
    case 'starts_with':
      return `${path} starts with ${literalOf(textOf(value, at))}`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${path} ${COMPARISONS[operator]} ${literalOf(scalarOf(value, at))}`
  }
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** The texts of JSON are texts of a path, except for U+0000, which the database cannot store. */
function literalOf(value: Scalar): string {
  return typeof value === 'string'
    ? JSON.stringify(value.replaceAll('\0', '\u{FFFD}').toWellFormed())
    : `${value}`
}

function scalarOf(value: Condition['value'], at: string): Scalar {
  if (value === undefined || Array.isArray(value))
    return fail(at, 'value must be a text, a number, true or false')
  return value
}

const textOf = (value: Condition['value'], at: string): string =>
  typeof value === 'string' && value !== '' ? value : fail(at, 'value must be a text')

function fail(at: string, message: string): never {
  throw invalidRequest(at, `${at}.${message}`)
}
