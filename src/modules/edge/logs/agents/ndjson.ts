/** Decodes lines of JSON, each an object with the members of a log entry or with names that agents use. */
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { isObject } from '../../../../platform/is-object.ts'
import { entryOf } from './entry.ts'
import { readLine } from './line.ts'
import { createBudget, NO_SCOPE, textOf, type Value, type Values } from './values.ts'

/** Names of the time, which is left in the form in which it was sent. */
const TIME = ['timestamp', '@timestamp', 'time', 'ts', 'date']

/** @throws AppError 400 that names the body, which must have a line */
export function decodeNdjson(bytes: Buffer): unknown[] {
  const budget = createBudget()
  const entries: unknown[] = []
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line.trim() === '') continue
    budget.record()
    entries.push(entryOfLine(readLine(line, budget)))
  }
  if (entries.length === 0) throw invalidRequest('body', 'The request body has no line of JSON')
  return entries
}

/** A list of the same objects, or one of them, as a single text of JSON. */
export function decodeObjects(body: unknown): unknown[] {
  const budget = createBudget()
  const list: unknown[] = Array.isArray(body) ? body : [body]
  if (list.length === 0) throw invalidRequest('body', 'body must not have fewer than 1 items')
  return list.map((element) => {
    budget.record()
    return entryOfLine(element)
  })
}

/** A line that is not an object is refused as an entry, and the others are stored. */
function entryOfLine(line: unknown): unknown {
  if (!isObject(line)) return line
  const members = line as Values
  const name = TIME.find((each) => isTime(members[each]))
  const timestamp = timeOf(name === undefined ? undefined : members[name])
  // An object with both names was written for Vigil.
  if (Object.hasOwn(members, 'device_id') && Object.hasOwn(members, 'level')) {
    return { ...members, timestamp }
  }
  const body = Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))
  const entry = entryOf({
    time_ns: undefined,
    severity_number: 0,
    severity_text: '',
    body,
    attributes: {},
    trace_id: '',
    span_id: '',
    event_name: '',
    resource: {},
    scope: NO_SCOPE,
  })
  return { ...entry, timestamp }
}

const isTime = (value: Value | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '')

/** All digits of a number, which can be nanoseconds. */
const timeOf = (value: Value | undefined): Value | undefined =>
  typeof value === 'string' ? textOf(value) : value
