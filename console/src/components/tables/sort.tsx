/** Headers that sort: by the service where a list is read in pages, otherwise in the browser. */
import { Icon } from '../icon.tsx'

export type Sort = {
  /** Undefined while another column sorts. */
  direction: 'ascending' | 'descending' | undefined
  onSort: () => void
}

export function SortButton({ label, sort }: { label: string; sort: Sort }) {
  const { direction, onSort } = sort
  const sign = direction === undefined ? 'sortable' : direction === 'ascending' ? 'up' : 'down'
  return (
    <button type="button" class="sort" onClick={onSort}>
      {label} <Icon sign={sign} />
    </button>
  )
}

type Chosen = { label: string; isDescending: boolean }

export function sortOf(
  { label, sortBy, sorting }: { label: string; sortBy?: unknown; sorting?: Sort },
  chosen: Chosen | undefined,
  onChoose: (chosen: Chosen) => void,
): Sort | undefined {
  if (sortBy === undefined) return sorting
  const isChosen = chosen?.label === label
  return {
    direction: isChosen ? (chosen.isDescending ? 'descending' : 'ascending') : undefined,
    onSort: () => onChoose({ label, isDescending: isChosen && !chosen.isDescending }),
  }
}

/** Rows without a value come last in both directions. */
export function sorted<Row>(
  rows: readonly Row[],
  by: (row: Row) => string | number | null,
  isDescending: boolean,
): Row[] {
  const sign = isDescending ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
    return sign * String(a).localeCompare(String(b), 'en', { numeric: true })
  })
}

/** A list in the order of time, which `sort` in the address turns around. */
export const timeSorting = (sort: string, set: (changed: { sort: string }) => void): Sort => ({
  direction: sort === 'oldest' ? 'ascending' : 'descending',
  onSort: () => set({ sort: sort === 'oldest' ? '' : 'oldest' }),
})
