/** Where new organizations are placed: in the cell with the fewest. */
import type { Place } from '../modules/accounts/index.ts'
import { listOpenCells, MAIN_CELL } from '../modules/cells/index.ts'
import type { Core } from './core.ts'

/** With one cell there is nothing to choose. Cells that this process does not know, or cannot use, are left out. */
export function placesOf(core: Pick<Core, 'directory' | 'db' | 'cells'>): () => Promise<Place[]> {
  const main = { cell: MAIN_CELL, db: core.db }
  return async () => {
    if (core.cells.length === 0) return [main]
    const places = [main]
    for (const cell of core.cells) {
      if (await cell.canBeUsed()) places.push({ cell: cell.name, db: cell.db })
    }
    const names = await listOpenCells(core.directory)
    return names.flatMap((name) => places.filter(({ cell }) => cell === name))
  }
}
