/** The logs of a query, loaded page by page as they scroll into view. */
import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks'
import type { QueryReading } from '../../../../../src/modules/edge/logs/query/schema.ts'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import { useRead } from '../../../api/read.ts'
import { Button, countText, Empty, Failed, Loading, numberText } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import { LOGS_PATH, QUERY_PATH, type ScopedLogQuery } from '../queries.ts'
import type { View } from '../view.ts'
import { columnsOf, densityOf } from './columns.ts'
import { EntryDialog, type OnFilter } from './entry-dialog.tsx'
import { createLogPages, type LogPages } from './log-pages.ts'
import { RowGrid } from './row-grid.tsx'
import { Suggestions, type SuggestionsProps } from './suggestions.tsx'

export type LogListProps = {
  query: ScopedLogQuery
  view: Pick<View, 'columns' | 'density' | 'order'>
  onFilter: OnFilter
  onZoomOut: (() => void) | undefined
  onSuggestion: SuggestionsProps['onSuggestion']
}

const PAGE_SIZE = 100
/** A message, a stack trace and data can have 65,536 characters each. */
const CACHED_CHARS_MAX = 30_000_000
const SETTLE_MS = 60
/** Browsers limit the height of an element to a few ten million pixels. */
const ROWS_MAX = 500_000

export function LogList({ query, view, onFilter, onZoomOut, onSuggestion }: LogListProps) {
  const isOldestFirst = view.order === 'oldest'
  const order = isOldestFirst ? 'oldest' : 'newest'
  const [pages, version] = useLogPages(query, order)
  const columns = useMemo(() => columnsOf(view.columns), [view.columns])
  const words = useWords(query)
  const [open, setOpen] = useState<number>()
  const onRange = useCallback((first: number, last: number) => pages?.show(first, last), [pages])
  useEffect(() => setOpen(undefined), [pages])
  const total = pages?.total()
  const error = pages?.error()
  const rowAt = useCallback((index: number) => pages?.rowAt(index), [pages, version])

  if (pages === undefined) return <Loading what="logs" />
  if (total === undefined) {
    return error === undefined ? (
      <Loading what="logs" />
    ) : (
      <Failed error={asApiError(error)} onRetry={pages.retry} />
    )
  }
  if (total === 0) {
    return (
      <Empty title="No matching logs">
        {query.q !== undefined && (
          <Suggestions query={{ ...query, q: query.q }} onSuggestion={onSuggestion} />
        )}
        <p>Remove a filter or select a longer period. New logs appear within about two seconds.</p>
        {onZoomOut && <Button onClick={onZoomOut}>Zoom out</Button>}
      </Empty>
    )
  }
  const count = Math.min(total, ROWS_MAX)
  const entry = open === undefined ? undefined : pages.rowAt(open)
  return (
    <>
      <p class="muted" role="status">
        {countText(total, 'logs')}, {order} first
        {total > count &&
          `. Only the ${order} ${numberText(count)} are listed. Select a shorter period to see others.`}
      </p>
      {error !== undefined && (
        <p class="form-fault" role="alert">
          Some rows could not be loaded: {asApiError(error).message}{' '}
          <Button size="small" onClick={pages.retry}>
            Try again
          </Button>
        </p>
      )}
      <RowGrid
        label="Logs"
        count={count}
        rowAt={rowAt}
        onOpen={setOpen}
        onRange={onRange}
        words={words}
        columns={columns}
        density={densityOf(view.density)}
      />
      {entry && open !== undefined && (
        <EntryDialog
          entry={entry}
          onFilter={onFilter}
          onClose={() => setOpen(undefined)}
          isOldestFirst={isOldestFirst}
          onPrevious={pages.rowAt(open - 1) && (() => setOpen(open - 1))}
          onNext={pages.rowAt(open + 1) && (() => setOpen(open + 1))}
        />
      )}
    </>
  )
}

/** The words of the query, as the service read them. */
function useWords({ org_id, q }: ScopedLogQuery): readonly string[] {
  const parameters = { org_id, q: q ?? '' }
  const { data } = useRead<QueryReading>(QUERY_PATH, parameters, { enabled: q !== undefined })
  return useMemo(
    () => data?.terms.flatMap(({ words, is_excluded }) => (is_excluded ? [] : words)) ?? [],
    [data],
  )
}

/** @returns the rows, and a number that changes whenever they do */
function useLogPages(
  query: ScopedLogQuery,
  order: 'newest' | 'oldest',
): [LogPages<LogRecord> | undefined, number] {
  const session = useSession()
  const [version, increment] = useReducer<number, void>((count) => count + 1, 0)
  const [pages, setPages] = useState<LogPages<LogRecord>>()
  const stableQuery = useMemo(() => ({ ...query, order }), [JSON.stringify(query), order])
  useEffect(() => {
    const created = createLogPages<LogRecord>({
      page_size: PAGE_SIZE,
      settle_ms: SETTLE_MS,
      weightOf: (log) => JSON.stringify(log).length,
      weight_max: CACHED_CHARS_MAX,
      onChange: () => increment(),
      load: async (page, signal) => {
        const { logs, pagination } = await session.call<LogPage>({
          path: LOGS_PATH,
          query: { ...stableQuery, page, limit: PAGE_SIZE },
          signal,
        })
        return { rows: logs, total: pagination.total }
      },
    })
    setPages(created)
    return () => created.close()
  }, [stableQuery, session])
  return [pages, version]
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('The logs could not be loaded', { status: 0 })
