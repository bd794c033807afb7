import { useState } from 'preact/hooks'
import type { OrderPage } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useFilteredRows } from '../../api/lists.ts'
import { endOfDay, startOfDay } from '../../components/days.ts'
import { Button, ListPage, timeSorting, wordsOf } from '../../components/index.ts'
import { ORDER_FLAGS } from '../../components/order/signals.ts'
import { MINIMUM_SCORES } from '../../components/risk-filters.ts'
import { useFilters } from '../../shell/filters.ts'
import { useScope } from '../../shell/organization.ts'
import { ImportOutcomes } from './import-outcomes.tsx'
import { orderColumns } from './order-columns.tsx'
import { OrderTabs } from './tabs.tsx'

type OrderRows = Answer<OrderPage>

const NO_FILTERS = {
  order: '',
  external_id: '',
  min_score: '',
  flag: '',
  decision: '',
  from: '',
  to: '',
  sort: '',
}
const FLAGS = [
  { value: '', label: 'Any flag' },
  ...ORDER_FLAGS.map((value) => ({ value, label: wordsOf(value) })),
]
const DECISIONS = [
  { value: '', label: 'Any' },
  { value: 'waiting', label: 'In the review queue' },
  { value: 'confirmed_fraud', label: 'Fraud' },
  { value: 'legitimate', label: 'Legitimate' },
  { value: 'none', label: 'Undecided' },
]

export default function Orders() {
  const scope = useScope()
  const view = useFilters(NO_FILTERS)
  const [{ sort, ...filters }, set] = view
  const [isImporting, setImporting] = useState(false)
  const { from, to } = filters
  const query = { ...scope, ...filters, sort, from: startOfDay(from), to: endOfDay(to) }
  const list = useFilteredRows('/console/api/orders', query, (page: OrderRows) => page.orders)
  return (
    <>
      <ListPage
        title="Orders"
        actions={<Button onClick={() => setImporting(true)}>Report outcomes…</Button>}
        tabs={<OrderTabs />}
        list={list}
        what="orders"
        columns={orderColumns(true, timeSorting(sort, set))}
        keyOf={({ id }) => id}
        view={view}
        filters={[
          { name: 'order', label: 'Order', type: 'search', placeholder: 'ID or yours' },
          { name: 'external_id', label: 'Profile', type: 'search', placeholder: 'external_id' },
          { name: 'min_score', label: 'Score', options: MINIMUM_SCORES },
          { name: 'flag', label: 'Flag', options: FLAGS },
          { name: 'decision', label: 'Decision', options: DECISIONS },
          { name: 'from', label: 'From', type: 'date' },
          { name: 'to', label: 'To', type: 'date' },
        ]}
        emptyTitle={`No ${scope.mode} orders yet`}
        empty={
          <p>
            Send orders to <code>POST /v1/orders</code> with a {scope.mode} key. Each order is
            scored immediately.
          </p>
        }
      />
      {isImporting && <ImportOutcomes onClose={() => setImporting(false)} />}
    </>
  )
}
