/**
 * Contract of real-user monitoring (specification, "RUM event" and "RUM"). What of an event is not
 * described here is kept with it and not read.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { choice } from '../../platform/http/schemas.ts'

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

/** Apps write null where they have nothing. */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
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

/** Any event may say on which page it happened. */
const eventWith = (members: TProperties) =>
  Type.Object({
    type: choice(EVENT_TYPES),
    timestamp: Type.Union([Type.String(), Type.Number()]),
    view: maybe(view),
    ...members,
  })

/** What of an event has to be there and of which form, by its type. */
export const EVENT_SCHEMAS: Record<EventType, TSchema> = {
  session_start: eventWith({}),
  session_end: eventWith({}),
  view: eventWith({ view }),
  action: eventWith({ action: maybe(action) }),
  error: eventWith({ error }),
  resource: eventWith({ resource: maybe(resource) }),
  vital: eventWith({ vital }),
  long_task: eventWith({ long_task: maybe(long_task) }),
  log: eventWith({ log: maybe(log) }),
}

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

const EVENT_HELP = [
  `An object with \`type\` (${EVENT_TYPES.join(', ')}), \`timestamp\` (ISO 8601 or Unix time in`,
  'milliseconds) and a sub-object named like its type: `view` {name, url, referrer}, `action`',
  '{type, target}, `error` {message, stack, type}, `resource` {url, method, status, duration_ms,',
  'size_bytes}, `vital` {name, value, id}, `long_task` {duration_ms}, `log` {level, message}.',
  'Any event may carry `view`. Other members are kept.',
].join(' ')

export const rumSchemas = (limits: { rum_batch_max: number }) => ({
  events: Type.Object(
    {
      session_id: Type.String({ minLength: 1, maxLength: SESSION_ID_MAX_CHARS }),
      // Each is validated on its own, so that a bad one does not sink its batch (OP-17).
      events: Type.Array(Type.Unsafe<unknown>({ description: EVENT_HELP }), {
        minItems: 1,
        maxItems: limits.rum_batch_max,
      }),
    },
    {
      $id: 'RumEvents',
      examples: [{ session_id: 'f3b1c2d4-0a77-4f0e-9a57-5a1f0d9b2c11', events: EXAMPLE_EVENTS }],
    },
  ),
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

export type RumBody = Static<ReturnType<typeof rumSchemas>['events']>
export type RumUsage = Static<ReturnType<typeof rumSchemas>['usage']>
