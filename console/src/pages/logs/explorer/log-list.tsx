/** The logs that a question finds, read page by page as they come into view. */
import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { ApiError } from '../../../api/client.ts'
import { Button, Empty, Failed, numberText, Waiting } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import type { AskedLogs } from '../view.ts'
import { EntryDialog, type OnFilter } from './entry-dialog.tsx'
import { createLogPages, type LogPages } from './log-pages.ts'
import { RowGrid } from './row-grid.tsx'
import { LOGS_PATH, type LogScope } from './scope.ts'

export type LogListProps = {
  asked: LogScope & AskedLogs
  onFilter: OnFilter
  /** What to do when there are none. */
  onWiden: (() => void) | undefined
}

const PAGE_SIZE = 100
/** A message and a stack may have 65,536 characters each, and data as many. */
const CHARS_KEPT_MAX = 30_000_000
const SETTLE_MS = 60
/** Browsers draw no higher than some ten million pixels. */
const ROWS_MAX = 500_000

export function LogList({ asked, onFilter, onWiden }: LogListProps) {
  const [pages, version] = useLogPages(asked)
  const [open, setOpen] = useState<number>()
  const onRange = useCallback((first: number, last: number) => pages?.show(first, last), [pages])
  useEffect(() => setOpen(undefined), [pages])
  const total = pages?.total()
  const error = pages?.error()
  const rowAt = useCallback((index: number) => pages?.rowAt(index), [pages, version])

  if (pages === undefined) return <Waiting for="logs" />
  if (total === undefined) {
    return error === undefined ? (
      <Waiting for="logs" />
    ) : (
      <Failed error={asApiError(error)} onRetry={pages.retry} />
    )
  }
  if (total === 0) {
    return (
      <Empty title="No logs match">
        <p>Take away a filter, ask for a longer time, or wait: logs show within a second or two.</p>
        {onWiden && <Button onClick={onWiden}>Twice the time</Button>}
      </Empty>
    )
  }
  const count = Math.min(total, ROWS_MAX)
  const entry = open === undefined ? undefined : pages.rowAt(open)
  return (
    <>
      <p class="muted" role="status">
        {numberText(total)} {total === 1 ? 'log' : 'logs'}, the newest first
        {total > count &&
          `; the newest ${numberText(count)} are listed: narrow the time for others`}
      </p>
      {error !== undefined && (
        <p class="form-fault" role="alert">
          Some rows could not be loaded: {asApiError(error).message}{' '}
          <Button size="small" onClick={pages.retry}>
            Try again
          </Button>
        </p>
      )}
      <RowGrid label="Logs" count={count} rowAt={rowAt} onOpen={setOpen} onRange={onRange} />
      {entry && open !== undefined && (
        <EntryDialog
          entry={entry}
          onFilter={onFilter}
          onClose={() => setOpen(undefined)}
          onNewer={pages.rowAt(open - 1) && (() => setOpen(open - 1))}
          onOlder={pages.rowAt(open + 1) && (() => setOpen(open + 1))}
        />
      )}
    </>
  )
}

/** @returns the rows, and a number that changes when they do */
function useLogPages(asked: LogScope & AskedLogs): [LogPages<LogRecord> | undefined, number] {
  const session = useSession()
  const [version, changed] = useReducer<number, void>((count) => count + 1, 0)
  const [pages, setPages] = useState<LogPages<LogRecord>>()
  const question = useMemo(() => asked, [JSON.stringify(asked)])
  useEffect(() => {
    const made = createLogPages<LogRecord>({
      page_size: PAGE_SIZE,
      settle_ms: SETTLE_MS,
      weightOf: (log) => JSON.stringify(log).length,
      weight_max: CHARS_KEPT_MAX,
      onChange: () => changed(),
      load: async (page, signal) => {
        const query = { ...question, page, limit: PAGE_SIZE }
        const answer = await session.call<LogPage>({ path: LOGS_PATH, query, signal })
        return { rows: answer.logs, total: answer.pagination.total }
      },
    })
    setPages(made)
    return () => made.close()
  }, [question, session])
  return [pages, version]
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('The logs could not be read', { status: 0 })
