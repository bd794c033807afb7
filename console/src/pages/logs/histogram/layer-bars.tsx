/**
 * The bars of a histogram. A path for each layer renders faster than 200 bars of five rectangles. It is a mask, so that
 * the texture behind it is not stretched with the bars.
 */
import { useId } from 'preact/hooks'
import { TEXTURE_PX } from '../../../components/chart-marks.ts'
import { TextureTile } from '../../../components/index.ts'
import { heightOf, type Layers } from './layers.ts'

const WHOLE = { width: '100%', height: '100%' }

export function LayerBars({ counts: { starts, layers }, max }: { counts: Layers; max: number }) {
  const id = useId()
  return (
    <svg aria-hidden="true">
      {layers.map(({ name, color, texture }, index) => {
        const [bars, tile] = [`${id}-bars-${index}`, `${id}-tile-${index}`]
        return (
          <g key={name} style={{ color }}>
            <pattern id={tile} width={TEXTURE_PX} height={TEXTURE_PX} patternUnits="userSpaceOnUse">
              <TextureTile index={texture} />
            </pattern>
            <mask id={bars} maskUnits="userSpaceOnUse" x="0" y="0" {...WHOLE}>
              <svg viewBox={`0 0 ${starts.length} ${max}`} preserveAspectRatio="none" {...WHOLE}>
                <path fill="white" d={pathOf(layers, index, max)} />
              </svg>
            </mask>
            <rect {...WHOLE} fill={`url(#${tile})`} mask={`url(#${bars})`} />
          </g>
        )
      })}
    </svg>
  )
}

/** The bars of a layer, stacked on those below it. */
function pathOf(layers: Layers['layers'], layer: number, max: number): string {
  const below = layers.slice(0, layer)
  return (layers[layer]?.counts ?? [])
    .map((count, index) => {
      if (count === 0) return ''
      const base = heightOf(below, index)
      return `M${index + 0.07} ${max - base}V${max - base - count}H${index + 0.93}V${max - base}z`
    })
    .join('')
}
