/** How a person arranges tables, stored in this browser: columns of each table, and the height of rows of all. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { readStored, store } from '../../shell/browser-storage.ts'
import { OrganizationContext } from '../../shell/organization.ts'

export type Density = 'compact' | 'comfortable'

export type Layout = {
  /** Labels in the chosen sequence; columns that are missing here follow. */
  order: readonly string[]
  hidden: readonly string[]
  density: Density
}

const CHANGED = 'vigil:layout'

export function useLayout(table: string): [Layout, (changed: Partial<Layout>) => void] {
  const person = useContext(OrganizationContext)?.me.user_id ?? ''
  const [columnsKey, densityKey] = [`vigil:columns:${person}:${table}`, `vigil:density:${person}`]
  const read = (): Layout => ({
    ...readColumns(columnsKey),
    density: readStored(densityKey) === 'comfortable' ? 'comfortable' : 'compact',
  })
  const [layout, setLayout] = useState(read)
  useEffect(() => {
    const update = () => setLayout(read())
    update()
    window.addEventListener(CHANGED, update)
    return () => window.removeEventListener(CHANGED, update)
  }, [columnsKey])
  const change = (changed: Partial<Layout>) => {
    const { order, hidden, density } = { ...layout, ...changed }
    const isPlain = order.length === 0 && hidden.length === 0
    store(columnsKey, isPlain ? null : JSON.stringify({ order, hidden }))
    store(densityKey, density === 'compact' ? null : density)
    window.dispatchEvent(new Event(CHANGED))
  }
  return [layout, change]
}

function readColumns(key: string): Pick<Layout, 'order' | 'hidden'> {
  try {
    const { order, hidden } = JSON.parse(readStored(key) ?? '{}') as Record<string, unknown>
    return { order: textsOf(order), hidden: textsOf(hidden) }
  } catch {
    return { order: [], hidden: [] }
  }
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Columns in the sequence of the layout. */
export function inOrder<Column extends { label: string }>(
  columns: readonly Column[],
  { order }: Pick<Layout, 'order'>,
): Column[] {
  const place = ({ label }: Column) => {
    const at = order.indexOf(label)
    return at < 0 ? order.length : at
  }
  return columns.toSorted((a, b) => place(a) - place(b))
}

/** At least one column stays. */
export function shownColumns<Column extends { label: string }>(
  columns: readonly Column[],
  layout: Pick<Layout, 'order' | 'hidden'>,
): Column[] {
  const shown = inOrder(columns, layout).filter(({ label }) => !layout.hidden.includes(label))
  return shown.length === 0 ? inOrder(columns, layout) : shown
}

/** Moves a label one place up or down. */
export function moved(labels: readonly string[], label: string, step: 1 | -1): string[] {
  const from = labels.indexOf(label)
  const to = from + step
  if (from < 0 || to < 0 || to >= labels.length) return [...labels]
  return labels.toSpliced(from, 1).toSpliced(to, 0, label)
}
