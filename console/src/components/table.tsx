/** Tables that scroll in a separate region where the window is narrow; on phones, rows of wide ones are cards. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { numberText } from './format.ts'
import { shownColumns, useLayout } from './tables/layout.ts'
import { useRowKeys } from './tables/row-keys.ts'
import { type Sort, SortButton, sorted, sortOf } from './tables/sort.tsx'

export type Column<Row> = {
  /** Unique within the table. */
  label: string
  hideLabel?: boolean
  /** Shown in the header instead of the label, such as a checkbox. */
  head?: ComponentChildren
  /** Numbers are formatted; a missing or empty value is shown as a dash. */
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, with digits of one width. */
  isNumber?: boolean
  /** May take several lines, and the width that others leave. */
  isWide?: boolean
  /** Sorts the rows in the browser; only for lists that are read as a whole. */
  sortBy?: (row: Row) => string | number | null
  /** The service sorts by this column, in both directions. */
  sorting?: Sort
}

export type TableProps<Row> = {
  /** The name of the table, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Highlights the row that is open next to the table. */
  isCurrent?: ((row: Row) => boolean) | undefined
}

/** A table within a page. */
export function Table<Row>({ label, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  const sorting = useSorted(columns, rows)
  return (
    // Focusable, so that it can be scrolled with the keyboard (WCAG 2.1.1).
    <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table class={tableClass(columns)} {...ROLES.table}>
        <Head columns={columns} sorting={sorting} />
        <Body columns={columns} rows={sorting.rows} keyOf={keyOf} isCurrent={isCurrent} />
      </table>
    </div>
  )
}

/** The table of a list: with the columns that a person chose, and rows that open with a click or Enter. */
export function ListTable<Row>({ label, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  const [layout] = useLayout(label)
  const shown = shownColumns(columns, layout)
  const sorting = useSorted(columns, rows)
  const table = useRef<HTMLTableElement>(null)
  const keys = useRowKeys(table)
  const frame = useRef<HTMLDivElement>(null)
  const fits = useFits(frame, table)
  return (
    <div
      ref={frame}
      class="table-frame"
      role="region"
      aria-label={label}
      data-density={layout.density}
      data-fits={fits}
    >
      {/* The rows can take the focus; the handlers make them work like the link that each has. */}
      <table ref={table} class={`${tableClass(shown)} table-rows`} {...keys} {...ROLES.table}>
        <Head columns={shown} sorting={sorting} />
        <Body columns={shown} rows={sorting.rows} keyOf={keyOf} isCurrent={isCurrent} />
      </table>
    </div>
  )
}

type Sorted<Row> = { rows: readonly Row[]; sort: (column: Column<Row>) => Sort | undefined }

function useSorted<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Sorted<Row> {
  const [chosen, setChosen] = useState<{ label: string; isDescending: boolean }>()
  const by = columns.find(({ label }) => label === chosen?.label)?.sortBy
  return {
    rows: useMemo(
      () => (by && chosen ? sorted(rows, by, chosen.isDescending) : rows),
      [rows, chosen],
    ),
    sort: (column) => sortOf(column, chosen, setChosen),
  }
}

type PartProps<Row> = Omit<TableProps<Row>, 'label' | 'rows'> & { sorting: Sorted<Row> }

function Head<Row>({ columns, sorting }: Pick<PartProps<Row>, 'columns' | 'sorting'>) {
  return (
    <thead {...ROLES.group}>
      <tr {...ROLES.row}>
        {columns.map((column) => {
          const sort = sorting.sort(column)
          return (
            <th
              key={column.label}
              scope="col"
              {...ROLES.head}
              class={classesOf(column)}
              aria-sort={sort?.direction}
            >
              {column.head ??
                (sort ? (
                  <SortButton label={column.label} sort={sort} />
                ) : column.hideLabel === true ? (
                  <span class="visually-hidden">{column.label}</span>
                ) : (
                  column.label
                ))}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

function Body<Row>({ columns, rows, keyOf, isCurrent }: Omit<TableProps<Row>, 'label'>) {
  const title = columns.find(({ hideLabel }) => hideLabel !== true)
  return (
    <tbody {...ROLES.group}>
      {rows.map((row) => (
        <tr
          key={keyOf(row)}
          {...ROLES.row}
          aria-current={isCurrent?.(row) === true ? 'true' : undefined}
        >
          {columns.map((column) => (
            <td
              key={column.label}
              {...ROLES.cell}
              class={classesOf(column, column === title)}
              data-label={column.hideLabel === true ? undefined : column.label}
            >
              {contentOf(column.cell(row))}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}

/** Some browsers forget what a table is when it is not displayed as one, which cards are not. */
const ROLES = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const

/** Narrower tables fit on a phone. */
const CARD_COLUMNS_MIN = 4

const tableClass = (columns: readonly unknown[]): string =>
  columns.length < CARD_COLUMNS_MIN ? 'table' : 'table table-cards'

/** Whether no column is cut off. Then the frame need not scroll, and the head can stay in view. */
type Shown<Of extends HTMLElement> = RefObject<Of | null>

function useFits(frame: Shown<HTMLDivElement>, table: Shown<HTMLTableElement>): boolean {
  const [fits, setFits] = useState(false)
  useEffect(() => {
    const measure = () => {
      const width = table.current?.offsetWidth ?? 0
      setFits(width > 0 && width <= (frame.current?.clientWidth ?? 0))
    }
    const observer = new ResizeObserver(measure)
    for (const each of [frame.current, table.current]) if (each) observer.observe(each)
    return () => observer.disconnect()
  }, [])
  return fits
}

function contentOf(value: ComponentChildren): ComponentChildren {
  if (typeof value === 'number') return numberText(value)
  const isMissing = value === null || value === undefined || value === ''
  return isMissing ? <span class="muted">–</span> : value
}

const classesOf = ({ isNumber, isWide }: Column<never>, isTitle = false): string =>
  [isNumber && 'number', isWide && 'wide', isTitle && 'title'].filter(Boolean).join(' ')
