/**
 * Contract of real user monitoring (specification, "RUM event" and "RUM"). Other members of an event
 * are stored with it and not read.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { choice, maybe, strictObject } from '../../platform/http/schemas.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { refusedElements } from '../intake/index.ts'
import { VITALS, VITALS_MAX } from './vitals.ts'

export const EVENT_TYPES = [
  'session_start',
  'session_end',
  'view',
  'action',
  'error',
  'resource',
  'vital',
  'long_task',
  'log',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

const SESSION_ID_MAX_CHARS = 256
const VITAL_NAME_MAX_CHARS = 64

const text = () => maybe(Type.String())
const amount = (maximum: number) => maybe(Type.Number({ minimum: 0, maximum }))
/**
 * Numbers come from strangers, too: one absurd value would dominate every mean and every scale. The
 * limits are far above what happens, such as a computer that slept during a request.
 */
const DURATION_MAX_MS = DAY_MS
const SIZE_MAX_BYTES = 1_099_511_627_776
const STATUS_MAX = 999
/** For vitals of other names; `VITALS_MAX` has the limits of the known ones. */
const OTHER_VITAL_MAX = 1_000_000_000

export const view = Type.Object({ name: text(), url: text(), referrer: text() })
const action = Type.Object({ type: text(), target: text() })
const error = Type.Object({ message: Type.String(), stack: text(), type: text() })
const resource = Type.Object({
  url: text(),
  method: text(),
  status: amount(STATUS_MAX),
  duration_ms: amount(DURATION_MAX_MS),
  size_bytes: amount(SIZE_MAX_BYTES),
})
export const vital = Type.Object({
  name: Type.String({ minLength: 1, maxLength: VITAL_NAME_MAX_CHARS }),
  value: Type.Number({
    minimum: 0,
    maximum: OTHER_VITAL_MAX,
    description: `At most ${VITALS.map((name) => `${VITALS_MAX[name]} for ${name}`).join(', ')}`,
  }),
  id: text(),
})
const long_task = Type.Object({ duration_ms: amount(DURATION_MAX_MS) })
const log = Type.Object({ level: text(), message: text() })

/** Members by type, in addition to `view`, which any event can have. */
export const MEMBERS: Record<EventType, TProperties> = {
  session_start: {},
  session_end: {},
  view: { view },
  action: { action: maybe(action) },
  error: { error },
  resource: { resource: maybe(resource) },
  vital: { vital },
  long_task: { long_task: maybe(long_task) },
  log: { log: maybe(log) },
}

/** Returns the schema that validates events of a type. */
export const eventSchema = (type: EventType): TSchema =>
  Type.Object({
    type: choice(EVENT_TYPES),
    timestamp: Type.Union([Type.String(), Type.Number()]),
    view: maybe(view),
    ...MEMBERS[type],
  })

/** The members that are read of a valid event. */
export type RumEvent = {
  type: EventType
  timestamp: string | number
  view?: Static<typeof view> | null
  error?: Static<typeof error>
  vital?: Static<typeof vital>
  resource?: Static<typeof resource> | null
  long_task?: Static<typeof long_task> | null
}

/** Limit of the JSON. Stacks are the largest part; browsers and apps cut them at ten kilobytes or less. */
export const EVENT_MAX_BYTES = 16_384

export const session_id = Type.String({ minLength: 1, maxLength: SESSION_ID_MAX_CHARS })

export const rumSchemas = (limits: { rum_batch_max: number }) => ({
  // Each event is validated separately, so that an invalid one does not fail its batch (OP-17).
  batch: Type.Object({
    session_id,
    events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: limits.rum_batch_max }),
  }),
  receipt: Type.Object(
    {
      received: Type.Integer({ description: 'Events in the request' }),
      processed: Type.Integer({ description: 'Events that were accepted and stored' }),
      errors: refusedElements(),
    },
    { $id: 'RumReceipt', examples: [{ received: 3, processed: 3 }], 'x-open-point': 'OP-17' },
  ),
  usageQuery: strictObject({}),
  usage: Type.Object(
    {
      sessions_this_month: Type.Integer(),
      events_this_month: Type.Integer(),
      credits_used_this_month: Type.Integer({ description: 'Whole credits, rounded down' }),
    },
    {
      $id: 'RumUsage',
      description: 'Usage in the calendar month in UTC, for the mode of the key',
      examples: [
        { sessions_this_month: 1204, events_this_month: 58211, credits_used_this_month: 0 },
      ],
    },
  ),
})

export type RumBody = Static<ReturnType<typeof rumSchemas>['batch']>
export type RumUsage = Static<ReturnType<typeof rumSchemas>['usage']>
