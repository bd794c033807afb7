/** Rows that are chosen with checkboxes: a column of them, with a header that chooses all rows that are shown. */
import type { Column } from '../table.tsx'

export type Selection = {
  selected: readonly string[]
  onSelect: (selected: readonly string[]) => void
}

type Options<Row> = Selection & {
  rows: readonly Row[]
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  canSelect?: ((row: Row) => boolean) | undefined
}

export function selectionColumn<Row>(options: Options<Row>): Column<Row> {
  const { selected, onSelect, rows, keyOf, nameOf, canSelect = () => true } = options
  const keys = rows.filter(canSelect).map(keyOf)
  const isAll = keys.length > 0 && keys.every((key) => selected.includes(key))
  const others = selected.filter((key) => !keys.includes(key))
  return {
    label: 'Select',
    hideLabel: true,
    head: (
      <input
        type="checkbox"
        aria-label="Select all shown"
        checked={isAll}
        disabled={keys.length === 0}
        onChange={() => onSelect(isAll ? others : [...others, ...keys])}
      />
    ),
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={selected.includes(keyOf(row))}
        disabled={!canSelect(row)}
        onChange={({ currentTarget }) =>
          onSelect(
            currentTarget.checked
              ? [...selected, keyOf(row)]
              : selected.filter((key) => key !== keyOf(row)),
          )
        }
      />
    ),
  }
}
