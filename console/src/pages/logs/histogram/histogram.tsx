/**
 * The number of logs over time and by level. Dragging, or the arrow keys with Shift and Enter, selects a
 * period. One path per level renders faster than 200 bars of five rectangles.
 */
import { useRef, useState } from 'preact/hooks'
import type { Histogram as Counts } from '../../../../../src/modules/edge/logs/schema.ts'
import { countText, durationText, numberText, timeText } from '../../../components/index.ts'
import { LEVELS, type Level } from '../view.ts'
import { type Brush, barAt, brushed, NO_BRUSH, selectedBars, timeOfBars } from './brush.ts'
import styles from './histogram.module.css'

export type HistogramProps = {
  counts: Counts
  /** Without it the histogram has no selection. */
  onSelect?: (period: { from: string; to: string }) => void
}

const DRAWN = LEVELS.toReversed()

export function Histogram({ counts, onSelect }: HistogramProps) {
  const { bars } = counts
  const plot = useRef<HTMLDivElement>(null)
  const isDragging = useRef(false)
  const [brush, setBrush] = useState<Brush>(NO_BRUSH)
  const max = Math.max(1, ...bars.map(({ total }) => total))
  const selected = selectedBars(brush)

  const apply = (final: Brush) => {
    const range = selectedBars(final) ?? [final.cursor ?? -1, final.cursor ?? -1]
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
        data-selectable={onSelect !== undefined}
        role="slider"
        tabIndex={0}
        aria-label={
          onSelect
            ? 'Logs over time. Arrow keys move, Shift with arrow keys selects a period, Enter applies it'
            : 'Logs over time. Arrow keys move'
        }
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={brush.cursor ?? Math.max(0, bars.length - 1)}
        aria-valuetext={summaryOf(counts, brush)}
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
        {selected && <Mark range={selected} count={bars.length} name="selected" />}
        {brush.cursor !== undefined && (
          <Mark range={[brush.cursor, brush.cursor]} count={bars.length} name="cursor" />
        )}
      </div>
      <Axis counts={counts} />
      <p class={styles['summary']}>{summaryOf(counts, brush)}</p>
      <Legend counts={counts} />
    </div>
  )
}

type MarkProps = { range: readonly [number, number]; count: number; name: 'selected' | 'cursor' }

function Mark({ range: [first, last], count, name }: MarkProps) {
  const style = {
    left: `${(100 * first) / count}%`,
    width: `${(100 * (last - first + 1)) / count}%`,
  }
  return <span class={styles[name]} style={style} />
}

function Axis({ counts: { from, until, step_ms } }: { counts: Counts }) {
  const [start, end] = [Date.parse(from), Date.parse(until)]
  return (
    <div class={styles['axis']} aria-hidden="true" title={`${durationText(step_ms)} per bar`}>
      {[start, (start + end) / 2, end].map((time, index) => (
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

/** The selection or the current bar in words. */
function summaryOf(counts: Counts, brush: Brush): string {
  const { bars, step_ms, total } = counts
  const [first, last] = selectedBars(brush) ?? [brush.cursor ?? -1, brush.cursor ?? -1]
  const time = timeOfBars(counts, [first, last])
  if (!time) return `${countText(total, 'logs')}, ${durationText(step_ms)} per bar`
  const within = bars.slice(first, last + 1)
  const byLevel = LEVELS.toReversed().flatMap((level) => {
    const count = within.reduce((sum, bar) => sum + countOf(bar, level), 0)
    return count === 0 ? [] : [`${numberText(count)} ${level}`]
  })
  const counted = byLevel.length === 0 ? 'no logs' : byLevel.join(', ')
  const span = SPANS.formatRange(new Date(time.from), new Date(time.to))
  return `${span}: ${counted}`
}

/** The bars of a level, stacked on those of less severe levels. */
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
