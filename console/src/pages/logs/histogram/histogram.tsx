/**
 * How many logs there were, step by step and by level. A range is chosen by dragging, or with the
 * arrow keys, Shift and Enter. Drawn as one path per level, which 200 bars do not make slow.
 */
import { useRef, useState } from 'preact/hooks'
import type { Histogram as Counts } from '../../../../../src/modules/edge/logs/schema.ts'
import { durationText, numberText, timeText } from '../../../components/index.ts'
import { LEVELS, type Level } from '../view.ts'
import { type Brush, barAt, brushed, chosenBars, NO_BRUSH, timeOfBars } from './brush.ts'
import styles from './histogram.module.css'

export type HistogramProps = {
  counts: Counts
  /** Told the time of the bars that were chosen; without it nothing can be chosen. */
  onSelect?: (time: { from: string; to: string }) => void
}

const DRAWN = LEVELS.toReversed()

export function Histogram({ counts, onSelect }: HistogramProps) {
  const { bars } = counts
  const plot = useRef<HTMLDivElement>(null)
  const isDragging = useRef(false)
  const [brush, setBrush] = useState<Brush>(NO_BRUSH)
  const max = Math.max(1, ...bars.map(({ total }) => total))
  const chosen = chosenBars(brush)

  const apply = (given: Brush) => {
    const range = chosenBars(given) ?? [given.cursor ?? -1, given.cursor ?? -1]
    const time = timeOfBars(counts, range)
    setBrush(NO_BRUSH)
    if (time) onSelect?.(time)
  }
  const barOf = (event: PointerEvent): number => {
    const { left, width } = plot.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return barAt((event.clientX - left) / width, bars.length)
  }
  const onPointerDown = (event: PointerEvent) => {
    if (!onSelect || event.button !== 0) return
    isDragging.current = true
    plot.current?.setPointerCapture(event.pointerId)
    const bar = barOf(event)
    setBrush({ cursor: bar, anchor: bar })
  }
  const onPointerMove = (event: PointerEvent) => {
    const cursor = barOf(event)
    setBrush(({ anchor }) => ({ cursor, anchor: isDragging.current ? anchor : undefined }))
  }
  const onPointerUp = (event: PointerEvent) => {
    if (!isDragging.current) return
    isDragging.current = false
    apply({ ...brush, cursor: barOf(event) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && brush.cursor !== undefined) {
      event.preventDefault()
      apply(brush)
      return
    }
    const next = brushed(brush, event.key, { shift: event.shiftKey, count: bars.length })
    if (!next) return
    event.preventDefault()
    setBrush(next)
  }

  return (
    <div class={styles['histogram']}>
      <div class={styles['max']} aria-hidden="true">
        {numberText(max, { short: true })}
      </div>
      <div
        ref={plot}
        class={styles['plot']}
        data-can-choose={onSelect !== undefined}
        role="slider"
        tabIndex={0}
        aria-label={
          onSelect
            ? 'Logs over time. Arrow keys move, with Shift they choose a range, Enter applies it'
            : 'Logs over time. Arrow keys move'
        }
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={brush.cursor ?? Math.max(0, bars.length - 1)}
        aria-valuetext={wordsOf(counts, brush)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          isDragging.current = false
          setBrush(NO_BRUSH)
        }}
        onPointerLeave={() => !isDragging.current && setBrush(NO_BRUSH)}
        onBlur={() => setBrush(NO_BRUSH)}
        onKeyDown={onKeyDown}
      >
        <svg viewBox={`0 0 ${bars.length} ${max}`} preserveAspectRatio="none" aria-hidden="true">
          {DRAWN.map((level) => (
            <path key={level} class={styles[level]} d={pathOf(counts, level, max)} />
          ))}
        </svg>
        <Marked range={chosen} count={bars.length} name="chosen" />
        {brush.cursor !== undefined && (
          <Marked range={[brush.cursor, brush.cursor]} count={bars.length} name="cursor" />
        )}
      </div>
      <Axis counts={counts} />
      <p class={styles['words']}>{wordsOf(counts, brush)}</p>
      <Legend counts={counts} />
    </div>
  )
}

function Marked({
  range,
  count,
  name,
}: {
  range: readonly [number, number] | undefined
  count: number
  name: 'chosen' | 'cursor'
}) {
  if (!range) return null
  const [first, last] = range
  const style = {
    left: `${(100 * first) / count}%`,
    width: `${(100 * (last - first + 1)) / count}%`,
  }
  return <span class={styles[name]} style={style} />
}

function Axis({ counts: { from, until, step_ms } }: { counts: Counts }) {
  const [start, end] = [Date.parse(from), Date.parse(until)]
  const times = [start, (start + end) / 2, end]
  return (
    <div class={styles['axis']} aria-hidden="true" title={`One bar is ${durationText(step_ms)}`}>
      {times.map((time, index) => (
        <span key={index}>{timeText(new Date(time))}</span>
      ))}
    </div>
  )
}

function Legend({ counts }: { counts: Counts }) {
  const totals = LEVELS.map((level) => ({
    level,
    count: counts.bars.reduce((sum, bar) => sum + countOf(bar, level), 0),
  }))
  return (
    <ul class={styles['legend']}>
      {totals.map(({ level, count }) => (
        <li key={level}>
          <span class={`${styles['key']} ${styles[level]}`} aria-hidden="true" /> {level}{' '}
          <strong>{numberText(count)}</strong>
        </li>
      ))}
    </ul>
  )
}

type Bar = Counts['bars'][number]

const countOf = ({ by_level }: Bar, level: Level): number =>
  by_level.find((counted) => counted.level === level)?.count ?? 0

const SPANS = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})

/** What is chosen, or the bar that is looked at, in words. */
function wordsOf(counts: Counts, brush: Brush): string {
  const { bars, step_ms, total } = counts
  const range =
    chosenBars(brush) ?? (brush.cursor === undefined ? undefined : [brush.cursor, brush.cursor])
  const time = range && timeOfBars(counts, [range[0] ?? 0, range[1] ?? 0])
  if (!range || !time) {
    const logs = total === 1 ? '1 log' : `${numberText(total)} logs`
    return `${logs}, one bar is ${durationText(step_ms)}`
  }
  const some = bars.slice(range[0], (range[1] ?? 0) + 1)
  const byLevel = LEVELS.toReversed().flatMap((level) => {
    const count = some.reduce((sum, bar) => sum + countOf(bar, level), 0)
    return count === 0 ? [] : [`${numberText(count)} ${level}`]
  })
  const what = byLevel.length === 0 ? 'no logs' : byLevel.join(', ')
  const span = SPANS.formatRange(new Date(time.from), new Date(time.to))
  return `${span}: ${what}`
}

/** Bars of a level, standing on those of the less serious levels. */
function pathOf({ bars }: Counts, level: Level, max: number): string {
  const below = LEVELS.slice(0, LEVELS.indexOf(level))
  return bars
    .map((bar, index) => {
      const count = countOf(bar, level)
      if (count === 0) return ''
      const base = below.reduce((sum, each) => sum + countOf(bar, each), 0)
      return `M${index + 0.07} ${max - base}V${max - base - count}H${index + 0.93}V${max - base}z`
    })
    .join('')
}
