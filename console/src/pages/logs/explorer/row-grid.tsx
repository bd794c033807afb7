/**
 * A grid for any number of logs. Only visible rows are in the document. Keys: arrows, Page Up, Page
 * Down, Home, End, and Enter to open a row.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import type { Ref } from 'preact'
import { useEffect, useImperativeHandle, useMemo, useRef, useState } from 'preact/hooks'
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { LOCALE } from '../../../components/format.ts'
import { inZone } from '../../../components/zone.ts'
import { cellText, DENSITIES, type Density } from './columns.ts'
import { markedPieces } from './marks.ts'
import styles from './row-grid.module.css'

export type RowGridHandle = { toTop: () => void }

export type RowGridProps = {
  label: string
  count: number
  /** Undefined while the row is loading. */
  rowAt: (index: number) => LogRecord | undefined
  onOpen: (index: number) => void
  /** Reports the visible rows, `first` and `last` included. */
  onRange?: (first: number, last: number) => void
  /** Reports when the first row leaves the view and when it returns. */
  onScrolled?: (isScrolled: boolean) => void
  handle?: Ref<RowGridHandle>
  /** To mark in the messages. */
  words?: readonly string[]
  /** Fields between the level and the message. */
  columns?: readonly string[]
  density?: Density
}

const NO_WORDS: readonly string[] = []
const DEFAULT_COLUMNS: readonly string[] = ['device_id', 'category']
const OVERSCAN = 10
/** Rows per Page Up or Page Down while the height is unknown. */
const PAGE_ROWS = 10
const COLUMN_TITLES: Readonly<Record<string, string>> = {
  device_id: 'Device',
  category: 'Category',
}

export function RowGrid(props: RowGridProps) {
  const { label, count, rowAt, onOpen, onRange, onScrolled, handle, words = NO_WORDS } = props
  const { columns = DEFAULT_COLUMNS, density = 'normal' } = props
  const { row_px } = DENSITIES[density]
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  // Keys can arrive faster than the component renders.
  const latest = useRef(0)
  const goTo = (index: number) => {
    latest.current = index
    setCurrent(index)
  }
  const times = useMemo(createTimes, [])
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => row_px,
    overscan: OVERSCAN,
    // The head is sticky.
    scrollPaddingStart: DENSITIES.normal.row_px,
  })
  useEffect(() => virtual.measure(), [row_px])
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onRange?.(first, last), [first, last, onRange])
  useImperativeHandle(
    handle ?? null,
    () => ({ toTop: () => scroller.current?.scrollTo({ top: 0 }) }),
    [],
  )

  const wasScrolled = useRef(false)
  const onScroll = () => {
    const isScrolled = (scroller.current?.scrollTop ?? 0) > row_px
    if (isScrolled === wasScrolled.current) return
    wasScrolled.current = isScrolled
    onScrolled?.(isScrolled)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      onOpen(latest.current)
      event.preventDefault()
      return
    }
    const page = pageRows(scroller.current, row_px)
    const target = targetOf(event.key, latest.current, { count, page })
    if (target === undefined) return
    event.preventDefault()
    goTo(target)
    virtual.scrollToIndex(target)
  }

  return (
    <div
      ref={scroller}
      class={styles['grid']}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 3}
      aria-activedescendant={rowAt(current) ? rowId(current) : undefined}
      tabIndex={0}
      data-density={density}
      style={{ '--row': `${row_px}px`, '--extra': extraTracks(columns.length) }}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div role="rowgroup" class={styles['head']}>
        <div role="row" class={styles['row']} aria-rowindex={1}>
          <span role="columnheader">Time</span>
          <span role="columnheader">Level</span>
          {columns.map((name) => (
            <span key={name} role="columnheader" class={styles['extra']} title={name}>
              {COLUMN_TITLES[name] ?? name}
            </span>
          ))}
          <span role="columnheader">Message</span>
        </div>
      </div>
      <div role="rowgroup" class={styles['body']} style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start, key }) => (
          <Row
            key={key}
            index={index}
            start={start}
            log={rowAt(index)}
            isCurrent={index === current}
            times={times}
            words={words}
            columns={columns}
            onOpen={() => {
              goTo(index)
              onOpen(index)
            }}
          />
        ))}
      </div>
    </div>
  )
}

type RowProps = {
  index: number
  start: number
  log: LogRecord | undefined
  isCurrent: boolean
  times: Times
  words: readonly string[]
  columns: readonly string[]
  onOpen: () => void
}

function Row({ index, start, log, isCurrent, times, words, columns, onOpen }: RowProps) {
  return (
    // The grid handles the keys. Enter opens a row.
    <div
      id={rowId(index)}
      role="row"
      class={styles['row']}
      aria-rowindex={index + 2}
      aria-busy={log === undefined}
      data-current={isCurrent}
      data-level={log?.level}
      style={{ transform: `translateY(${start}px)` }}
      onClick={onOpen}
    >
      {log ? (
        <>
          <span role="gridcell">
            <RowTime at={log.timestamp} times={times} />
          </span>
          <span role="gridcell" class={styles['level']}>
            {log.level}
          </span>
          {columns.map((column) => (
            <span key={column} role="gridcell" class={styles['extra']}>
              {cellText(log, column).slice(0, CELL_SHOWN_CHARS)}
            </span>
          ))}
          <span role="gridcell" class={styles['message']}>
            {markedPieces(log.message.slice(0, MESSAGE_SHOWN_CHARS), words).map(
              ({ text, is_match }, piece) => (is_match ? <mark key={piece}>{text}</mark> : text),
            )}
          </span>
        </>
      ) : (
        <span role="gridcell" class="muted">
          …
        </span>
      )}
    </div>
  )
}

/** Longer messages and values do not fit. */
const MESSAGE_SHOWN_CHARS = 400
const CELL_SHOWN_CHARS = 200

/** `repeat(0, …)` is invalid. */
const extraTracks = (count: number): string =>
  count === 0 ? '' : `repeat(${count}, minmax(4rem, 9rem))`

const rowId = (index: number): string => `log-row-${index}`

type Extent = { count: number; page: number }

function targetOf(key: string, current: number, { count, page }: Extent): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  }
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, target))
}

const pageRows = (scroller: HTMLElement | null, row_px: number): number =>
  scroller ? Math.max(1, Math.floor(scroller.clientHeight / row_px) - 2) : PAGE_ROWS

type Times = { day: Intl.DateTimeFormat; clock: Intl.DateTimeFormat }

/** Creating a formatter takes longer than rendering a row. */
const createTimes = (): Times => ({
  day: new Intl.DateTimeFormat(LOCALE, {
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    ...inZone(),
  }),
  clock: new Intl.DateTimeFormat(LOCALE, {
    ...inZone(),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  }),
})

function RowTime({ at, times: { day, clock } }: { at: string; times: Times }) {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return <span>{at}</span>
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      <span class={styles['day']}>{day.format(time)} </span>
      {clock.format(time)}
    </time>
  )
}
