/** How the list of logs is shown: its columns, the height of its rows, and its order. */
import { useState } from 'preact/hooks'
import type { DataMembers } from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Icon } from '../../../components/icon.tsx'
import { Button, SelectField } from '../../../components/index.ts'
import { MEMBERS_PATH, type ScopedLogQuery } from '../queries.ts'
import type { View } from '../view.ts'
import {
  COLUMN_FIELDS,
  COLUMNS_MAX,
  columnsOf,
  columnsText,
  DENSITIES,
  type Density,
  densityOf,
  isColumn,
} from './columns.ts'
import styles from './explorer.module.css'

export type ViewOptionsProps = {
  view: View
  query: ScopedLogQuery
  onChange: (changed: Partial<View>) => void
}

const ORDERS = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
]
const ROWS = Object.entries(DENSITIES).map(([value, { label }]) => ({
  value: value as Density,
  label,
}))

export function ViewOptions({ view, query, onChange }: ViewOptionsProps) {
  const [isOpen, setOpen] = useState(false)
  const columns = columnsOf(view.columns)
  const show = (next: readonly string[]) => onChange({ columns: columnsText(next) })
  return (
    <details
      class={styles['options']}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Columns, rows and order</summary>
      {isOpen && (
        <div class={styles['time']}>
          {columns.map((column) => (
            <Button
              key={column}
              size="small"
              aria-label={`Remove column ${column}`}
              onClick={() => show(columns.filter((each) => each !== column))}
            >
              {column} <Icon sign="close" />
            </Button>
          ))}
          {columns.length < COLUMNS_MAX && (
            <AddColumn columns={columns} query={query} onAdd={(name) => show([...columns, name])} />
          )}
          <SelectField
            label="Rows"
            value={densityOf(view.density)}
            options={ROWS}
            onChange={(density) => onChange({ density })}
          />
          <SelectField
            label="Order"
            value={view.order}
            options={ORDERS}
            onChange={(order) => onChange({ order })}
          />
        </div>
      )}
    </details>
  )
}

type AddColumnProps = {
  columns: readonly string[]
  query: ScopedLogQuery
  onAdd: (name: string) => void
}

function AddColumn({ columns, query, onAdd }: AddColumnProps) {
  const { data } = useRead<DataMembers>(MEMBERS_PATH, query, { keep_previous: true })
  const members = (data?.members ?? []).map(({ name }) => name).filter(isColumn)
  const options = [...COLUMN_FIELDS, ...members].filter((name) => !columns.includes(name))
  return (
    <SelectField
      label="Add column"
      value=""
      options={[{ value: '', label: 'Select a field…' }, ...options]}
      onChange={(name) => name !== '' && onAdd(name)}
    />
  )
}
