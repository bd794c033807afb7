/** The gauges of all parts. With several cells, those that each cell has tell them apart by a label. */
import { MAIN_CELL } from '../modules/cells/index.ts'
import { type GaugeOptions, withinLimit } from '../platform/metrics.ts'
import type { Part } from './part.ts'

type Gauge = GaugeOptions<string>

/** Shorter than the limit of all cells together, so that one that does not respond hides no other. */
const CELL_TIMEOUT_MS = 3000

export function gaugesOfCells(
  main: readonly Part[],
  others: readonly { cell: string; parts: readonly Part[] }[],
): readonly Gauge[] {
  const known = others.map(({ cell, parts }) => ({
    cell,
    gauges: new Map(gaugesOf(parts).map((gauge) => [keyOf(gauge), gauge])),
  }))
  return gaugesOf(main).map((gauge) => {
    const same = known.flatMap(({ cell, gauges }) => {
      const found = gauges.get(keyOf(gauge))
      return found ? [{ cell, gauge: found }] : []
    })
    return same.length === 0 ? gauge : combine([{ cell: MAIN_CELL, gauge }, ...same])
  })
}

const gaugesOf = (parts: readonly Part[]): readonly Gauge[] =>
  parts.flatMap(({ gauges = [] }) => gauges)

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
