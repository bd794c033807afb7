/** All cashier actions, by filters that are in the address. */
import type {
  CashierActions,
  CashierStores,
  CashierSummary,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { usePages, useRead } from '../../api/read.ts'
import { ACTION_TYPES, placeName, wordsOf } from '../../components/cashier/words.ts'
import {
  Button,
  CheckField,
  Empty,
  FilterField,
  More,
  Page,
  Section,
  SelectField,
  Shown,
  TextField,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { ActionTable } from './action-table.tsx'

const DEFAULTS = {
  cashier: '',
  place: '',
  action_type: '',
  flagged: '',
  score_min: '',
  order: '',
  from: '',
  until: '',
}
const SCORES = [
  { value: '', label: 'Any' },
  { value: '25', label: '25 or more' },
  { value: '50', label: '50 or more' },
  { value: '70', label: '70 or more' },
]

type Option = { value: string; label: string }
type View = ReturnType<typeof useFilters<keyof typeof DEFAULTS>>

export default function ActionsPage() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const view = useFilters(DEFAULTS)
  const [filters, setFilters] = view
  const pages = usePages<CashierActions>(
    '/console/api/cashiers/actions',
    {
      org_id,
      mode,
      cashier_id: filters.cashier,
      location: filters.place,
      action_type: filters.action_type,
      is_flagged: filters.flagged,
      score_min: filters.score_min,
      order_external_id: filters.order,
      start_date: dayStart(filters.from),
      end_date: dayEnd(filters.until),
    },
    { keep: true },
  )
  const actions = pages.data?.pages.flatMap((page) => page.actions) ?? []
  return (
    <Page title="Cashier actions" up={{ to: '/cashiers', label: 'Cashiers' }}>
      <ActionFilters view={view} />
      <Section title="Actions" hideTitle>
        <Shown read={pages} what="cashier actions">
          {() => (
            <>
              {actions.length > 0 ? (
                <ActionTable actions={actions} />
              ) : (
                <Empty
                  title={pages.hasNextPage ? 'None among the newest' : 'No cashier action matches'}
                >
                  {pages.hasNextPage ? (
                    <p>Older actions have not been looked at yet.</p>
                  ) : (
                    <Button onClick={() => setFilters(DEFAULTS)}>Remove all filters</Button>
                  )}
                </Empty>
              )}
              <More pages={pages} shown={actions.length} what="cashier actions" />
            </>
          )}
        </Shown>
      </Section>
    </Page>
  )
}

function ActionFilters({ view: [filters, setFilters] }: { view: View }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const stores = useRead<CashierStores>('/console/api/cashiers/stores', {
    org_id,
    mode,
    days: '14',
  })
  const cashier = useRead<CashierSummary>(
    `/console/api/cashiers/${encodeURIComponent(filters.cashier)}`,
    { org_id, mode, days: '14' },
    { enabled: filters.cashier !== '' },
  )
  const places = (stores.data?.stores ?? []).map(({ location }) => location)
  const isKnown = filters.place === '' || places.includes(filters.place)
  return (
    <Toolbar label="Cashier actions">
      {filters.cashier !== '' && (
        <Button onClick={() => setFilters({ cashier: '' })}>
          Cashier {cashier.data?.cashier_external_id ?? ''} ✕
          <span class="visually-hidden"> remove this filter</span>
        </Button>
      )}
      <SelectField
        label="Action"
        value={filters.action_type}
        options={[
          { value: '', label: 'All' },
          ...ACTION_TYPES.map((type): Option => ({ value: type, label: wordsOf(type) })),
        ]}
        onChange={(action_type) => setFilters({ action_type })}
      />
      <SelectField
        label="Place"
        value={filters.place}
        options={[
          { value: '', label: 'All' },
          ...[...places, ...(isKnown ? [] : [filters.place])].map((value) => ({
            value,
            label: placeName(value),
          })),
        ]}
        onChange={(place) => setFilters({ place })}
      />
      <SelectField
        label="Score"
        value={filters.score_min}
        options={SCORES}
        onChange={(score_min) => setFilters({ score_min })}
      />
      <TextField
        label="From"
        type="date"
        value={filters.from}
        onInput={(from) => setFilters({ from }, { replace: true })}
      />
      <TextField
        label="Until"
        type="date"
        value={filters.until}
        onInput={(until) => setFilters({ until }, { replace: true })}
      />
      <FilterField
        label="Order id"
        type="search"
        value={filters.order}
        onChange={(order) => setFilters({ order }, { replace: true })}
      />
      <CheckField
        label="Flagged only"
        checked={filters.flagged === 'true'}
        onChange={(isFlagged) => setFilters({ flagged: isFlagged ? 'true' : '' })}
      />
    </Toolbar>
  )
}

/** Days of the viewer, as times. */
function dayStart(day: string): string | undefined {
  const time = new Date(`${day}T00:00:00`)
  return day === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

function dayEnd(day: string): string | undefined {
  const time = new Date(`${day}T23:59:59.999`)
  return day === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
