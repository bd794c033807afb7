/** Turns an event into a row of `rum_events`, or returns its first fault. Pure. */

import type { TSchema } from 'typebox'
import type { ExactText } from '../../platform/exact-text.ts'
import { faultOf, type Validate } from '../../platform/http/validation.ts'
import { isDeeperThan } from '../../platform/json-depth.ts'
import type { Owner } from '../../platform/owner.ts'
import { readReportedTime } from '../../platform/reported-time.ts'
import { type ErrorFacts, groupError } from '../error-groups/index.ts'
import { type ElementFault, type GroupOnReceipt, withFingerprint } from '../intake/index.ts'
import type { DeviceClass } from './device-class.ts'
import { pageOf } from './page.ts'
import { EVENT_MAX_BYTES, EVENT_TYPES, eventSchema, type RumEvent } from './schema.ts'
import { isVital, VITALS_MAX } from './vitals.ts'

/** Facts about an event that are not part of it. */
export type EventContext = Owner & {
  session_id: string
  device_class: DeviceClass | ''
  received_at: Date
  groupOnReceipt: GroupOnReceipt
  /** Writes the event with an index in its batch as JSON. */
  eventText: ExactText
}

/** A row of `rum_events` without its id. Members that an event does not have are '' or 0. */
export type EventRow = Owner & {
  received_at: string
  timestamp_ms: number
  session_id: string
  type: string
  view_name: string
  view_url: string
  page: string
  device_class: string
  error_type: string
  error_message: string
  /** Undefined for an error that is not grouped yet. */
  error_fingerprint: string | undefined
  vital_name: string
  vital_id: string
  vital_value: number
  duration_ms: number
  event: string
}

export type ReadEvent = (
  candidate: unknown,
  context: EventContext,
  index: number,
) => { row: EventRow } | { fault: ElementFault }

/** @param compile compiles a schema to a validator */
export function createEventReader(
  compile: (schema: TSchema) => Validate,
  { json_max_depth }: { json_max_depth: number },
): ReadEvent {
  const validators = new Map<unknown, Validate>(
    EVENT_TYPES.map((type) => [type, compile(eventSchema(type))]),
  )
  // An event without a known type is invalid by any of the schemas.
  const anyValidator = compile(eventSchema('session_start'))
  return (candidate, { eventText, ...context }, index) => {
    const { type } = (candidate ?? {}) as { type?: unknown }
    const validate = validators.get(type) ?? anyValidator
    if (!validate(candidate)) return { fault: schemaFault(validate) }
    const event = candidate as RumEvent
    if (isDeeperThan(event, json_max_depth)) {
      return fault('', `is nested more than ${json_max_depth} levels deep`)
    }
    const text = eventText(event, index)
    if (Buffer.byteLength(text) > EVENT_MAX_BYTES) {
      return fault('', `is larger than ${EVENT_MAX_BYTES} bytes`)
    }
    const timestamp_ms = readReportedTime(event.timestamp)
    if (timestamp_ms === undefined) return fault('timestamp', 'is not a time')
    if (timestamp_ms < TIMESTAMP_MIN_MS || timestamp_ms > TIMESTAMP_MAX_MS) {
      return fault('timestamp', 'must be between the years 1 and 9999')
    }
    const row = rowOf(event, { ...context, timestamp_ms, text })
    if (event.type === 'view' && row.view_name === '' && row.view_url === '') {
      return fault('view.url', 'or view.name is required')
    }
    const vitalMax = isVital(row.vital_name) ? VITALS_MAX[row.vital_name] : Infinity
    if (row.vital_value > vitalMax) return fault('vital.value', `must be <= ${vitalMax}`)
    return { row }
  }
}

/** The years with four digits. */
const TIMESTAMP_MIN_MS = Date.parse('0001-01-01T00:00:00.000Z')
const TIMESTAMP_MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

const fault = (field: string, problem: string) => ({ fault: { field, problem } })

function schemaFault({ errors }: Validate): ElementFault {
  const { message, content } = faultOf(errors, '').body
  const field = content?.['field']
  if (typeof field !== 'string') return { field: '', problem: message }
  return { field, problem: message.slice(field.length).trim() }
}

function rowOf(
  event: RumEvent,
  {
    received_at,
    groupOnReceipt,
    text,
    ...context
  }: Omit<EventContext, 'eventText'> & { timestamp_ms: number; text: string },
): EventRow {
  const { type, view } = event
  // Sub-objects of other types are stored like unknown members, because they are not validated.
  const error = type === 'error' ? event.error : undefined
  const vital = type === 'vital' ? event.vital : undefined
  const name = textOf(view?.name)
  const url = textOf(view?.url)
  return {
    ...context,
    received_at: received_at.toISOString(),
    type,
    view_name: name,
    view_url: url,
    page: pageOf(url, name),
    error_type: textOf(error?.type),
    error_message: textOf(error?.message),
    error_fingerprint: error ? groupOnReceipt(factsOf(error)) : '',
    vital_name: textOf(vital?.name).toUpperCase(),
    vital_id: textOf(vital?.id),
    vital_value: vital?.value ?? 0,
    duration_ms: durationOf(event) ?? 0,
    event: text,
  }
}

const durationOf = ({ type, resource, long_task }: RumEvent): number | null | undefined => {
  if (type === 'resource') return resource?.duration_ms
  return type === 'long_task' ? long_task?.duration_ms : undefined
}

const factsOf = ({ type, message, stack }: NonNullable<RumEvent['error']>): ErrorFacts => ({
  type: type ?? undefined,
  message: message.toWellFormed(),
  stack: stack ?? undefined,
})

/** Groups the error in a line of `rum_events` that was beyond the budget of its organization on receipt. */
export const groupEventRow = (bytes: Buffer): Buffer => {
  const line = bytes.toString()
  const row = JSON.parse(line) as Pick<EventRow, 'error_fingerprint' | 'event'>
  const { error } = JSON.parse(row.event) as RumEvent
  if (row.error_fingerprint !== undefined || !error) return bytes
  return withFingerprint(line, groupError(factsOf(error)).fingerprint)
}

/** The analytics engine accepts no lone surrogates; in `event`, JSON writes them as escapes. */
const textOf = (text: string | null | undefined): string => text?.toWellFormed() ?? ''
