/** How a series looks, as SVG: next to its name, and in bars that are not drawn on a canvas. */
import { dashOf, TEXTURE_PX, textureOf } from './chart-marks.ts'

type KeyProps = { color: string; index: number; kind?: 'lines' | 'bars' }
const KEY_WIDTH = 2 * TEXTURE_PX

export function ChartKey({ color, index, kind = 'bars' }: KeyProps) {
  return (
    <svg class="legend-key" width={KEY_WIDTH} height={TEXTURE_PX} style={{ color }}>
      {kind === 'lines' ? (
        <line
          x1="0"
          y1="4"
          x2={KEY_WIDTH}
          y2="4"
          stroke="currentColor"
          stroke-width="2"
          stroke-dasharray={dashOf(index).join(' ')}
        />
      ) : (
        [0, TEXTURE_PX].map((left) => <TextureTile key={left} index={index} left={left} />)
      )}
    </svg>
  )
}

/** The square that a texture repeats, in the current color. */
export function TextureTile({ index, left = 0 }: { index: number; left?: number }) {
  return (
    <g transform={`translate(${left})`}>
      <rect width={TEXTURE_PX} height={TEXTURE_PX} fill="currentColor" />
      {textureOf(index).map(([x1, y1, x2, y2]) => (
        <line key={`${x1} ${y1} ${x2}`} class="legend-texture" {...{ x1, y1, x2, y2 }} />
      ))}
    </g>
  )
}
