/** Import of subscriptions: a line for each, as JSON (OP-161). */
import { type Static, Type } from 'typebox'
import { choice, IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { reported } from '../apps/schema.ts'
import { PLATFORMS } from '../subscriptions/schema.ts'
import { TOKEN_MAX_CHARS } from '../subscriptions/token.ts'

export const IMPORTED_TOGETHER_MAX = 1000

export const importedLine = Type.Object({
  platform: choice(PLATFORMS),
  token: Type.String({ minLength: 1, maxLength: TOKEN_MAX_CHARS }),
  external_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS })),
  ...reported,
})
export type ImportedLine = Static<typeof importedLine>

export type ImportResult = {
  /** New subscriptions. */
  created: number
  /** Tokens that were registered already; their subscriptions did not change. */
  existing: number
  /** Entries that cannot be imported, with their place in the list. */
  refused: { index: number; field: string; message: string }[]
}
