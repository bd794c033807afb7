/** The live tail. It pauses while it is scrolled or an entry is open, and disconnects in a hidden tab. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { LogPage } from '../../../../../src/modules/edge/logs/schema.ts'
import {
  Badge,
  Button,
  countText,
  Empty,
  numberText,
  type Tone,
} from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import { EntryDialog, type OnFilter } from '../explorer/entry-dialog.tsx'
import { RowGrid, type RowGridHandle } from '../explorer/row-grid.tsx'
import { LOGS_PATH, type ScopedLogQuery } from '../queries.ts'
import { EMPTY_BUFFER, SHOWN_MAX } from './buffer.ts'
import { createTailConnection, type TailConnection, type TailState } from './connection.ts'
import { GAP_ENTRIES_MAX } from './gap.ts'

const TAIL_PATH = '/console/api/edge/tail'
const SHOW_MS = 150
const SETTLE_MS = 4000
const START: TailState = { buffer: EMPTY_BUFFER, link: 'connecting', problem: undefined }

export type TailViewProps = { query: ScopedLogQuery; onFilter: OnFilter; onStop: () => void }

export function TailView({ query, onFilter, onStop }: TailViewProps) {
  const { state, connection } = useTail(query)
  const grid = useRef<RowGridHandle>(null)
  const [isStopped, setStopped] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  const [openId, setOpenId] = useState<string>()
  const { shown, pending, skipped } = state.buffer
  const isPaused = isStopped || isScrolled || openId !== undefined
  useEffect(() => {
    if (isPaused) connection?.pause()
    else connection?.resume()
  }, [isPaused, connection])

  const resume = () => {
    setStopped(false)
    grid.current?.toTop()
  }
  const rowAt = useCallback((index: number) => shown[index], [shown])
  const open = shown.findIndex(({ id }) => id === openId)
  const entry = shown[open]
  return (
    <>
      <div class="row">
        <LinkState {...state} isPaused={isPaused} />
        <Button onClick={() => (isPaused ? resume() : setStopped(true))} aria-pressed={isPaused}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        {pending.length > 0 && (
          <Button kind="primary" onClick={resume}>
            {numberText(pending.length)} new
          </Button>
        )}
        <Button onClick={onStop}>Stop</Button>
        {state.link === 'waiting' && <Button onClick={connection?.retry}>Reconnect now</Button>}
        {skipped > 0 && (
          <span class="muted">
            {countText(skipped, 'logs')} skipped, because they arrived faster than they can be shown
          </span>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="Waiting for logs">
          <p>Logs appear about one second after a device sends them.</p>
        </Empty>
      ) : (
        <RowGrid
          label={`Live logs, newest ${numberText(SHOWN_MAX)}`}
          count={shown.length}
          rowAt={rowAt}
          onOpen={(index) => setOpenId(shown[index]?.id)}
          onScrolled={setScrolled}
          handle={grid}
        />
      )}
      {entry && (
        <EntryDialog
          entry={entry}
          onFilter={onFilter}
          onClose={() => setOpenId(undefined)}
          onPrevious={shown[open - 1] && (() => setOpenId(shown[open - 1]?.id))}
          onNext={shown[open + 1] && (() => setOpenId(shown[open + 1]?.id))}
        />
      )}
    </>
  )
}

function LinkState({ link, problem, isPaused }: Omit<TailState, 'buffer'> & { isPaused: boolean }) {
  const [tone, word] = wordOf(link, isPaused)
  return (
    <span role="status">
      <Badge tone={tone}>{word}</Badge> {problem !== undefined && <span>{problem}</span>}
    </span>
  )
}

function wordOf(link: TailState['link'], isPaused: boolean): [Tone, string] {
  if (link === 'open') return isPaused ? ['warn', 'Paused'] : ['good', 'Live']
  if (link === 'refused') return ['bad', 'Refused']
  if (link === 'waiting') return ['warn', 'Reconnecting']
  return ['neutral', link === 'asleep' ? 'Disconnected' : 'Connecting']
}

function useTail(query: ScopedLogQuery) {
  const session = useSession()
  const [state, setState] = useState<TailState>(START)
  const [connection, setConnection] = useState<TailConnection>()
  const stableQuery = useMemo(() => query, [JSON.stringify(query)])
  useEffect(() => {
    setState(START)
    const created = createTailConnection({
      open: async (signal) => await session.open({ path: TAIL_PATH, query: stableQuery, signal }),
      read: async (dates, signal) => {
        const newest = { ...stableQuery, ...dates, limit: GAP_ENTRIES_MAX }
        return await session.call<LogPage>({ path: LOGS_PATH, query: newest, signal })
      },
      onState: setState,
      now: () => new Date(),
      random: Math.random,
      show_ms: SHOW_MS,
      settle_ms: SETTLE_MS,
    })
    setConnection(created)
    const onVisibility = () => (document.hidden ? created.sleep() : created.wake())
    // The tab may have been opened in the background.
    if (document.hidden) created.sleep()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      created.close()
    }
  }, [stableQuery, session])
  return { state, connection }
}
