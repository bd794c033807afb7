/** Hooks that read and change data, on TanStack Query. The key of a query is its path and parameters. */
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'preact/hooks'
import { useParams } from 'wouter'
import { useToasts } from '../components/toasts.tsx'
import { useSession } from '../session/context.ts'
import { useOrg } from '../shell/organization.ts'
import type { ApiError, Call, Query } from './client.ts'

export type ReadOptions<T = unknown> = {
  /** Sends no request while false. */
  enabled?: boolean
  /** Polling interval while the page is visible. It can depend on the data. */
  refresh_ms?: number | false | ((data: T | undefined) => number)
  /** Shows the previous answer until the next one arrives; for filters. */
  keep_previous?: boolean
}

export type Read<T> = UseQueryResult<T, ApiError>

/** The item whose id is in the address of the page. @param path of its collection */
export function useItem<T>(path: string): Read<T> {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  return useRead<T>(`${path}/${encodeURIComponent(id)}`, { org_id })
}

export function useRead<T>(path: string, query?: Query, options: ReadOptions<T> = {}): Read<T> {
  const session = useSession()
  const { refresh_ms = false } = options
  return useQuery<T, ApiError>({
    queryKey: [path, query ?? {}],
    queryFn: ({ signal }) => session.call<T>({ path, query, signal }),
    enabled: options.enabled ?? true,
    refetchInterval:
      typeof refresh_ms === 'function' ? ({ state }) => refresh_ms(state.data) : refresh_ms,
    ...(options.keep_previous === true && { placeholderData: keepWithin(path, query) }),
  })
}

/** Data of another organization or mode must never stand in for the data that is being loaded. */
const keepWithin =
  (path: string, query: Query = {}) =>
  <Data>(before: Data | undefined, previous: Previous | undefined): Data | undefined => {
    const [pathBefore, queryBefore] = (previous?.queryKey ?? []) as [string?, Query?]
    const isSame = path === pathBefore && SCOPE.every((name) => query[name] === queryBefore?.[name])
    return isSame ? before : undefined
  }

type Previous = { queryKey: readonly unknown[] }
const SCOPE = ['org_id', 'mode'] as const

export type Pages<Page> = UseInfiniteQueryResult<InfiniteData<Page>, ApiError> & {
  /** Reads all pages from the first one on, up to a limit. */
  readAll: () => Promise<{ pages: Page[]; isWhole: boolean }>
}

const ALL_PAGES_MAX = 100

export type PagesOptions<Page> = Omit<ReadOptions, 'refresh_ms'> & {
  refresh_ms?: number | false
  /** Parameter that asks for the next page. */
  parameter?: string
  /** Its value for the page that follows; undefined after the last page. */
  next?: (page: Page) => string | undefined
}

/** A list that is read page by page, by default with `next_cursor` and `cursor`. */
export function usePages<Page>(
  path: string,
  query?: Query,
  options: PagesOptions<Page> = {},
): Pages<Page> {
  const session = useSession()
  const { parameter = 'cursor', next = nextCursor } = options
  type Key = readonly unknown[]
  const readPage = async (position: string | undefined, signal?: AbortSignal) =>
    await session.call<Page>({ path, query: { ...query, [parameter]: position }, signal })
  const result = useInfiniteQuery<Page, ApiError, InfiniteData<Page>, Key, string | undefined>({
    queryKey: [path, query ?? {}, 'pages'],
    queryFn: ({ signal, pageParam }) => readPage(pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: next,
    enabled: options.enabled ?? true,
    refetchInterval: options.refresh_ms ?? false,
    ...(options.keep_previous === true && { placeholderData: keepWithin(path, query) }),
  })
  const readAll = async () => {
    const pages = [await readPage(undefined)]
    for (let position = next(pages[0] as Page); position !== undefined; ) {
      if (pages.length === ALL_PAGES_MAX) return { pages, isWhole: false }
      const page = await readPage(position)
      pages.push(page)
      position = next(page)
    }
    return { pages, isWhole: true }
  }
  return { ...result, readAll }
}

const nextCursor = (page: unknown): string | undefined =>
  (page as { next_cursor?: string | null }).next_cursor ?? undefined

export type ChangeOptions<Input, Result> = {
  /** Queries whose path begins with one of these are read again. */
  invalidates?: readonly string[]
  /** Shown in a toast after success. */
  toast?: string | ((result: Result, input: Input) => string)
  onSuccess?: (result: Result, input: Input) => void
  /** Shows no toast for an error, for forms that display it themselves. */
  quiet?: boolean
}

export type Change<Input, Result> = UseMutationResult<Result, ApiError, Input>

/** @param callOf builds the request for an input */
export function useChange<Input = void, Result = unknown>(
  callOf: (input: Input) => Call,
  options: ChangeOptions<Input, Result> = {},
): Change<Input, Result> {
  const session = useSession()
  const client = useQueryClient()
  const toasts = useToasts()
  // TanStack takes over a new function after the render, which may be after Enter was pressed: without
  // this, the last characters typed would be missing from the request.
  const latest = useRef(callOf)
  latest.current = callOf
  return useMutation<Result, ApiError, Input>({
    mutationFn: (input) => session.call<Result>(latest.current(input)),
    // Keys that were sent and secrets that were returned leave memory together with the page.
    gcTime: 0,
    onSuccess: async (result, input) => {
      const { toast, invalidates = [], onSuccess } = options
      if (toast !== undefined) toasts.show(typeof toast === 'string' ? toast : toast(result, input))
      onSuccess?.(result, input)
      await client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' && invalidates.some((prefix) => path.startsWith(prefix)),
      })
    },
    onError: (error) => {
      if (options.quiet !== true) toasts.warn(error.message)
    },
  })
}
