/**
 * One event as it was sent, and what becomes of it: a row of the table of events, or the first fault
 * that was found in it. Pure.
 */

import type { ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { faultOf } from '../../platform/http/validation.ts'
import { isDeeperThan } from '../../platform/json-depth.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { readTimestamp } from '../../platform/told-time.ts'
import { groupError } from '../error-groups/index.ts'
import type { ElementFault } from '../intake/index.ts'
import type { DeviceClass } from './device-class.ts'
import { pageOf } from './page.ts'
import { EVENT_MAX_BYTES, EVENT_TYPES, eventSchema, type RumEvent } from './schema.ts'

/** What an event does not say itself. */
export type EventContext = {
  org_id: string
  mode: Mode
  session_id: string
  device_class: DeviceClass | ''
  received_at: Date
}

/** A row of `rum_events`, but for its id. Empty texts and zeros stand for what an event does not have. */
export type EventRow = {
  org_id: string
  mode: Mode
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
  error_fingerprint: string
  vital_name: string
  vital_id: string
  vital_value: number
  duration_ms: number
  event: string
}

export type ReadEvent = (
  candidate: unknown,
  context: EventContext,
) => { row: EventRow } | { fault: ElementFault }

/** @param compile makes a validator of a schema */
export function createEventReader(
  compile: (schema: TSchema) => ValidateFunction,
  { json_max_depth }: { json_max_depth: number },
): ReadEvent {
  const validators = new Map<unknown, ValidateFunction>(
    EVENT_TYPES.map((type) => [type, compile(eventSchema(type))]),
  )
  // Whatever has no known type is at fault for this schema, too.
  const anyValidator = compile(eventSchema('session_start'))
  return (candidate, context) => {
    const { type } = (candidate ?? {}) as { type?: unknown }
    const validate = validators.get(type) ?? anyValidator
    if (!validate(candidate)) return { fault: schemaFault(validate) }
    const event = candidate as RumEvent
    if (isDeeperThan(event, json_max_depth)) {
      return fault('', `is nested more than ${json_max_depth} levels deep`)
    }
    const text = JSON.stringify(event)
    if (Buffer.byteLength(text) > EVENT_MAX_BYTES) {
      return fault('', `is larger than ${EVENT_MAX_BYTES} bytes`)
    }
    const timestamp_ms = readTimestamp(event.timestamp)
    if (timestamp_ms === undefined) return fault('timestamp', 'is not a time')
    const row = rowOf(event, { ...context, timestamp_ms, text })
    if (event.type === 'view' && row.view_name === '' && row.view_url === '') {
      return fault('view.url', 'or view.name is required')
    }
    return { row }
  }
}

const fault = (field: string, problem: string) => ({ fault: { field, problem } })

function schemaFault({ errors }: ValidateFunction): ElementFault {
  const { message, content } = faultOf(errors, '').body
  const field = content?.['field']
  if (typeof field !== 'string') return { field: '', problem: message }
  return { field, problem: message.slice(field.length).trim() }
}

function rowOf(
  event: RumEvent,
  context: EventContext & { timestamp_ms: number; text: string },
): EventRow {
  const { type, view } = event
  // Sub-objects of other types are kept like any unknown member: nothing is known of their form.
  const error = type === 'error' ? event.error : undefined
  const vital = type === 'vital' ? event.vital : undefined
  const name = textOf(view?.name)
  const url = textOf(view?.url)
  return {
    org_id: context.org_id,
    mode: context.mode,
    received_at: context.received_at.toISOString(),
    timestamp_ms: context.timestamp_ms,
    session_id: context.session_id,
    type,
    view_name: name,
    view_url: url,
    page: pageOf(url, name),
    device_class: context.device_class,
    error_type: textOf(error?.type),
    error_message: textOf(error?.message),
    error_fingerprint: error ? fingerprintOf(error) : '',
    vital_name: textOf(vital?.name).toUpperCase(),
    vital_id: textOf(vital?.id),
    vital_value: vital?.value ?? 0,
    duration_ms: durationOf(event) ?? 0,
    event: context.text,
  }
}

const durationOf = ({ type, resource, long_task }: RumEvent): number | null | undefined => {
  if (type === 'resource') return resource?.duration_ms
  return type === 'long_task' ? long_task?.duration_ms : undefined
}

const fingerprintOf = ({ type, message, stack }: NonNullable<RumEvent['error']>): string =>
  groupError({
    type: type ?? undefined,
    message: message.toWellFormed(),
    stack: stack ?? undefined,
  }).fingerprint

/** Half a surrogate pair is no text for the analytics engine; in `event` it is written as an escape. */
const textOf = (text: string | null | undefined): string => text?.toWellFormed() ?? ''
