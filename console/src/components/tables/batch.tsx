/** Actions on many rows of a list: one request per row, with progress and the result of each. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'preact/hooks'
import type { Call } from '../../api/client.ts'
import { useSession } from '../../session/context.ts'
import { Badge } from '../badge.tsx'
import { Progress } from '../bars.tsx'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Actions } from '../form.tsx'
import { countText } from '../format.ts'

export type BatchAction<Row> = {
  label: string
  isDanger?: boolean
  /** What happens to each row, as a sentence. */
  effect: string
  /** By default, to all rows. */
  appliesTo?: (row: Row) => boolean
  callOf: (row: Row) => Call
  /** Why an answer is not a success. */
  faultOf?: (answer: unknown) => string | null
}

export type Batch<Row> = {
  nameOf: (row: Row) => string
  actions: readonly BatchAction<Row>[]
  /** Queries with a path that begins with one of these are read again. */
  invalidates: readonly string[]
}

/** An action on the rows that were selected when it was chosen. */
export type Run<Row> = { action: BatchAction<Row>; selected: readonly Row[] }

type BarProps<Row> = {
  batch: Batch<Row>
  rows: readonly Row[]
  /** In the plural: "orders". */
  what: string
  onRun: (run: Run<Row>) => void
  onClear: () => void
}

/** More rows would take longer than a person waits, and meet the rate limit. */
const ROWS_MAX = 100

/** Above a list while rows are selected. */
export function BatchBar<Row>({ batch, rows, what, onRun, onClear }: BarProps<Row>) {
  const isTooMany = rows.length > ROWS_MAX
  return (
    <div class="batch" role="group" aria-label="Selected rows">
      <strong aria-live="polite">{countText(rows.length, what)} selected</strong>
      {batch.actions.map((action) => (
        <Button
          key={action.label}
          size="small"
          {...(action.isDanger === true && { kind: 'danger' })}
          disabled={isTooMany || !rows.some(action.appliesTo ?? (() => true))}
          onClick={() => onRun({ action, selected: rows })}
        >
          {action.label}…
        </Button>
      ))}
      <Button size="small" kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {isTooMany && <span class="muted">Select at most {ROWS_MAX} rows.</span>}
    </div>
  )
}

type Result = { name: string; error: string | null }

type DialogProps<Row> = Pick<BarProps<Row>, 'batch' | 'what'> & Run<Row> & { onClose: () => void }

/** Not part of the bar, which disappears with the rows. */
export function BatchDialog<Row>({ batch, action, selected, what, onClose }: DialogProps<Row>) {
  // Answers that arrive during the run can change or remove rows of the list.
  const [rows] = useState(selected.filter(action.appliesTo ?? (() => true)))
  const { results, state, start, stop } = useBatch(batch, action, rows)
  const skipped = selected.length - rows.length
  const failed = results.filter(({ error }) => error !== null).length
  const close = () => {
    stop()
    onClose()
  }
  return (
    <Dialog title={`${action.label}: ${countText(rows.length, what)}`} onClose={close}>
      <div class="stack">
        {state === 'waiting' ? (
          <p>
            {action.effect}
            {skipped > 0 && ` ${countText(skipped, what)} cannot be included.`}
          </p>
        ) : (
          <>
            <Progress
              label={`${countText(results.length, what)} of ${rows.length}`}
              value={results.length}
              max={rows.length}
            />
            <p role="status">
              {state === 'ended' &&
                `${countText(results.length - failed, what)} done, ${failed} failed.`}
            </p>
          </>
        )}
        {results.length > 0 && (
          <ul class="batch-results">
            {results.map(({ name, error }) => (
              <li key={name}>
                <Badge tone={error === null ? 'good' : 'bad'}>
                  {error === null ? 'done' : 'failed'}
                </Badge>
                <span>
                  {name}
                  {error !== null && `: ${error}`}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Actions>
          {state === 'waiting' && (
            <Button kind={action.isDanger ? 'danger' : 'primary'} onClick={() => void start()}>
              {action.label}
            </Button>
          )}
          {state === 'running' && <Button onClick={stop}>Stop</Button>}
          {state !== 'running' && (
            <Button onClick={close}>{state === 'ended' ? 'Close' : 'Cancel'}</Button>
          )}
        </Actions>
      </div>
    </Dialog>
  )
}

function useBatch<Row>(batch: Batch<Row>, action: BatchAction<Row>, rows: readonly Row[]) {
  const session = useSession()
  const client = useQueryClient()
  const isStopped = useRef(false)
  const [results, setResults] = useState<readonly Result[]>([])
  const [state, setState] = useState<'waiting' | 'running' | 'ended'>('waiting')
  const start = async () => {
    setState('running')
    for (const row of rows) {
      if (isStopped.current) break
      const error = await session.call(action.callOf(row)).then(
        (answer) => action.faultOf?.(answer) ?? null,
        (reason: unknown) => (reason instanceof Error ? reason.message : 'Failed'),
      )
      setResults((before) => [...before, { name: batch.nameOf(row), error }])
    }
    setState('ended')
    await client.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        typeof path === 'string' && batch.invalidates.some((prefix) => path.startsWith(prefix)),
    })
  }
  const stop = () => {
    isStopped.current = true
  }
  return { results, state, start, stop }
}
