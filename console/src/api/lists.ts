/** The state of a list's query, for list components, independent of how rows are loaded. */

import { useSession } from '../session/context.ts'
import { ApiError, type Query } from './client.ts'
import { type Pages, type Read, type ReadOptions, usePages, useRead } from './read.ts'

export type Readable<T> = { data: T | undefined; error: ApiError | null; refetch: () => unknown }

export type NextPage = Pick<Pages<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>

export type Rows<Row> = Readable<readonly Row[]> & {
  /** Reads the rows of all pages, up to a limit, without showing them. */
  readAll?: () => Promise<{ rows: Row[]; isWhole: boolean }>
  /** Set for lists that are read page by page. */
  pages?: NextPage
  /** How far back the service searched when the filters left too few rows. */
  examined_until?: string | null | undefined
}

/** All rows that were loaded so far. */
export function rowsOfPages<Page, Row>(
  pages: Pages<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Rows<Row> {
  const loaded = pages.data?.pages
  const last = loaded?.at(-1) as { examined_until?: string | null } | undefined
  return {
    data: loaded?.flatMap(rowsOf),
    error: pages.error,
    refetch: pages.refetch,
    readAll: async () => {
      const { pages: all, isWhole } = await pages.readAll()
      return { rows: all.flatMap(rowsOf), isWhole }
    },
    pages,
    examined_until: last?.examined_until,
  }
}

/** The rows of a list that is read page by page, with filters from the address. */
export const useFilteredRows = <Page, Row>(
  path: string,
  query: Query,
  rowsOf: (page: Page) => readonly Row[],
): Rows<Row> => rowsOfPages(usePages<Page>(path, query, { keep_previous: true }), rowsOf)

const NUMBERED_PAGES_MAX = 100

export type NumberedOptions<Answer, Row> = Omit<ReadOptions<Answer>, 'keep_previous'> & {
  page: number
  limit: number
  rowsOf: (answer: Answer) => readonly Row[]
}

/** One page of a list with numbered pages, and how to read all of them. */
export function useNumberedRows<Answer, Row>(
  path: string,
  query: Query,
  { page, limit, rowsOf, ...options }: NumberedOptions<Answer, Row>,
): { read: Read<Answer>; list: Rows<Row> } {
  const session = useSession()
  const read = useRead<Answer>(path, { ...query, page, limit }, { ...options, keep_previous: true })
  const readAll = async () => {
    const rows: Row[] = []
    for (let at = 1; at <= NUMBERED_PAGES_MAX; at += 1) {
      const answer = await session.call<Answer>({ path, query: { ...query, page: at, limit } })
      rows.push(...rowsOf(answer))
      if (rowsOf(answer).length < limit) return { rows, isWhole: true }
    }
    return { rows, isWhole: false }
  }
  return { read, list: { ...mapRead(read, rowsOf), readAll } }
}

/** Rows that are part of an answer, as a list. */
export const loadedRows = <Row>(data: readonly Row[]): Rows<Row> => ({
  data,
  error: null,
  refetch: () => undefined,
})

/** The same read with another form of its data, such as the rows within an answer. */
export const mapRead = <T, Mapped>(
  { data, error, refetch }: Readable<T>,
  map: (data: T) => Mapped,
): Readable<Mapped> => ({ data: data === undefined ? undefined : map(data), error, refetch })

/** One item of a list that is read as a whole; an item that is missing is an error 404. */
export function findIn<T>(
  { data, error, refetch }: Read<readonly T[]>,
  isWanted: (item: T) => boolean,
): Readable<T> {
  const found = data?.find(isWanted)
  const missing = data && !found ? new ApiError('Not found', { status: 404 }) : null
  return { data: found, error: found ? error : (error ?? missing), refetch }
}
