import type {
  CashierActions,
  CashierStores,
  CashierSummary,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { useFilteredRows } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { ACTION_TYPES, storeOptions } from '../../components/cashier/words.ts'
import { endOfDay, startOfDay } from '../../components/days.ts'
import { Icon } from '../../components/icon.tsx'
import { Button, ListPage, wordsOf } from '../../components/index.ts'
import { MINIMUM_SCORES } from '../../components/risk-filters.ts'
import { useFilters } from '../../shell/filters.ts'
import { useScope } from '../../shell/organization.ts'
import { actionColumns } from './action-columns.tsx'
import { HowToSend } from './how-to-send.tsx'

const NO_FILTERS = {
  cashier: '',
  place: '',
  action_type: '',
  flagged: '',
  score_min: '',
  order: '',
  from: '',
  until: '',
}
const ACTIONS = [
  { value: '', label: 'All' },
  ...ACTION_TYPES.map((value) => ({ value, label: wordsOf(value) })),
]

export default function ActionsPage() {
  const view = useFilters(NO_FILTERS)
  const [filters, setFilters] = view
  const { place, action_type, score_min } = filters
  const query = {
    ...useScope(),
    cashier_id: filters.cashier,
    location: place,
    action_type,
    is_flagged: filters.flagged,
    score_min,
    order_external_id: filters.order,
    start_date: startOfDay(filters.from),
    end_date: endOfDay(filters.until),
  }
  const rowsOf = ({ actions }: CashierActions) => actions
  return (
    <ListPage
      title="Cashier actions"
      up={{ to: '/cashiers', label: 'Cashiers' }}
      list={useFilteredRows('/console/api/cashiers/actions', query, rowsOf)}
      what="cashier actions"
      columns={actionColumns()}
      keyOf={({ id }) => id}
      view={view}
      filters={[
        { name: 'action_type', label: 'Action', options: ACTIONS },
        { name: 'place', label: 'Store', options: useStoreOptions(place), isLoaded: true },
        { name: 'score_min', label: 'Score', options: MINIMUM_SCORES },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'until', label: 'To', type: 'date' },
        { name: 'order', label: 'Order ID', type: 'search' },
        { name: 'flagged', label: 'Flagged only', checked: 'true' },
      ]}
      empty={<HowToSend />}
      toolbar={
        filters.cashier !== '' && (
          <CashierFilter id={filters.cashier} onClear={() => setFilters({ cashier: '' })} />
        )
      }
    />
  )
}

function useStoreOptions(selected: string) {
  const query = { ...useScope(), days: '14' }
  const { data } = useRead<CashierStores>('/console/api/cashiers/stores', query)
  return [{ value: '', label: 'All' }, ...storeOptions(data?.stores ?? [], selected)]
}

function CashierFilter({ id, onClear }: { id: string; onClear: () => void }) {
  const query = { ...useScope(), days: '14' }
  const path = `/console/api/cashiers/${encodeURIComponent(id)}`
  const { data } = useRead<CashierSummary>(path, query)
  return (
    <Button onClick={onClear}>
      Cashier {data?.cashier_external_id ?? ''} <Icon sign="close" />
      <span class="visually-hidden"> Remove this filter</span>
    </Button>
  )
}
