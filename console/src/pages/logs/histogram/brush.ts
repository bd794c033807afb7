/** Selection of bars in a histogram, by pointer or keyboard. */
import type { Layers } from './layers.ts'

export type Brush = {
  /** The current bar. */
  cursor: number | undefined
  /** The bar at which the selection started. Undefined without a selection. */
  anchor: number | undefined
}

export const NO_BRUSH: Brush = { cursor: undefined, anchor: undefined }

/** First and last selected bar. */
export function selectedBars({ cursor, anchor }: Brush): [number, number] | undefined {
  if (cursor === undefined || anchor === undefined) return undefined
  return [Math.min(cursor, anchor), Math.max(cursor, anchor)]
}

/** @returns undefined when the key has no function here */
export function brushed(
  brush: Brush,
  key: string,
  { shift, count }: { shift: boolean; count: number },
): Brush | undefined {
  if (key === 'Escape')
    return brush.anchor === undefined ? undefined : { ...brush, anchor: undefined }
  const last = count - 1
  const { cursor = last } = brush
  const targets: Record<string, number> = {
    ArrowLeft: cursor - 1,
    ArrowDown: cursor - 1,
    ArrowRight: cursor + 1,
    ArrowUp: cursor + 1,
    PageDown: cursor - 10,
    PageUp: cursor + 10,
    Home: 0,
    End: last,
  }
  if (!Object.hasOwn(targets, key)) return undefined
  const target = targets[key] ?? cursor
  // The first arrow key only shows the cursor.
  const from = brush.cursor === undefined && key.startsWith('Arrow') ? cursor : target
  return {
    cursor: Math.max(0, Math.min(last, from)),
    anchor: shift ? (brush.anchor ?? cursor) : undefined,
  }
}

/** The bar at a share of the width, 0 to 1. */
export const barAt = (share: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor(share * count)))

/** The period of a range of bars, within that of the histogram. */
export function timeOfBars(
  { starts, step_ms, from, until }: Pick<Layers, 'starts' | 'step_ms' | 'from' | 'until'>,
  [first, last]: readonly [number, number],
): { from: string; to: string } | undefined {
  const [start, end] = [starts[first], starts[last]]
  if (start === undefined || end === undefined) return undefined
  const to = new Date(Math.min(Date.parse(end) + step_ms - 1, Date.parse(until)))
  return { from: start < from ? from : start, to: to.toISOString() }
}
