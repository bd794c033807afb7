/** Contract of the reading of a query: how the service understood it. */
import { type Static, Type } from 'typebox'

const place = {
  start: Type.Integer({ minimum: 0, description: 'Index of its first UTF-16 code unit in `q`' }),
  end: Type.Integer({ minimum: 1, description: 'Index after its last one' }),
}

export const queryReading = Type.Object(
  {
    read_as: Type.String({ description: 'The whole query in words' }),
    terms: Type.Array(
      Type.Object({
        ...place,
        meaning: Type.String(),
        is_excluded: Type.Boolean(),
        words: Type.Array(Type.String(), {
          description: 'Normalized words of messages, with `*` where a word can go on',
        }),
      }),
      { description: 'Its conditions, in order' },
    ),
    notes: Type.Array(Type.Object({ ...place, text: Type.String() }), {
      description: 'Parts that may have been meant differently, such as an unknown field',
    }),
  },
  { description: 'How `q` was read' },
)
export type QueryReading = Static<typeof queryReading>

export const suggestion = Type.Object({
  q: Type.String({ description: 'A query that finds logs' }),
  text: Type.String({ description: 'How many, and how it differs from `q`' }),
  total: Type.Integer({ minimum: 1 }),
  without_dates: Type.Boolean({ description: 'Whether the dates have to be left out for it' }),
})
export type Suggestion = Static<typeof suggestion>
