/**
 * Decodes `ExportLogsServiceRequest` of OTLP in JSON: ids in hex, integers of 64 bits as texts. Unknown
 * members are ignored, and members of the wrong type count as absent, apart from lists.
 */
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { isObject } from '../../../../platform/is-object.ts'
import {
  type Budget,
  createBudget,
  doubleOf,
  integerOf,
  type Scope,
  type SentRecord,
  type Value,
  type Values,
  valuesOf,
} from './values.ts'

type Members = Readonly<Record<string, unknown>>

/** @throws AppError 400 that names the member */
export function decodeOtlpJson(body: unknown): SentRecord[] {
  if (!isObject(body)) throw invalidRequest('body', 'body must be object')
  const budget = createBudget()
  return objectsOf(body, 'resourceLogs').flatMap((resourceLogs) => {
    const resource = attributesOf(membersOf(resourceLogs['resource']), budget, 1)
    return objectsOf(resourceLogs, 'scopeLogs').flatMap((scopeLogs) => {
      const scope = scopeOf(membersOf(scopeLogs['scope']), budget)
      return objectsOf(scopeLogs, 'logRecords').map((record) => {
        budget.record()
        return { ...recordOf(record, budget), resource, scope }
      })
    })
  })
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

function objectsOf(members: Members, name: string): Members[] {
  const list = members[name] ?? []
  if (!Array.isArray(list)) throw invalidRequest(name, `${name} must be array`)
  if (!list.every(isObject)) throw invalidRequest(name, `${name} must contain objects`)
  return list
}

const textIn = (members: Members, name: string): string => {
  const value = members[name]
  return typeof value === 'string' ? value : ''
}

const scopeOf = (scope: Members, budget: Budget): Scope => ({
  name: textIn(scope, 'name'),
  version: textIn(scope, 'version'),
  attributes: attributesOf(scope, budget, 1),
})

function recordOf(record: Members, budget: Budget) {
  return {
    time_ns: nanosOf(record['timeUnixNano']) ?? nanosOf(record['observedTimeUnixNano']),
    severity_number: severityOf(record['severityNumber']),
    severity_text: textIn(record, 'severityText'),
    body: record['body'] === undefined ? '' : anyValueOf(record['body'], budget, 1),
    attributes: attributesOf(record, budget, 1),
    trace_id: textIn(record, 'traceId'),
    span_id: textIn(record, 'spanId'),
    event_name: textIn(record, 'eventName'),
  }
}

/** @returns undefined for 0, which stands for no time */
function nanosOf(value: unknown): string | undefined {
  if (typeof value === 'number' && value >= 0) return value === 0 ? undefined : whole(value)
  if (typeof value !== 'string' || /^0*$/.test(value)) return undefined
  return value
}

const whole = (value: number): string =>
  Number.isFinite(value) ? String(BigInt(Math.floor(value))) : String(value)

const SEVERITY_NUMBER = /^SEVERITY_NUMBER_([A-Z]+)([2-4])?$/
const SEVERITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']

/** OTLP requires numbers; the JSON of protobuf libraries has the names. */
function severityOf(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? value : 0
  const [, name = '', step = '1'] =
    SEVERITY_NUMBER.exec(typeof value === 'string' ? value : '') ?? []
  const index = SEVERITIES.indexOf(name)
  return index < 0 ? 0 : index * 4 + Number(step)
}

const attributesOf = (members: Members, budget: Budget, depth: number): Values =>
  keyValuesOf(members, 'attributes', budget, depth)

function keyValuesOf(members: Members, name: string, budget: Budget, depth: number): Values {
  return valuesOf(
    objectsOf(members, name).map((entry): [string, Value] => {
      budget.value(depth)
      return [textIn(entry, 'key'), anyValueOf(entry['value'], budget, depth)]
    }),
  )
}

const INT64 = /^-?\d{1,19}$/

function anyValueOf(value: unknown, budget: Budget, depth: number): Value {
  budget.value(depth)
  if (!isObject(value)) return null
  const { stringValue, boolValue, intValue, doubleValue, bytesValue, arrayValue, kvlistValue } =
    value
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  if (typeof intValue === 'number') return doubleOf(intValue)
  if (typeof intValue === 'string') return INT64.test(intValue) ? integerOf(intValue) : intValue
  if (typeof doubleValue === 'number') return doubleOf(doubleValue)
  if (typeof doubleValue === 'string') return doubleValue
  if (typeof bytesValue === 'string') return bytesValue
  if (isObject(arrayValue)) {
    return objectsOf(arrayValue, 'values').map((one) => anyValueOf(one, budget, depth + 1))
  }
  return isObject(kvlistValue) ? keyValuesOf(kvlistValue, 'values', budget, depth + 1) : null
}
