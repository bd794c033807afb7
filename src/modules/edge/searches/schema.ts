/** Contract of saved searches: a name for a view of the log explorer. */
import { type Static, Type } from 'typebox'

export const SEARCHES_MAX = 100
const NAME_MAX_CHARS = 200
const FILTERS_MAX = 30
const FILTER_MAX_CHARS = 2048

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
/** What stands in the URL of the page, so that a search goes on working when the page learns more. */
const filters = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: FILTERS_MAX,
  propertyNames: { pattern: '^[a-z_]{1,40}$' },
  additionalProperties: { type: 'string', maxLength: FILTER_MAX_CHARS },
})

export const newSearch = Type.Object({ org_id: Type.String(), name, filters })
export const searchChange = Type.Object({
  org_id: Type.String(),
  name: Type.Optional(name),
  filters: Type.Optional(filters),
})

export type NewSearch = Static<typeof newSearch>
export type SearchChange = Static<typeof searchChange>

export type SavedSearch = {
  id: string
  name: string
  filters: Record<string, string>
  /** `email` is null for a user who is gone. */
  created_by: { user_id: string; email: string | null }
  created_at: string
}
