/**
 * Searches all kinds at the same time, each in a separate transaction with a short time limit, so that a slow
 * one costs only its own hits.
 */
import { isTransient } from '../../platform/clickhouse/errors.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { type Finder, limitStatements } from '../../platform/postgres/name-search.ts'
import { preferIndexes } from '../../platform/postgres/prefer-indexes.ts'
import { hasPlan, type Plan, type Role } from '../accounts/index.ts'
import { SEARCHED_KINDS, type SearchKind, type SearchResult } from './schema.ts'

/** One kind of items: how they are found, in which database, and which members see them. */
export type SearchedKind = {
  db: Database
  find: Finder
  role?: Exclude<Role, 'owner'>
  plan?: Plan
}

export type Viewer = { role: Role; plan: Plan }

export type SearchService = {
  find(owner: Owner, viewer: Viewer, text: string): Promise<SearchResult>
}

const HITS_MAX = 5
const STATEMENT_TIMEOUT_MS = 500
/** Each takes a connection of the pool, which other requests need as well. */
const AT_ONCE_MAX = 4
const CANCELED = '57014'

export function createSearch(kinds: Readonly<Record<SearchKind, SearchedKind>>): SearchService {
  return {
    find: async (owner, viewer, text) => {
      const waiting = SEARCHED_KINDS.filter((kind) => sees(viewer, kinds[kind]))
      const found = new Map<SearchKind, SearchResult['groups'][number]['hits'] | undefined>()
      const search = { ...owner, text, limit: HITS_MAX }
      const work = async () => {
        for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
          found.set(kind, await inTime(kinds[kind], search))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE_MAX }, work))
      const groups = SEARCHED_KINDS.map((kind) => ({ kind, hits: found.get(kind) ?? [] }))
      return {
        groups: groups.filter(({ hits }) => hits.length > 0),
        incomplete: [...found].flatMap(([kind, hits]) => (hits === undefined ? [kind] : [])),
      }
    },
  }
}

const sees = ({ role, plan }: Viewer, kind: SearchedKind): boolean =>
  (kind.role !== 'admin' || role !== 'member') &&
  (kind.plan === undefined || hasPlan(plan, kind.plan))

/** @returns undefined when the time limit was reached */
async function inTime({ db, find }: SearchedKind, search: Parameters<Finder>[1]) {
  try {
    return await db.transaction().execute(async (tx) => {
      await preferIndexes(tx)
      await limitStatements(tx, STATEMENT_TIMEOUT_MS)
      return await find(tx, search)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === CANCELED || isTransient(error)) return undefined
    throw error
  }
}
