/** The gauges of all parts. With several cells, those that each cell has tell them apart by a label. */
import { MAIN_CELL } from '../modules/cells/index.ts'
import { type GaugeOptions, withinLimit } from '../platform/metrics.ts'
import { type Parts, type PartsOfCell, partsInOrder } from './parts.ts'

type Gauge = GaugeOptions<string>

/** Shorter than the limit of all cells together, so that one that does not respond hides no other. */
const CELL_TIMEOUT_MS = 3000

export function gaugesOfCells(parts: Parts): readonly Gauge[] {
  const main = gaugesOf(parts)
  const others = parts.cells.map(({ cell, parts: own }) => ({
    cell: cell.name,
    gauges: new Map(gaugesOf(own).map((gauge) => [keyOf(gauge), gauge])),
  }))
  return main.map((gauge) => {
    const same = others.flatMap(({ cell, gauges }) => {
      const found = gauges.get(keyOf(gauge))
      return found ? [{ cell, gauge: found }] : []
    })
    return same.length === 0 ? gauge : combine([{ cell: MAIN_CELL, gauge }, ...same])
  })
}

const gaugesOf = (parts: PartsOfCell): readonly Gauge[] =>
  partsInOrder(parts).flatMap(({ gauges = [] }) => gauges)

const keyOf = ({ gauges }: Gauge): string => Object.keys(gauges).join()

function combine(all: readonly { cell: string; gauge: Gauge }[]): Gauge {
  const [first] = all
  if (!first) throw new Error('no gauges to combine')
  return {
    ...first.gauge,
    is_by_cell: true,
    read: async () => {
      const rows = await Promise.all(
        all.map(async ({ cell, gauge }) => {
          const read = await withinLimit(gauge.read, CELL_TIMEOUT_MS).catch(() => [])
          return read.map((row) => ({ ...row, cell }))
        }),
      )
      return rows.flat()
    },
  }
}
