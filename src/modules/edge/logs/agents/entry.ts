/**
 * Turns a log record of an agent into a log entry, as if it had been sent to `POST /v1/edge/logs`. Pure.
 * docs/logs.md has the table.
 */
import { LEVELS, type Level } from '../level.ts'
import { type SentRecord, textOf, type Value, type Values } from './values.ts'

/** A log entry that is not validated yet; `data` can contain values of `exactNumber`. */
export type MappedEntry = {
  device_id: string
  level: Level
  message: string
  timestamp: string | undefined
  category: string
  environment: string
  error: { type: string; code: string; stack: string }
  data: Values | undefined
  tags: Value | undefined
  trace_id: string
  span_id: string
}

/** Attributes by member, the most specific first: one of the record comes before one of the resource. */
const DEVICE = ['device_id', 'device.id', 'device', 'host.name', 'hostname', 'host', 'instance']
const SERVICE = ['service.name', 'service_name', 'app', 'job']
const CATEGORY = ['category']
const ENVIRONMENT = [
  'environment',
  'deployment.environment.name',
  'deployment.environment',
  'deployment_environment',
  'env',
]
const ERROR_TYPE = ['exception.type', 'error.type']
const ERROR_CODE = ['error.code']
const ERROR_STACK = ['exception.stacktrace']
const ERROR_MESSAGE = ['exception.message']
const TAGS = ['tags']
const LEVEL = ['level', 'severity', 'detected_level', 'log.level']
const TRACE = ['trace_id']
const SPAN = ['span_id']
/** Members of a structured body that hold its text. */
const BODY_TEXT = ['message', 'msg', 'log']
const UNKNOWN_DEVICE = 'unknown'

const NANOS_PER_MS = 1_000_000n

export function entryOf(record: SentRecord): MappedEntry {
  const body = isValues(record.body) ? record.body : undefined
  const take = createTaker([record.attributes, body ?? {}, record.resource])
  const device = take.text(DEVICE)
  const category = take.text(CATEGORY)
  // A service is the device when nothing names the machine, and the category when nothing else does.
  const service = device !== '' && category !== '' ? '' : take.text(SERVICE)
  return {
    device_id: device || service || UNKNOWN_DEVICE,
    level: levelOf(record, take.text(LEVEL)),
    message: messageOf(record, body, take),
    timestamp: timestampOf(record.time_ns),
    category: category || service || record.scope.name,
    environment: take.text(ENVIRONMENT),
    error: {
      type: take.text(ERROR_TYPE),
      code: take.text(ERROR_CODE),
      stack: take.text(ERROR_STACK),
    },
    tags: take.list(TAGS),
    trace_id: idOf(record.trace_id) || take.text(TRACE),
    span_id: idOf(record.span_id) || take.text(SPAN),
    data: dataOf(record, body, take.taken),
  }
}

type Taker = ReturnType<typeof createTaker>

/** Takes attributes out of places, in their order; those that are taken do not appear in `data`. */
function createTaker(places: readonly Values[]) {
  const taken = new Map<Values, Set<string>>(places.map((place) => [place, new Set()]))
  const find = (names: readonly string[], fits: (value: Value) => boolean): Value | undefined => {
    for (const name of names) {
      for (const place of places) {
        const value = Object.hasOwn(place, name) ? place[name] : undefined
        if (value === undefined || taken.get(place)?.has(name) || !fits(value)) continue
        taken.get(place)?.add(name)
        return value
      }
    }
    return undefined
  }
  return {
    taken,
    text: (names: readonly string[]): string => textOf(find(names, isText) ?? ''),
    list: (names: readonly string[]): Value | undefined => find(names, isTextList),
  }
}

const isText = (value: Value): boolean => typeof value === 'string' && value !== ''
const isTextList = (value: Value): boolean =>
  Array.isArray(value) && value.every((element) => typeof element === 'string')
const isValues = (value: Value): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function messageOf(record: SentRecord, body: Values | undefined, take: Taker): string {
  const text = body ? take.text(BODY_TEXT) : textOf(record.body)
  if (text !== '') return text
  return take.text(ERROR_MESSAGE) || record.event_name || (body ? textOf(body) : '')
}

/** `TRACE` to `TRACE4` are 1 to 4, `DEBUG` 5, `INFO` 9, `WARN` 13, `ERROR` 17, and `FATAL` to 24. */
const SEVERITIES_PER_LEVEL = 4

function levelOf({ severity_number, severity_text }: SentRecord, attribute: string): Level {
  const rank = Math.ceil(severity_number / SEVERITIES_PER_LEVEL) - 2
  if (severity_number > 0) return LEVELS[Math.min(Math.max(rank, 0), LEVELS.length - 1)] ?? 'info'
  return levelOfName(severity_text) ?? levelOfName(attribute) ?? 'info'
}

const NAMES: readonly (readonly [RegExp, Level])[] = [
  [/^(trace|debug|verbose|dbug)/i, 'debug'],
  [/^(info|notice)/i, 'info'],
  [/^warn/i, 'warn'],
  [/^err/i, 'error'],
  [/^(fatal|crit|alert|emerg|panic)/i, 'fatal'],
]

const levelOfName = (name: string): Level | undefined =>
  NAMES.find(([pattern]) => pattern.test(name))?.[1]

/** @param time_ns text that is not a number of nanoseconds is refused when the entry is validated */
function timestampOf(time_ns: string | undefined): string | undefined {
  if (time_ns === undefined) return undefined
  if (!/^\d{1,20}$/.test(time_ns)) return `${time_ns} ns`
  return new Date(Number(BigInt(time_ns) / NANOS_PER_MS)).toISOString()
}

/** Ids of zeros are not valid in OpenTelemetry and stand for none. */
const idOf = (hex: string): string => (/^0*$/.test(hex) ? '' : hex.toLowerCase())

function dataOf(
  { attributes, resource, scope, event_name }: SentRecord,
  body: Values | undefined,
  taken: Taker['taken'],
): Values | undefined {
  const rest = (values: Values): [string, Value][] =>
    Object.entries(values).filter(([name]) => !taken.get(values)?.has(name))
  const group = (name: string, values: Values): [string, Value][] => {
    const members = rest(values)
    return members.length === 0 ? [] : [[name, Object.fromEntries(members)]]
  }
  const scopeMembers = Object.entries({ name: scope.name, version: scope.version }).filter(
    ([, value]) => value !== '',
  )
  const members: [string, Value][] = [
    ...group('resource', resource),
    ...group('scope', Object.fromEntries([...scopeMembers, ...Object.entries(scope.attributes)])),
    ...(event_name === '' ? [] : ([['event_name', event_name]] as [string, Value][])),
    ...(body ? rest(body) : []),
    ...rest(attributes),
  ]
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
