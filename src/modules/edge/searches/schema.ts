/** Contract of saved searches: a name for a view of the log explorer. */
import { type Static, Type } from 'typebox'
import { strictObject } from '../../../platform/http/schemas.ts'

export const SEARCHES_MAX = 100
const NAME_MAX_CHARS = 200
const FILTER_MAX_CHARS = 2048

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
const filter = () => Type.Optional(Type.String({ maxLength: FILTER_MAX_CHARS }))
/** The query parameters of the log explorer. A misspelled one would show more than was saved. */
export const filters = strictObject({
  range: filter(),
  from: filter(),
  to: filter(),
  level: filter(),
  q: filter(),
  device_id: filter(),
  category: filter(),
  environment: filter(),
  error_fingerprint: filter(),
  live: filter(),
  by: filter(),
  columns: filter(),
  density: filter(),
  order: filter(),
  show: filter(),
  group: filter(),
  number: filter(),
  measure: filter(),
})

export const newSearch = Type.Object({ name, filters })
export const searchChange = Type.Object({
  name: Type.Optional(name),
  filters: Type.Optional(filters),
})

export type NewSearch = Static<typeof newSearch>
export type SearchChange = Static<typeof searchChange>

export type SavedSearch = {
  id: string
  name: string
  filters: Record<string, string>
  /** `email` is null if the user was deleted. */
  created_by: { user_id: string; email: string | null }
  created_at: string
}
