/** Logs as they come. Held while it is paused, scrolled away from the newest, or nobody looks. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { LogPage } from '../../../../../src/modules/edge/logs/schema.ts'
import { Badge, Button, Empty, numberText, type Tone } from '../../../components/index.ts'
import { useSession } from '../../../session/context.ts'
import { EntryDialog, type OnFilter } from '../explorer/entry-dialog.tsx'
import { RowGrid, type RowGridHandle } from '../explorer/row-grid.tsx'
import { LOGS_PATH, type LogScope } from '../explorer/scope.ts'
import type { LogQuery } from '../view.ts'
import { EMPTY_BUFFER, SHOWN_MAX } from './buffer.ts'
import { createTailConnection, type TailConnection, type TailState } from './connection.ts'
import { GAP_ENTRIES_MAX } from './gap.ts'

const TAIL_PATH = '/console/api/edge/tail'
const SHOW_MS = 150
const SETTLE_MS = 4000
const START: TailState = { buffer: EMPTY_BUFFER, link: 'connecting', problem: undefined }

export type TailViewProps = { asked: LogScope & LogQuery; onFilter: OnFilter; onStop: () => void }

export function TailView({ asked, onFilter, onStop }: TailViewProps) {
  const { state, connection } = useTail(asked)
  const grid = useRef<RowGridHandle>(null)
  const [isPaused, setPaused] = useState(false)
  const [isAway, setAway] = useState(false)
  const [openId, setOpenId] = useState<string>()
  const { shown, waiting, skipped } = state.buffer
  const isHeld = isPaused || isAway || openId !== undefined
  useEffect(() => {
    if (isHeld) connection?.hold()
    else connection?.release()
  }, [isHeld, connection])

  const goOn = () => {
    setPaused(false)
    grid.current?.toTop()
  }
  const rowAt = useCallback((index: number) => shown[index], [shown])
  const open = shown.findIndex(({ id }) => id === openId)
  const entry = shown[open]
  return (
    <>
      <div class="row">
        <LinkState state={state} isHeld={isHeld} />
        <Button onClick={() => (isHeld ? goOn() : setPaused(true))} aria-pressed={isHeld}>
          {isHeld ? 'Go on' : 'Pause'}
        </Button>
        {waiting.length > 0 && (
          <Button kind="primary" onClick={goOn}>
            {numberText(waiting.length)} new
          </Button>
        )}
        <Button onClick={onStop}>Stop</Button>
        {state.link === 'waiting' && <Button onClick={connection?.retry}>Try now</Button>}
        {skipped > 0 && (
          <span class="muted">
            {numberText(skipped)} left out, because they came faster than they could be shown
          </span>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="Waiting for logs">
          <p>They show within a second or so after a device has sent them.</p>
        </Empty>
      ) : (
        <RowGrid
          label={`Logs as they come, the newest ${numberText(SHOWN_MAX)}`}
          count={shown.length}
          rowAt={rowAt}
          onOpen={(index) => setOpenId(shown[index]?.id)}
          onAway={setAway}
          handle={grid}
        />
      )}
      {entry && (
        <EntryDialog
          entry={entry}
          onFilter={onFilter}
          onClose={() => setOpenId(undefined)}
          onNewer={shown[open - 1] && (() => setOpenId(shown[open - 1]?.id))}
          onOlder={shown[open + 1] && (() => setOpenId(shown[open + 1]?.id))}
        />
      )}
    </>
  )
}

function LinkState({ state: { link, problem }, isHeld }: { state: TailState; isHeld: boolean }) {
  const [tone, word] = wordOf(link, isHeld)
  return (
    <span role="status">
      <Badge tone={tone}>{word}</Badge> {problem !== undefined && <span>{problem}</span>}
    </span>
  )
}

function wordOf(link: TailState['link'], isHeld: boolean): [Tone, string] {
  if (link === 'open') return isHeld ? ['warn', 'Paused'] : ['good', 'Live']
  if (link === 'refused') return ['bad', 'Refused']
  if (link === 'waiting') return ['warn', 'Reconnecting']
  return ['neutral', link === 'asleep' ? 'Asleep' : 'Connecting']
}

function useTail(asked: LogScope & LogQuery) {
  const session = useSession()
  const [state, setState] = useState<TailState>(START)
  const [connection, setConnection] = useState<TailConnection>()
  const question = useMemo(() => asked, [JSON.stringify(asked)])
  useEffect(() => {
    setState(START)
    const made = createTailConnection({
      open: async (signal) => await session.open({ path: TAIL_PATH, query: question, signal }),
      read: async (dates, signal) => {
        const query = { ...question, ...dates, limit: GAP_ENTRIES_MAX }
        return await session.call<LogPage>({ path: LOGS_PATH, query, signal })
      },
      onState: setState,
      now: () => new Date(),
      random: Math.random,
      show_ms: SHOW_MS,
      settle_ms: SETTLE_MS,
    })
    setConnection(made)
    const look = () => (document.hidden ? made.sleep() : made.wake())
    // It may have been opened in the background.
    if (document.hidden) made.sleep()
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      made.close()
    }
  }, [question, session])
  return { state, connection }
}
