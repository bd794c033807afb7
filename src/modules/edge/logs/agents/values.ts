/** What OpenTelemetry and Loki send, decoded from any encoding. */
import { exactNumber, stringifyExact } from '../../../../platform/exact-json.ts'
import { invalidRequest } from '../../../../platform/http/errors.ts'

/** A value of JSON; an integer that a double cannot hold is one of `exactNumber`. */
export type Value = string | number | boolean | null | readonly Value[] | Values
export type Values = { readonly [name: string]: Value }

/** One record with everything that it inherits. Times are nanoseconds of Unix time, as decimal digits. */
export type SentRecord = {
  time_ns: string | undefined
  /** 1 to 24; 0 for none. */
  severity_number: number
  severity_text: string
  body: Value
  attributes: Values
  /** As hex; empty for none. */
  trace_id: string
  span_id: string
  event_name: string
  resource: Values
  scope: Scope
}

export type Scope = { name: string; version: string; attributes: Values }

export const NO_SCOPE: Scope = { name: '', version: '', attributes: {} }

/** Most records of one request. Agents collect up to some thousand, far more than devices do. */
const RECORDS_MAX = 20_000
/** Most values of one request: parsing takes time for each value, not for each byte. */
const VALUES_MAX = 262_144
/** Deeper values are refused by the limit of `data` in any case. */
const DEPTH_MAX = 64

/** Counts what a request contains while it is decoded. */
export type Budget = { record: () => void; value: (depth: number) => void }

/** The methods throw an AppError 400 that names the body when a limit is exceeded. */
export function createBudget(): Budget {
  let records = 0
  let values = 0
  return {
    record: () => {
      records += 1
      if (records > RECORDS_MAX) throw tooMany(`more than ${RECORDS_MAX} log records`)
    },
    value: (depth) => {
      values += 1
      if (values > VALUES_MAX) throw tooMany(`more than ${VALUES_MAX} values`)
      if (depth > DEPTH_MAX) throw tooMany(`values nested more than ${DEPTH_MAX} levels deep`)
    },
  }
}

const tooMany = (what: string) => invalidRequest('body', `The request body has ${what}`)

/** Defines members such as `__proto__` like any other. */
export const valuesOf = (entries: Iterable<readonly [string, Value]>): Values =>
  Object.fromEntries(entries)

/** JSON has no such numbers. */
export const doubleOf = (value: number): Value => (Number.isFinite(value) ? value : String(value))

/** @param digits a decimal integer of up to 64 bits */
export const integerOf = (digits: string): Value => exactNumber(digits)

/** A value as text; objects and lists as JSON. */
export function textOf(value: Value): string {
  if (value === null) return ''
  const json = stringifyExact(value)
  return typeof value === 'string' && json.startsWith('"') ? value : json
}
