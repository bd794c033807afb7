/** Contract of log ingestion (specification, "Edge log entry (ingestion)"). */
import { type TSchema, Type } from 'typebox'
import { documented, WITHOUT_NUL } from '../../../../platform/http/documented.ts'
import { choice, maybe, opaqueObject } from '../../../../platform/http/schemas.ts'
import {
  REPORTED_TIME_FORMS,
  REPORTED_TIME_HELP,
  unixTimes,
} from '../../../../platform/reported-time.ts'
import { refusedElements } from '../../../intake/index.ts'
import { LEVELS } from '../level.ts'
import {
  DEVICE_ID_MAX_CHARS,
  type EntryLimits,
  ERROR_NAME_MAX_CHARS,
  NAME_MAX_CHARS,
  TAGS_MAX,
} from './limits.ts'

export type IngestLimits = EntryLimits & {
  /** Maximum number of entries in one batch. */
  edge_batch_max: number
  /** Maximum size of one batch after decompression. */
  edge_batch_max_bytes: number
}

const EXAMPLE = {
  logs: [
    {
      device_id: 'till-12',
      level: 'error',
      message: 'Payment terminal does not answer after 30 s',
      timestamp: '2026-03-01T12:00:00.000Z',
      category: 'payment',
      environment: 'production',
      error: {
        type: 'TimeoutError',
        code: 'ETIMEDOUT',
        stack: 'TimeoutError: …\n    at pay (pay.js:10:5)',
      },
      data: { terminal: 'T-7', attempt: 2 },
      tags: ['shop-4'],
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      span_id: '00f067aa0ba902b7',
    },
  ],
}

/** The same as leaving the member out (OP-74). */
const EMPTY = Type.String({ maxLength: 0 })
const orEmpty = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null(), EMPTY]))

/** Documents the body; entries are validated one by one, so that one bad entry rejects no others. */
export function ingestSchemas(limits: IngestLimits) {
  const text = (maxLength: number) => maybe(Type.String({ maxLength }))
  const name = () => text(NAME_MAX_CHARS)
  const entry = Type.Object({
    // Texts of other members may contain NUL (OP-74).
    device_id: Type.String({
      minLength: 1,
      maxLength: DEVICE_ID_MAX_CHARS,
      ...documented({ pattern: WITHOUT_NUL }),
    }),
    level: choice(LEVELS),
    message: Type.String({ maxLength: limits.edge_message_max_chars }),
    timestamp: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Null()], {
        description: `${REPORTED_TIME_HELP}; default: the time of receipt`,
        ...documented({
          anyOf: [...REPORTED_TIME_FORMS, unixTimes('0000'), { type: 'null' }, EMPTY],
        }),
      }),
    ),
    category: name(),
    environment: name(),
    error: orEmpty(
      Type.Object({
        type: text(ERROR_NAME_MAX_CHARS),
        stack: text(limits.edge_message_max_chars),
        code: text(ERROR_NAME_MAX_CHARS),
      }),
    ),
    data: orEmpty(
      opaqueObject(
        `Stored unchanged, with all digits of its numbers, up to ${limits.edge_data_max_bytes} bytes of JSON. Do not send secrets`,
      ),
    ),
    tags: orEmpty(Type.Array(Type.String({ maxLength: NAME_MAX_CHARS }), { maxItems: TAGS_MAX })),
    trace_id: name(),
    span_id: name(),
  })
  return {
    request: Type.Object(
      { logs: Type.Array(entry, { minItems: 1, maxItems: limits.edge_batch_max }) },
      { $id: 'EdgeLogBatch', examples: [EXAMPLE] },
    ),
    receipt: Type.Object({
      received: Type.Integer({ minimum: 1, description: 'Number of entries in the batch' }),
      processed: Type.Integer({
        minimum: 1,
        description:
          'Number of entries that were accepted and stored; they are readable after about a second',
      }),
      errors: refusedElements(),
    }),
  }
}
