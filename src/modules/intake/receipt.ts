/** The `content` of the response to a batch, of logs and of RUM events alike. */
import { Type } from 'typebox'
import { ERRORS_MAX } from './examine.ts'
import type { Receipt } from './intake.ts'

/** Schema of `content.errors`. */
export const refusedElements = () =>
  Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Position in the batch, from 0' }),
        field: Type.String({
          description: 'Path of the member inside of it, such as `error.code`; empty for the whole',
        }),
        reason: Type.String({ examples: ['must be string'] }),
      }),
      {
        minItems: 1,
        maxItems: ERRORS_MAX,
        description: 'Those that were rejected; absent when all were accepted',
      },
    ),
  )

export const receiptContent = ({ received, processed, errors }: Receipt) => ({
  received,
  processed,
  ...(errors.length > 0 && { errors: [...errors] }),
})
