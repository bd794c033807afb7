/** Contract of the items that configuration files have set. */
import { type Static, Type } from 'typebox'
import { choice, maybe, opaqueObject } from '../../platform/http/schemas.ts'
import { ITEM_KINDS, type ItemKind } from './tables.ts'

export type { ItemKind }

const NAME_MAX_CHARS = 2500
const SOURCE_MAX_CHARS = 500
const REVISION_MAX_CHARS = 200
/** Enough for the largest device policy. */
export const CONTENT_MAX_BYTES = 600_000

export const ACTIONS = ['created', 'changed', 'deleted', 'adopted'] as const

export const appliedItem = Type.Object({
  kind: choice(ITEM_KINDS),
  name: Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS }),
  action: choice(ACTIONS),
  content: Type.Optional(
    opaqueObject('The item as the file has it; without it for a deletion', CONTENT_MAX_BYTES),
  ),
  source: maybe(Type.String({ maxLength: SOURCE_MAX_CHARS })),
  revision: maybe(Type.String({ maxLength: REVISION_MAX_CHARS })),
})
export type AppliedItem = Static<typeof appliedItem>

export type ManagedItem = {
  kind: ItemKind
  name: string
  content: Record<string, unknown>
  /** The file. */
  source: string | null
  /** The commit or version of the file, as the caller named it. */
  revision: string | null
  /** E-mail; null when the user was deleted. */
  applied_by_email: string | null
  applied_at: string
}
