/**
 * The events as the API document describes them: one component for each type, with the rules that
 * `event.ts` adds to the schemas.
 */
import { type TProperties, Type } from 'typebox'
import { documented, givenMembers } from '../../platform/http/documented.ts'
import { choice, maybe } from '../../platform/http/schemas.ts'
import { REPORTED_TIME_FORMS, REPORTED_TIME_HELP, unixTimes } from '../../platform/reported-time.ts'
import {
  EVENT_MAX_BYTES,
  EVENT_TYPES,
  type EventType,
  MEMBERS,
  session_id,
  view,
  vital,
} from './schema.ts'
import { VITALS, VITALS_MAX } from './vitals.ts'

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

const anyView = Type.Object(view.properties, { $id: 'RumView' })

/** In an event of type `view`. An empty text names no page. */
const namedView = Type.Object(view.properties, {
  $id: 'RumNamedView',
  description: 'A view with a name or a url',
  ...documented({
    allOf: [
      {
        anyOf: givenMembers({
          name: { type: 'string', minLength: 1 },
          url: { type: 'string', minLength: 1 },
        }),
      },
    ],
  }),
})

/** Vitals of the limit, in either case. */
const ofVitals = (maximum: number) =>
  VITALS.filter((name) => VITALS_MAX[name] === maximum)
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`))
    .join('|')

const limitedVital = Type.Object(vital.properties, {
  $id: 'RumVital',
  ...documented({
    allOf: [...new Set(Object.values(VITALS_MAX))].map((maximum) => ({
      not: {
        properties: {
          name: { pattern: `^(${ofVitals(maximum)})$` },
          value: { exclusiveMinimum: maximum },
        },
      },
    })),
  }),
})

const timestamp = Type.Union([Type.String(), Type.Number()], {
  description: REPORTED_TIME_HELP,
  ...documented({
    anyOf: [...REPORTED_TIME_FORMS, unixTimes('0001')],
    not: { type: 'string', pattern: '^0000' },
  }),
})

/** Members that are described otherwise than they are validated. */
const OWN: Partial<Record<EventType, TProperties>> = {
  view: { view: namedView },
  vital: { vital: limitedVital },
}

/** `RumLongTaskEvent` for `long_task`. */
const componentOf = (type: EventType): string =>
  `Rum${type.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Event`

/** The rules of `eventSchema`, and those that `event.ts` adds, for the API document. */
const variants = EVENT_TYPES.map((type) =>
  Type.Object(
    { type: choice([type]), timestamp, view: maybe(anyView), ...MEMBERS[type], ...OWN[type] },
    { $id: componentOf(type) },
  ),
)

const event = Type.Unsafe<unknown>({
  $id: 'RumEvent',
  description: `At most ${EVENT_MAX_BYTES} bytes. Any event can have the \`view\` on which it happened; in an event of type \`view\`, it must have a name or a url. Other members are stored.`,
  oneOf: variants,
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      EVENT_TYPES.map((type) => [type, `#/components/schemas/${componentOf(type)}`]),
    ),
  },
})

/** Documents the body; `rumSchemas` has the schema that validates it. */
export const describedEvents = ({ rum_batch_max }: { rum_batch_max: number }) =>
  Type.Object(
    { session_id, events: Type.Array(event, { minItems: 1, maxItems: rum_batch_max }) },
    {
      $id: 'RumEvents',
      examples: [{ session_id: 'f3b1c2d4-0a77-4f0e-9a57-5a1f0d9b2c11', events: EXAMPLE_EVENTS }],
    },
  )
