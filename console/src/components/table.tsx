/** Tables that scroll in a region of their own where the window is narrow. */
import type { ComponentChildren } from 'preact'
import { numberText } from './format.ts'

export type Column<Row> = {
  /** Unique within the table. */
  label: string
  hideLabel?: boolean
  /** Numbers are formatted; a missing or empty value is shown as a dash. */
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, with digits of one width. */
  isNumber?: boolean
  /** Takes the remaining width. */
  isWide?: boolean
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

export function Table<Row>({ label, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  return (
    // Focusable, so that it can be scrolled with the keyboard (WCAG 2.1.1).
    <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={classesOf(column)}>
                {column.hideLabel === true ? (
                  <span class="visually-hidden">{column.label}</span>
                ) : (
                  column.label
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-current={isCurrent?.(row) === true ? 'true' : undefined}>
              {columns.map((column) => (
                <td key={column.label} class={classesOf(column)}>
                  {contentOf(column.cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function contentOf(value: ComponentChildren): ComponentChildren {
  if (typeof value === 'number') return numberText(value)
  const isMissing = value === null || value === undefined || value === ''
  return isMissing ? <span class="muted">–</span> : value
}

const classesOf = ({ isNumber, isWide }: Column<never>): string =>
  [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ')
