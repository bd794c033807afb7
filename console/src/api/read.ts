/** Hooks to read and to change things, on TanStack Query. The key of what is read is path and query. */
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
import { useToasts } from '../components/toasts.tsx'
import { useSession } from '../session/context.ts'
import type { ApiError, Call, Query } from './client.ts'

export type ReadOptions = {
  /** Nothing is asked while false. */
  enabled?: boolean
  /** Asked again so often while the page is seen. */
  refresh_ms?: number | false
  /** Shows the answer before while the next one comes, for filters. */
  keep?: boolean
}

export type Read<T> = UseQueryResult<T, ApiError>

export function useRead<T>(path: string, query?: Query, options: ReadOptions = {}): Read<T> {
  const session = useSession()
  return useQuery<T, ApiError>({
    queryKey: [path, query ?? {}],
    queryFn: ({ signal }) => session.call<T>({ path, query, signal }),
    enabled: options.enabled ?? true,
    refetchInterval: options.refresh_ms ?? false,
    ...(options.keep === true && { placeholderData: keepWithin(path, query) }),
  })
}

/** The answer before stays while other filters are answered; that of other data is not shown for it. */
const keepWithin =
  (path: string, query: Query = {}) =>
  <Data>(before: Data | undefined, previous: Previous | undefined): Data | undefined => {
    const [pathBefore, queryBefore] = (previous?.queryKey ?? []) as [string?, Query?]
    const isSame = path === pathBefore && WHOSE.every((name) => query[name] === queryBefore?.[name])
    return isSame ? before : undefined
  }

type Previous = { queryKey: readonly unknown[] }
/** Parameters that say whose data it is. */
const WHOSE = ['org_id', 'mode'] as const

/** Lists that are read page by page: `next_cursor` of one answer is `cursor` of the next question. */
export function usePages<Page extends { next_cursor: string | null }>(
  path: string,
  query?: Query,
  options: ReadOptions = {},
): UseInfiniteQueryResult<InfiniteData<Page>, ApiError> {
  const session = useSession()
  return useInfiniteQuery<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: [path, query ?? {}, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      session.call<Page>({ path, query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    enabled: options.enabled ?? true,
    refetchInterval: options.refresh_ms ?? false,
    ...(options.keep === true && { placeholderData: keepWithin(path, query) }),
  })
}

export type ChangeOptions<Input, Result> = {
  /** Answers whose path begins with one of these are read again. */
  changes?: readonly string[]
  /** Told in a toast; nothing by default. */
  done?: string | ((result: Result, input: Input) => string)
  onDone?: (result: Result, input: Input) => void
  /** By default an error is told in a toast; forms show it themselves. */
  quiet?: boolean
}

export type Change<Input, Result> = UseMutationResult<Result, ApiError, Input>

/** @param callOf what to ask the service for an input */
export function useChange<Input = void, Result = unknown>(
  callOf: (input: Input) => Call,
  options: ChangeOptions<Input, Result> = {},
): Change<Input, Result> {
  const session = useSession()
  const client = useQueryClient()
  const toasts = useToasts()
  // TanStack takes a new function after the drawing, which may be after Enter was pressed: what was
  // typed last must not be missing.
  const latest = useRef(callOf)
  latest.current = callOf
  return useMutation<Result, ApiError, Input>({
    mutationFn: (input) => session.call<Result>(latest.current(input)),
    // Keys that were sent and secrets that were answered are forgotten with the page that did it.
    gcTime: 0,
    onSuccess: async (result, input) => {
      const { done, changes = [], onDone } = options
      if (done !== undefined) toasts.tell(typeof done === 'string' ? done : done(result, input))
      onDone?.(result, input)
      await client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' && changes.some((prefix) => path.startsWith(prefix)),
      })
    },
    onError: (error) => {
      if (options.quiet !== true) toasts.warn(error.message)
    },
  })
}
