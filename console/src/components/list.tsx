/** Lists as all pages show them: filters, rows or the reason why there are none, further rows. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Rows } from '../api/lists.ts'
import type { View } from '../shell/filters.ts'
import { type Filter, FilterBar } from './filter-bar.tsx'
import { capitalized } from './format.ts'
import { More } from './more.tsx'
import { Page, type PageProps, Section } from './page.tsx'
import { Pager, type Pagination } from './pager.tsx'
import { Empty, Loaded } from './states.tsx'
import { ListTable, type TableProps } from './table.tsx'
import { type Batch, BatchBar, BatchDialog, type Run } from './tables/batch.tsx'
import { selectionColumn } from './tables/selection.tsx'
import { TableTools } from './tables/table-tools.tsx'

export type ListProps<Row, Name extends string = string> = Omit<
  TableProps<Row>,
  'rows' | 'label'
> & {
  list: Rows<Row>
  /** In the plural and lower case: "orders". */
  what: string
  /** Name of the table, if it differs from `what`. */
  label?: string
  /** Filters above the rows; `toolbar` takes further or other controls. */
  view?: View<Name>
  filters?: readonly Filter<Name>[]
  toolbar?: ComponentChildren
  /** Overrides what `view` says, for lists with a toolbar of their own. */
  isFiltered?: boolean
  /** Instead of "No orders yet". */
  emptyTitle?: string
  /** What to do while there are no rows at all. */
  empty?: ComponentChildren
  /** Actions on several rows together. */
  batch?: Batch<Row> | undefined
  /** Leaves out the buttons for the view and CSV: for short lists, and those that show them elsewhere. */
  hideTools?: boolean
  /** Set for lists with numbered pages. */
  pagination?: Pagination | undefined
  onPage?: (page: number) => void
}

export function List<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { list, what, batch } = props
  const [run, setRun] = useState<Run<Row>>()
  return (
    <>
      <ListFilters {...props} />
      <Loaded read={list} what={what}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <NoRows {...props} />
            ) : (
              <ListRows {...props} rows={rows} onRun={setRun} />
            )}
            <ListEnd {...props} count={rows.length} />
          </>
        )}
      </Loaded>
      {batch && run && (
        <BatchDialog {...{ batch, what }} {...run} onClose={() => setRun(undefined)} />
      )}
    </>
  )
}

type RowsProps<Row, Name extends string> = ListProps<Row, Name> & {
  rows: readonly Row[]
  onRun: (run: Run<Row>) => void
}

function ListRows<Row, Name extends string>(props: RowsProps<Row, Name>) {
  const { what, label = capitalized(what), rows, columns, keyOf, isCurrent, batch, onRun } = props
  const [selected, onSelect] = useState<readonly string[]>([])
  if (!batch) return <ListTable {...{ label, columns, rows, keyOf, isCurrent }} />
  // Rows that are no longer shown are not selected.
  const chosen = rows.filter((row) => selected.includes(keyOf(row)))
  const keys = chosen.map(keyOf)
  const { nameOf } = batch
  return (
    <>
      {chosen.length > 0 && (
        <BatchBar {...{ batch, what, onRun }} rows={chosen} onClear={() => onSelect([])} />
      )}
      <ListTable
        {...{ label, rows, keyOf }}
        columns={[selectionColumn({ selected: keys, onSelect, rows, keyOf, nameOf }), ...columns]}
        isCurrent={(row) => isCurrent?.(row) === true || keys.includes(keyOf(row))}
      />
    </>
  )
}

function ListEnd<Row, Name extends string>(props: ListProps<Row, Name> & { count: number }) {
  const { count, what, pagination, onPage } = props
  const { pages, examined_until } = props.list
  return (
    <>
      {pages && (count > 0 || pages.hasNextPage) && (
        <More {...{ pages, what, examined_until }} shown={count} />
      )}
      {pagination && onPage && count > 0 && (
        <Pager pagination={pagination} what={what} onPage={onPage} />
      )}
    </>
  )
}

function ListFilters<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { what, view, filters, toolbar, hideTools } = props
  const tools = hideTools !== true && <Tools {...props} />
  if (view && filters) {
    return (
      <FilterBar label={`Filter ${what}`} view={view} filters={filters}>
        {toolbar}
        {tools}
      </FilterBar>
    )
  }
  if (!toolbar && !tools) return null
  return (
    <div class="list-tools">
      {toolbar}
      {tools}
    </div>
  )
}

function Tools<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { what, label = capitalized(what), columns, list } = props
  return <TableTools {...{ label, what, columns, list: list as Rows<object> }} />
}

function NoRows<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { list, what, view, empty, emptyTitle = `No ${what} yet` } = props
  if (list.pages?.hasNextPage === true) {
    return (
      <Empty title={`No matching ${what} so far`}>
        <p>Older {what} have not been searched yet.</p>
      </Empty>
    )
  }
  if (props.isFiltered ?? view?.[2].isFiltered) {
    return (
      <Empty title={`No matching ${what}`}>
        <p>Change or clear the filters.</p>
      </Empty>
    )
  }
  return <Empty title={emptyTitle}>{empty}</Empty>
}

/** A list as one section of a page. */
export function ListSection<Row, Name extends string>(
  props: ListProps<Row, Name> & { title?: string; actions?: ComponentChildren },
) {
  const { title, actions, ...list } = props
  // Without filters, the buttons of the table need no separate line.
  const hasRoom = title !== undefined && !list.filters && !list.toolbar && list.hideTools !== true
  return (
    <Section
      title={title ?? list.label ?? capitalized(list.what)}
      hideTitle={title === undefined}
      actions={
        hasRoom ? (
          <>
            {actions}
            <Tools {...list} />
          </>
        ) : (
          actions
        )
      }
    >
      <List {...list} hideTools={hasRoom || list.hideTools === true} />
    </Section>
  )
}

type ListPageProps<Row, Name extends string> = ListProps<Row, Name> &
  Omit<PageProps, 'children'> & {
    tabs?: ComponentChildren
    /** Below the list, such as dialogs. */
    children?: ComponentChildren
  }

/** A page that is one list. */
export function ListPage<Row, Name extends string>(props: ListPageProps<Row, Name>) {
  const { title, lead, up, actions, tabs, children, ...list } = props
  return (
    <Page {...{ title, lead, actions, ...(up && { up }) }}>
      {tabs}
      <ListSection {...list} />
      {children}
    </Page>
  )
}
