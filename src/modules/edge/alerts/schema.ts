/** Contract of the log alert rules (OP-16): a condition over the documented log filters. */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'
import {
  choice,
  IDENTIFIER_MAX_CHARS,
  type Limits,
  strictObject,
} from '../../../platform/http/schemas.ts'
import { LEVEL_LIST, LEVELS } from '../logs/level.ts'
import { HAS_WORD, QUERY_CHARS_MAX } from '../logs/query/parse.ts'
import { ALERT_KINDS, type AlertKind } from './state.ts'

export type AlertLimits = Pick<Limits, 'text_max_chars'>

const WINDOW_MAX_MINUTES = 1440
const THRESHOLD_MAX = 1_000_000_000

const EXAMPLE_RULE = {
  name: 'Card readers fail',
  condition: { level: 'error,fatal', category: 'payment', environment: 'production' },
  threshold: 20,
  window_minutes: 5,
}
const EXAMPLE_ALERT = {
  id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  ...EXAMPLE_RULE,
  kind: 'count',
  ratio_percent: null,
  muted_until: null,
  status: 'ok',
  last_fired_at: '2026-03-01T12:07:00.000Z',
  last_resolved_at: '2026-03-01T12:19:00.000Z',
}
const EXAMPLE_ORG = '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c07'

const conditionOf = (textMaxChars: number) => {
  const name = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))
  return strictObject(
    {
      level: Type.Optional(
        Type.String({
          pattern: LEVEL_LIST,
          description: 'One level, or several separated by commas',
          'x-wanted': `one or more of ${LEVELS.join(', ')}, such as error,fatal`,
        }),
      ),
      category: name(textMaxChars),
      environment: name(textMaxChars),
      device_id: name(IDENTIFIER_MAX_CHARS),
      error_fingerprint: name(textMaxChars),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: QUERY_CHARS_MAX,
          description: 'A query as in GET /edge/logs/search',
          pattern: HAS_WORD,
          'x-wanted': 'a query with at least one word, such as "card reader"',
        }),
      ),
    },
    { description: 'Filters a log must match to be counted; an empty object matches all logs' },
  )
}

export type Condition = Static<ReturnType<typeof conditionOf>>

const time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

const IS_RATIO = { properties: { kind: { const: 'ratio' } }, required: ['kind'] }
/**
 * `ratio_percent` belongs to the kind `ratio`, and only to it. The document has alternatives instead of a condition,
 * because generators of clients read them.
 */
const RATIO_RULES = {
  allOf: [
    { if: { not: IS_RATIO }, else: { required: ['ratio_percent'] } },
    { if: IS_RATIO, else: { properties: { ratio_percent: { type: 'null' } } } },
  ],
  ...documented({
    allOf: [
      {
        anyOf: [
          {
            properties: {
              kind: { const: 'ratio' },
              ratio_percent: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
            },
            required: ['kind', 'ratio_percent'],
          },
          {
            properties: {
              kind: { enum: [...ALERT_KINDS.filter((kind) => kind !== 'ratio'), null] },
              ratio_percent: { type: 'null' },
            },
          },
        ],
      },
    ],
  }),
}

export const alertSchemas = ({ text_max_chars }: AlertLimits) => {
  const ruleFields = {
    name: Type.String({ minLength: 1, maxLength: text_max_chars }),
    condition: conditionOf(text_max_chars),
    threshold: Type.Integer({
      minimum: 1,
      maximum: THRESHOLD_MAX,
      description:
        'The alert fires when at least this number of logs match within the window, ' +
        'or for the kind absence, when fewer match',
    }),
    window_minutes: Type.Integer({ minimum: 1, maximum: WINDOW_MAX_MINUTES }),
  }
  const kind = choice(ALERT_KINDS)
  const create = Type.Object(
    {
      ...ruleFields,
      kind: Type.Optional(kind),
      ratio_percent: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 100,
          description:
            'Required for the kind ratio, and only there: the least share of the logs of the same ' +
            'category, environment and device',
        }),
      ),
    },
    {
      $id: 'EdgeAlertRequest',
      examples: [{ org_id: EXAMPLE_ORG, ...EXAMPLE_RULE }],
      'x-open-point': 'OP-16, OP-171',
      ...RATIO_RULES,
    },
  )
  const alert = Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      ...ruleFields,
      kind,
      ratio_percent: Type.Union([Type.Number(), Type.Null()]),
      muted_until: time('Until then, nothing is notified'),
      status: choice(['ok', 'firing']),
      last_fired_at: time('Time at which it last began to fire'),
      last_resolved_at: time('Time at which it last stopped firing'),
    },
    { $id: 'EdgeAlert', examples: [EXAMPLE_ALERT], 'x-open-point': 'OP-16, OP-171' },
  )
  return {
    create,
    alert,
    alerts: Type.Array(alert),
    listQuery: strictObject({}),
    oneAlert: Type.Object({ id: Type.String() }),
    nothing: Type.Object({}),
  }
}

type Schemas = ReturnType<typeof alertSchemas>
export type CreateAlert = Static<Schemas['create']>
export type Alert = Static<Schemas['alert']>

/** Outcome of a rule over the past days, had it existed. */
export type AlertPreview = {
  since: string
  /** Number of times it would have begun to fire. */
  fired: number
  /** The latest firings, newest first; `resolved_at` is null if it would still be firing. */
  firings: { fired_at: string; resolved_at: string | null }[]
  /** Of these, the number within the last day. */
  fired_last_day: number
  /** Highest and lowest number of logs in any window, as a guide for the threshold. */
  most_in_window: number
  least_in_window: number
}

/** A time in which a rule fired, with the rule as it was then. */
export type AlertFiring = {
  fired_at: string
  resolved_at: string | null
  rule: Pick<Alert, 'condition' | 'threshold' | 'window_minutes' | 'ratio_percent'> & {
    kind: AlertKind
  }
}

/** Newest first; `is_complete` is false when older ones are not listed. */
export type AlertFirings = { firings: AlertFiring[]; is_complete: boolean }
