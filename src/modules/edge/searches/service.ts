/**
 * Saved searches of an organisation. All members see them; who made one may change and delete it,
 * and owners and admins may do so with all.
 */
import type { Clock } from '../../../platform/clock.ts'
import { forbidden, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { Role } from '../../../platform/postgres/tables/accounts.ts'
import { type NewSearch, type SavedSearch, SEARCHES_MAX, type SearchChange } from './schema.ts'
import {
  deleteSearch,
  insertSearch,
  listSearches,
  type SearchRow,
  searchExists,
  updateSearch,
} from './store.ts'

/** Who asks: a member of the organisation. */
export type SearchUser = { org_id: string; user_id: string; role: Role }

export type Searches = {
  /** By name. */
  list(orgId: string): Promise<SavedSearch[]>
  /** @throws AppError 400 naming `org_id` when there are as many as there can be */
  create(user: SearchUser, given: Omit<NewSearch, 'org_id'>): Promise<SavedSearch>
  /** @throws AppError 404, or 403 when it is somebody else's */
  change(user: SearchUser, id: string, change: Omit<SearchChange, 'org_id'>): Promise<SavedSearch>
  /** @throws AppError as `change` */
  remove(user: SearchUser, id: string): Promise<void>
}

export function createSearches({
  db,
  clock,
  newId,
}: {
  db: Database
  clock: Clock
  newId: NewId
}): Searches {
  const refuse = async ({ org_id }: SearchUser, id: string): Promise<never> => {
    if (!(await searchExists(db, org_id, id))) throw notFound()
    throw forbidden('Only who saved it, owners and admins')
  }
  return {
    list: async (orgId) => (await listSearches(db, orgId)).map(shownSearch),
    create: async ({ org_id, user_id }, { name, filters }) => {
      const created_at = clock.now()
      const search = { org_id, id: newId(created_at), name, filters, created_by: user_id }
      const row = await insertSearch(db, { ...search, created_at }, SEARCHES_MAX)
      if (row) return shownSearch(row)
      const message = `org_id has ${SEARCHES_MAX} saved searches, which is the most there can be`
      throw invalidRequest('org_id', message)
    },
    change: async (user, id, { name, filters }) => {
      if (!isUuid(id)) throw notFound()
      const row = await updateSearch(db, user.org_id, { id, name, filters }, onlyOf(user))
      return row ? shownSearch(row) : await refuse(user, id)
    },
    remove: async (user, id) => {
      if (!isUuid(id)) throw notFound()
      if (!(await deleteSearch(db, user.org_id, id, onlyOf(user)))) await refuse(user, id)
    },
  }
}

const onlyOf = ({ user_id, role }: SearchUser): string | undefined =>
  role === 'member' ? user_id : undefined

const shownSearch = ({ id, name, filters, ...row }: SearchRow): SavedSearch => ({
  id,
  name,
  filters,
  created_by: { user_id: row.created_by, email: row.email },
  created_at: row.created_at.toISOString(),
})
