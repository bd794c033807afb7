/** Lists as all pages show them: filters, rows or the reason why there are none, further rows. */
import type { ComponentChildren } from 'preact'
import type { Rows } from '../api/lists.ts'
import type { View } from '../shell/filters.ts'
import { type Filter, FilterBar } from './filter-bar.tsx'
import { capitalized } from './format.ts'
import { More } from './more.tsx'
import { Page, type PageProps, Section } from './page.tsx'
import { Pager, type Pagination } from './pager.tsx'
import { Empty, Loaded } from './states.tsx'
import { ListTable, type TableProps } from './table.tsx'
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
  /** Set for lists with numbered pages. */
  pagination?: Pagination | undefined
  onPage?: (page: number) => void
}

export function List<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { list, what, label = capitalized(what), columns, keyOf, isCurrent } = props
  const { pages, examined_until } = list
  return (
    <>
      <ListFilters {...props} />
      <Loaded read={list} what={what}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <NoRows {...props} />
            ) : (
              <ListTable {...{ label, columns, rows, keyOf, isCurrent }} />
            )}
            {pages && (rows.length > 0 || pages.hasNextPage) && (
              <More {...{ pages, what, examined_until }} shown={rows.length} />
            )}
            {props.pagination && props.onPage && rows.length > 0 && (
              <Pager pagination={props.pagination} what={what} onPage={props.onPage} />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function ListFilters<Row, Name extends string>(props: ListProps<Row, Name>) {
  const { list, what, label = capitalized(what), columns, view, filters, toolbar } = props
  if (!view || !filters) return <>{toolbar}</>
  return (
    <FilterBar label={`Filter ${what}`} view={view} filters={filters}>
      {toolbar}
      <TableTools {...{ label, what, columns, list: list as Rows<object> }} />
    </FilterBar>
  )
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
  return (
    <Section
      title={title ?? list.label ?? capitalized(list.what)}
      hideTitle={title === undefined}
      actions={actions}
    >
      <List {...list} />
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
