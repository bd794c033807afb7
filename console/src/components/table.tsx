/** Tables that scroll in their own region where the window is narrow. */
import type { ComponentChildren } from 'preact'

export type Column<Row> = {
  /** Of the column; unique. */
  label: string
  hideLabel?: boolean
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, with digits of one width. */
  isNumber?: boolean
  /** Takes what room is left. */
  isWide?: boolean
}

export type TableProps<Row> = {
  /** What the table holds, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Marks the row that is open beside the table. */
  isCurrent?: (row: Row) => boolean
}

export function Table<Row>({ label, columns, rows, keyOf, isCurrent }: TableProps<Row>) {
  return (
    // Focusable, so that it can be scrolled by keys (WCAG 2.1.1).
    <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ label: text, hideLabel, isNumber, isWide }) => (
              <th key={text} scope="col" class={classesOf({ isNumber, isWide })}>
                {hideLabel === true ? <span class="visually-hidden">{text}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-current={isCurrent?.(row) === true ? 'true' : undefined}>
              {columns.map(({ label: text, cell, isNumber, isWide }) => (
                <td key={text} class={classesOf({ isNumber, isWide })}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const classesOf = ({
  isNumber,
  isWide,
}: {
  isNumber: boolean | undefined
  isWide: boolean | undefined
}): string => [isNumber && 'number', isWide && 'wide'].filter(Boolean).join(' ')
