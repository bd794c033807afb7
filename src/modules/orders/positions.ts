/**
 * Compares coordinates with a stated country. A position counts as outside of the country only from
 * about 150 km on, because borders are coarse here and positions from networks are imprecise.
 */
import { COUNTRY_CELLS } from './country-cells.ts'

export type Positions = {
  /**
   * @param country ISO 3166 alpha-2
   * @param latitude degrees, -90 to 90
   * @param longitude degrees, -180 to 180
   * @returns false for a country without an outline
   */
  isOutside(country: string, latitude: number, longitude: number): boolean
}

const CELL_DEGREES = 1
const ROWS = 180 / CELL_DEGREES
const COLUMNS = 360 / CELL_DEGREES

export function createPositions(): Positions {
  const cells = new Map<string, ReadonlySet<number>>()
  const cellsOf = (country: string): ReadonlySet<number> => {
    const known = cells.get(country)
    if (known !== undefined) return known
    const runs = Object.hasOwn(COUNTRY_CELLS, country) ? (COUNTRY_CELLS[country] ?? '') : ''
    const read = readCells(runs)
    // Unknown names are not stored, because senders could send any number of them.
    if (read.size > 0) cells.set(country, read)
    return read
  }
  return {
    isOutside: (country, latitude, longitude) => {
      const reached = cellsOf(country)
      if (reached.size === 0) return false
      const row = Math.min(ROWS - 1, Math.floor((latitude + 90) / CELL_DEGREES))
      const column = Math.floor((longitude + 180) / CELL_DEGREES)
      // Cells are narrower towards the poles.
      const width = Math.min(
        COLUMNS / 2,
        Math.ceil(1 / Math.max(0.01, Math.cos((latitude * Math.PI) / 180))),
      )
      for (let y = Math.max(0, row - 1); y <= Math.min(ROWS - 1, row + 1); y += 1) {
        for (let x = column - width; x <= column + width; x += 1) {
          if (reached.has(y * COLUMNS + ((x + COLUMNS) % COLUMNS))) return false
        }
      }
      return true
    },
  }
}

function readCells(runs: string): Set<number> {
  const cells = new Set<number>()
  for (const run of runs.split(' ')) {
    const [row = NaN, first = NaN, last = NaN] = run.split(/[:-]/).map(Number)
    for (let column = first; column <= last; column += 1) cells.add(row * COLUMNS + column)
  }
  return cells
}
