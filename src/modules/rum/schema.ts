/**
 * Contract of real-user monitoring (specification, "RUM event" and "RUM"). What of an event is not
 * described here is kept with it and not read.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { choice, maybe } from '../../platform/http/schemas.ts'

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
const amount = () => maybe(Type.Number({ minimum: 0 }))

const view = Type.Object({ name: text(), url: text(), referrer: text() })
const action = Type.Object({ type: text(), target: text() })
const error = Type.Object({ message: Type.String(), stack: text(), type: text() })
const resource = Type.Object({
  url: text(),
  method: text(),
  status: amount(),
  duration_ms: amount(),
  size_bytes: amount(),
})
const vital = Type.Object({
  name: Type.String({ minLength: 1, maxLength: VITAL_NAME_MAX_CHARS }),
  value: Type.Number({ minimum: 0 }),
  id: text(),
})
const long_task = Type.Object({ duration_ms: amount() })
const log = Type.Object({ level: text(), message: text() })

/** Beside the page on which it happened, which any event may tell. */
const MEMBERS: Record<EventType, TProperties> = {
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

/** What of an event has to be there and of which form, by its type. */
export const eventSchema = (type: EventType): TSchema =>
  Type.Object({
    type: choice(EVENT_TYPES),
    timestamp: Type.Union([Type.String(), Type.Number()]),
    view: maybe(view),
    ...MEMBERS[type],
  })

/** What is read of one that fits the schema of its type. */
export type RumEvent = {
  type: EventType
  timestamp: string | number
  view?: Static<typeof view> | null
  error?: Static<typeof error>
  vital?: Static<typeof vital>
  resource?: Static<typeof resource> | null
  long_task?: Static<typeof long_task> | null
}

const EXAMPLE_EVENTS = [
  {
    type: 'view',
    timestamp: '2026-03-02T10:15:00.000Z',
    view: { name: 'Cart', url: 'https://shop.example/cart' },
  },
  {
    type: 'error',
    timestamp: '2026-03-02T10:15:04.120Z',
    view: { name: 'Cart', url: 'https://shop.example/cart' },
    error: {
      type: 'TypeError',
      message: "Cannot read properties of undefined (reading 'price')",
      stack: 'TypeError: …\n    at total (https://shop.example/app.js:3:1204)',
    },
  },
  {
    type: 'vital',
    timestamp: '2026-03-02T10:15:09.000Z',
    view: { name: 'Cart', url: 'https://shop.example/cart' },
    vital: { name: 'LCP', value: 1840, id: 'v5-1772446500000-1' },
  },
]

/** As JSON. Stacks are the largest part; browsers and apps cut them at ten kilobytes or less. */
export const EVENT_MAX_BYTES = 16_384

const TIMESTAMP_HELP =
  'ISO 8601 (UTC where there is no zone), or Unix time in seconds or, from 100,000,000,000 on, in milliseconds'

/** The same as `eventSchema`, for readers. */
const describedEvent = Type.Union(
  EVENT_TYPES.map((type) =>
    Type.Object({
      type: choice([type]),
      timestamp: Type.Union([Type.String({ format: 'date-time' }), Type.Number()], {
        description: TIMESTAMP_HELP,
      }),
      view: maybe(view),
      ...MEMBERS[type],
    }),
  ),
  {
    $id: 'RumEvent',
    description: `At most ${EVENT_MAX_BYTES} bytes. Any event may tell the \`view\` on which it happened; one of type \`view\` has a name or a url. Other members are kept.`,
  },
)

const session_id = Type.String({ minLength: 1, maxLength: SESSION_ID_MAX_CHARS })

export const rumSchemas = (limits: { rum_batch_max: number }) => ({
  events: Type.Object(
    {
      session_id,
      events: Type.Array(describedEvent, { minItems: 1, maxItems: limits.rum_batch_max }),
    },
    {
      $id: 'RumEvents',
      examples: [{ session_id: 'f3b1c2d4-0a77-4f0e-9a57-5a1f0d9b2c11', events: EXAMPLE_EVENTS }],
    },
  ),
  // Each event is validated on its own, so that a bad one does not sink its batch (OP-17).
  batch: Type.Object({
    session_id,
    events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: limits.rum_batch_max }),
  }),
  receipt: Type.Object(
    {
      received: Type.Integer({ description: 'Events in the request' }),
      processed: Type.Integer({ description: 'Events that were accepted and stored' }),
    },
    { $id: 'RumReceipt', examples: [{ received: 3, processed: 3 }], 'x-open-point': 'OP-17' },
  ),
  usage: Type.Object(
    {
      sessions_this_month: Type.Integer(),
      events_this_month: Type.Integer(),
      credits_used_this_month: Type.Integer({ description: 'Whole credits, rounded down' }),
    },
    {
      $id: 'RumUsage',
      description: 'Of the calendar month in UTC, by the mode of the key',
      examples: [
        { sessions_this_month: 1204, events_this_month: 58211, credits_used_this_month: 0 },
      ],
    },
  ),
})

export type RumBody = Static<ReturnType<typeof rumSchemas>['batch']>
export type RumUsage = Static<ReturnType<typeof rumSchemas>['usage']>
