/**
 * Saved searches of an organization. All members see them; the author can change and delete a
 * search, owners and admins can change and delete all of them.
 */
import type { Clock } from '../../../platform/clock.ts'
import { forbidden, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { Role } from '../../accounts/tables.ts'
import { type NewSearch, type SavedSearch, SEARCHES_MAX, type SearchChange } from './schema.ts'
import {
  deleteSearch,
  insertSearch,
  listSearches,
  type SearchRow,
  searchExists,
  updateSearch,
} from './store.ts'

/** The member who makes the request. */
export type SearchUser = { org_id: string; user_id: string; role: Role }

export type Searches = {
  /** Ordered by name. */
  list(orgId: string): Promise<SavedSearch[]>
  /** @throws AppError 400 naming `org_id` if the organization has the maximum number of searches */
  create(user: SearchUser, search: NewSearch): Promise<SavedSearch>
  /** @throws AppError 404, or 403 if the search belongs to another member */
  change(user: SearchUser, id: string, change: SearchChange): Promise<SavedSearch>
  /** @throws AppError as `change` */
  remove(user: SearchUser, id: string): Promise<void>
}

export type SearchDependencies = {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
}

export function createSearches(deps: SearchDependencies): Searches {
  const { db, directory, clock, newId } = deps
  const shown = async (rows: readonly SearchRow[]): Promise<SavedSearch[]> => {
    const emails = await emailsOf(
      directory,
      rows.map(({ created_by }) => created_by),
    )
    return rows.map((row) => toSavedSearch(row, emails.get(row.created_by)))
  }
  const refuse = async ({ org_id }: SearchUser, id: string): Promise<never> => {
    if (!(await searchExists(db, org_id, id))) throw notFound()
    throw forbidden('Only the author, owners and admins can change this search')
  }
  return {
    list: async (orgId) => await shown(await listSearches(db, orgId)),
    create: async ({ org_id, user_id }, { name, filters }) => {
      const created_at = clock.now()
      const search = { org_id, id: newId(created_at), name, filters, created_by: user_id }
      const row = await insertSearch(db, { ...search, created_at }, SEARCHES_MAX)
      const [search_shown] = row ? await shown([row]) : []
      if (search_shown) return search_shown
      const message = `org_id already has ${SEARCHES_MAX} saved searches, the maximum; delete one first`
      throw invalidRequest('org_id', message)
    },
    change: async (user, id, { name, filters }) => {
      if (!isUuid(id)) throw notFound()
      const row = await updateSearch(db, user.org_id, { id, name, filters }, requiredAuthor(user))
      const [search] = row ? await shown([row]) : []
      return search ?? (await refuse(user, id))
    },
    remove: async (user, id) => {
      if (!isUuid(id)) throw notFound()
      if (!(await deleteSearch(db, user.org_id, id, requiredAuthor(user)))) await refuse(user, id)
    },
  }
}

/** The author that a member has to be; undefined for owners and admins. */
export const requiredAuthor = ({ user_id, role }: SearchUser): string | undefined =>
  role === 'member' ? user_id : undefined

const toSavedSearch = (
  { id, name, filters, ...row }: SearchRow,
  email: string | undefined,
): SavedSearch => ({
  id,
  name,
  filters,
  created_by: { user_id: row.created_by, email: email ?? null },
  created_at: row.created_at.toISOString(),
})
