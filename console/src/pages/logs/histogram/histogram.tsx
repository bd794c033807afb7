/**
 * The number of logs over time, in layers of levels or other values. Dragging, or the arrow keys with Shift and Enter, selects a
 * period.
 */
import { useRef, useState } from 'preact/hooks'
import { LOCALE } from '../../../components/format.ts'
import {
  ChartKey,
  countText,
  durationText,
  numberText,
  timeText,
} from '../../../components/index.ts'
import { inZone } from '../../../components/zone.ts'
import { type Brush, barAt, brushed, NO_BRUSH, selectedBars, timeOfBars } from './brush.ts'
import styles from './histogram.module.css'
import { LayerBars } from './layer-bars.tsx'
import { heightOf, type Layers, sumOf } from './layers.ts'

export type HistogramProps = {
  counts: Layers
  /** Without it the histogram has no selection. */
  onSelect?: ((period: { from: string; to: string }) => void) | undefined
}

export function Histogram({ counts, onSelect }: HistogramProps) {
  const { starts, layers } = counts
  const plot = useRef<HTMLDivElement>(null)
  const isDragging = useRef(false)
  const [brush, setBrush] = useState<Brush>(NO_BRUSH)
  const max = Math.max(1, ...starts.map((_, bar) => heightOf(layers, bar)))
  const selected = selectedBars(brush)

  const apply = (final: Brush) => {
    const range = selectedBars(final) ?? [final.cursor ?? -1, final.cursor ?? -1]
    const time = timeOfBars(counts, range)
    setBrush(NO_BRUSH)
    if (time) onSelect?.(time)
  }
  const barOf = (event: PointerEvent): number => {
    const { left, width } = plot.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return barAt((event.clientX - left) / width, starts.length)
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
    const next = brushed(brush, event.key, { shift: event.shiftKey, count: starts.length })
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
        aria-valuemax={Math.max(0, starts.length - 1)}
        aria-valuenow={brush.cursor ?? Math.max(0, starts.length - 1)}
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
        <LayerBars counts={counts} max={max} />
        {selected && <Mark range={selected} count={starts.length} name="selected" />}
        {brush.cursor !== undefined && (
          <Mark range={[brush.cursor, brush.cursor]} count={starts.length} name="cursor" />
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

function Axis({ counts: { from, until, step_ms } }: { counts: Layers }) {
  const [start, end] = [Date.parse(from), Date.parse(until)]
  return (
    <div class={styles['axis']} aria-hidden="true" title={`${durationText(step_ms)} per bar`}>
      {[start, (start + end) / 2, end].map((time, index) => (
        <span key={index}>{timeText(new Date(time))}</span>
      ))}
    </div>
  )
}

function Legend({ counts: { layers } }: { counts: Layers }) {
  return (
    <ul class={styles['legend']}>
      {layers.map(({ name, color, texture, counts }) => (
        <li key={name}>
          <ChartKey color={color} index={texture} /> {name}{' '}
          <strong>{numberText(sumOf(counts))}</strong>
        </li>
      ))}
    </ul>
  )
}

const createSpans = () =>
  new Intl.DateTimeFormat(LOCALE, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
    ...inZone(),
  })

/** The selection or the current bar in words. */
function summaryOf(counts: Layers, brush: Brush): string {
  const { layers, step_ms, total } = counts
  const [first, last] = selectedBars(brush) ?? [brush.cursor ?? -1, brush.cursor ?? -1]
  const time = timeOfBars(counts, [first, last])
  if (!time) return `${countText(total, 'logs')}, ${durationText(step_ms)} per bar`
  const byLayer = layers.toReversed().flatMap((layer) => {
    const count = sumOf(layer.counts.slice(first, last + 1))
    return count === 0 ? [] : [`${numberText(count)} ${layer.name}`]
  })
  const counted = byLayer.length === 0 ? 'no logs' : byLayer.join(', ')
  const span = createSpans().formatRange(new Date(time.from), new Date(time.to))
  return `${span}: ${counted}`
}
