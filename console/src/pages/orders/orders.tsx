/** All orders, newest first, with filters that live in the address. */
import type { OrderPage } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { usePages } from '../../api/read.ts'
import {
  Button,
  Empty,
  Failed,
  FilterField,
  Page,
  Section,
  SelectField,
  Toolbar,
  Waiting,
} from '../../components/index.ts'
import { ORDER_FLAGS, wordsOf } from '../../components/order/signals.ts'
import { LEAST_SCORES } from '../../components/risk-filters.ts'
import { Walked } from '../../components/walked.tsx'
import { type SetFilters, useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { OrderTable } from './order-table.tsx'
import { OrderTabs } from './tabs.tsx'

const FILTERS = {
  order: '',
  external_id: '',
  min_score: '',
  flag: '',
  decision: '',
  from: '',
  to: '',
}
type Name = keyof typeof FILTERS

const FLAGS = [
  { value: '', label: 'Any flag' },
  ...ORDER_FLAGS.map((value) => ({ value, label: wordsOf(value) })),
]
const DECISIONS = [
  { value: '', label: 'Any' },
  { value: 'waiting', label: 'In the review queue' },
  { value: 'confirmed_fraud', label: 'Confirmed fraud' },
  { value: 'legitimate', label: 'Legitimate' },
  { value: 'none', label: 'Undecided' },
]

export default function Orders() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [filters, setFilters] = useFilters<Name>(FILTERS)
  const pages = usePages<Answer<OrderPage>>(
    '/console/api/orders',
    { org_id, mode, ...filters },
    { keep: true },
  )
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const orders = pages.data?.pages.flatMap((page) => page.orders) ?? []
  return (
    <Page title="Orders" lead="Scored as they arrived, newest first">
      <OrderTabs />
      <OrderFilters filters={filters} set={setFilters} />
      <Section title="All orders" hideTitle>
        {pages.error ? (
          <Failed error={pages.error} onRetry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Waiting for="orders" />
        ) : (
          <>
            {orders.length === 0 ? (
              <Nothing isFiltered={isFiltered} onClear={() => setFilters(FILTERS)} />
            ) : (
              <OrderTable label="Orders" orders={orders} />
            )}
            {(orders.length > 0 || pages.hasNextPage) && (
              <Walked
                pages={pages}
                shown={orders.length}
                what="orders"
                examined_until={pages.data.pages.at(-1)?.examined_until ?? null}
              />
            )}
          </>
        )}
      </Section>
    </Page>
  )
}

function OrderFilters({
  filters,
  set,
}: {
  filters: Readonly<Record<Name, string>>
  set: SetFilters<Name>
}) {
  const change = (name: Name) => (value: string) => set({ [name]: value }, { replace: true })
  return (
    <Toolbar label="Filter orders">
      <FilterField
        label="Order"
        type="search"
        placeholder="external_order_id or ID"
        value={filters.order}
        onChange={change('order')}
      />
      <FilterField
        label="Profile"
        type="search"
        placeholder="external_id"
        value={filters.external_id}
        onChange={change('external_id')}
      />
      <SelectField
        label="Score"
        value={filters.min_score}
        options={LEAST_SCORES}
        onChange={change('min_score')}
      />
      <SelectField label="Flag" value={filters.flag} options={FLAGS} onChange={change('flag')} />
      <SelectField
        label="Decision"
        value={filters.decision}
        options={DECISIONS}
        onChange={change('decision')}
      />
      <FilterField label="From (UTC)" type="date" value={filters.from} onChange={change('from')} />
      <FilterField label="To (UTC)" type="date" value={filters.to} onChange={change('to')} />
    </Toolbar>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const mode = useMode()
  if (isFiltered) {
    return (
      <Empty title="No order matches">
        <Button onClick={onClear}>Clear the filters</Button>
      </Empty>
    )
  }
  return (
    <Empty title={mode === 'test' ? 'No test orders yet' : 'No live orders yet'}>
      <p>
        Send them to <code>POST /v1/orders</code>
        {mode === 'live' ? ' with a live key' : ' with a test key'}; each is scored at once.
      </p>
    </Empty>
  )
}
