/** Small drawings of what an empty place will show. */
import type { ComponentChildren } from 'preact'

export type SketchName = 'list' | 'chart' | 'map' | 'device' | 'message'

const WIDTH = 132
const HEIGHT = 72

export const Sketch = ({ name }: { name: SketchName }) => (
  <svg
    class="sketch"
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    width={WIDTH}
    height={HEIGHT}
    aria-hidden="true"
  >
    {SKETCHES[name]}
  </svg>
)

const ROWS = [24, 38, 52]
const BARS = [18, 26, 14, 34, 30, 42, 22, 38]

const SKETCHES: Readonly<Record<SketchName, ComponentChildren>> = {
  list: (
    <>
      <rect class="sketch-sheet" x="6" y="4" width="120" height="64" rx="5" />
      <path class="sketch-line" d="M14 13h22M58 13h14M98 13h18" />
      {ROWS.map((y) => (
        <g key={y}>
          <path class="sketch-rule" d={`M6 ${y - 5}h120`} />
          <path class="sketch-line" d={`M14 ${y + 2}h30M58 ${y + 2}h22`} />
          <rect class="sketch-mark" x="98" y={y - 1} width="20" height="7" rx="3.5" />
        </g>
      ))}
    </>
  ),
  chart: (
    <>
      <path class="sketch-rule" d="M16 10h110M16 26h110M16 42h110" />
      <path class="sketch-line" d="M16 4v56h110" />
      {BARS.map((height, index) => (
        <rect
          key={index}
          class="sketch-mark"
          x={22 + index * 13}
          y={60 - height}
          width="9"
          height={height}
          rx="1.5"
        />
      ))}
    </>
  ),
  map: (
    <>
      <rect class="sketch-sheet" x="6" y="4" width="120" height="64" rx="5" />
      <path
        class="sketch-rule"
        d="M6 44c20-14 30 4 50-8s28-20 70-8M40 4c4 22-6 40 2 64M92 4c-6 26 6 42-2 64"
      />
      <path class="sketch-mark" d="M66 52c-9-11-12-15-12-21a12 12 0 0 1 24 0c0 6-3 10-12 21z" />
      <circle class="sketch-hole" cx="66" cy="31" r="4.5" />
    </>
  ),
  device: (
    <>
      <rect class="sketch-sheet" x="47" y="2" width="38" height="68" rx="6" />
      <path class="sketch-line" d="M60 8h12M62 64h8" />
      <rect class="sketch-mark" x="53" y="14" width="12" height="12" rx="2.5" />
      <rect class="sketch-mark" x="68" y="14" width="12" height="12" rx="2.5" />
      <path class="sketch-line" d="M53 36h27M53 44h18M53 52h22" />
    </>
  ),
  message: (
    <>
      <rect class="sketch-sheet" x="10" y="6" width="78" height="34" rx="6" />
      <path class="sketch-line" d="M20 17h40M20 28h56" />
      <path class="sketch-rule" d="M92 23h18m0 0l-5-5m5 5l-5 5" />
      <rect class="sketch-mark" x="46" y="46" width="76" height="20" rx="6" />
      <path class="sketch-hole-line" d="M56 56h34" />
    </>
  ),
}

const AREAS: readonly (readonly [prefix: string, name: SketchName])[] = [
  ['/devices', 'device'],
  ['/logs/device', 'device'],
  ['/push', 'message'],
  ['/notifications', 'message'],
  ['/webhooks', 'message'],
  ['/rum', 'chart'],
  ['/developers/usage', 'chart'],
  ['/cases/statistics', 'chart'],
]

/** The sketch of the area that a path belongs to. */
export const sketchOf = (path: string): SketchName =>
  AREAS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'list'
