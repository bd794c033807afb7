/** The cashiers of one store, compared by one kind of action. */
import type { CashierPeers, CashierStores } from '../../../../src/modules/cashier/reading/schema.ts'
import { loadedRows } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { ACTION_TYPES, storeName, storeOptions } from '../../components/cashier/words.ts'
import {
  capitalized,
  countText,
  Empty,
  ListSection,
  Loaded,
  Notice,
  Page,
  Section,
  SelectField,
  Time,
  Toolbar,
  wordsOf,
} from '../../components/index.ts'
import { useFilters, type View } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { HowToSend } from './how-to-send.tsx'
import { MEASURES, measureOf } from './measures.ts'
import { PeerBars } from './peer-bars.tsx'
import { PERIODS } from './periods.ts'

const DEFAULTS = { place: '', action_type: 'void', days: '14', measure: 'share_week' }

const KEEP = { keep_previous: true }

type PeersView = View<keyof typeof DEFAULTS>

export default function PeersPage() {
  const view = useFilters(DEFAULTS)
  const [{ days, place }] = view
  const query = { ...useScope(), days }
  const stores = useRead<CashierStores>('/console/api/cashiers/stores', query, KEEP)
  return (
    <Page
      title="Cashiers"
      lead="Cashiers compared with peers in the same role and store, the largest deviation first."
      actions={
        <PageLink to="/cashiers/actions" class="button">
          All actions
        </PageLink>
      }
    >
      <Loaded read={stores} what="stores">
        {(found) => (
          <>
            <PeerFilters view={view} found={found} />
            {found.stores.length === 0 ? (
              <Section title="Cashiers" hideTitle>
                <Empty title="No cashier actions in this period">
                  <HowToSend />
                </Empty>
              </Section>
            ) : (
              <Peers view={view} location={place || (found.stores[0]?.location ?? '')} />
            )}
            {found.stores.length > 0 && <Stores view={view} found={found} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

type FoundProps = { view: PeersView; found: CashierStores }

function PeerFilters({ view: [filters, setFilters], found: { stores } }: FoundProps) {
  return (
    <Toolbar label="Peers" count={Object.keys(changedFilters(filters)).length}>
      <SelectField
        label="Store"
        value={filters.place || (stores[0]?.location ?? '')}
        options={storeOptions(stores, filters.place)}
        disabled={stores.length === 0}
        onChange={(place) => setFilters({ place })}
      />
      <SelectField
        label="Action"
        value={filters.action_type}
        options={ACTION_TYPES.map((value) => ({ value: value as string, label: wordsOf(value) }))}
        onChange={(action_type) => setFilters({ action_type })}
      />
      <SelectField
        label="Period"
        value={filters.days}
        options={PERIODS}
        onChange={(days) => setFilters({ days })}
      />
      <SelectField
        label="Compare by"
        value={filters.measure}
        options={MEASURES.map(({ id, label }) => ({ value: id, label }))}
        onChange={(measure) => setFilters({ measure })}
      />
    </Toolbar>
  )
}

function Peers({ view: [filters], location }: { view: PeersView; location: string }) {
  const { action_type, days, measure: selected } = filters
  const query = { ...useScope(), location, action_type, days }
  const read = useRead<CashierPeers>('/console/api/cashiers/peers', query, KEEP)
  return (
    <Section title={`${capitalized(wordsOf(action_type))} by cashier, ${storeName(location)}`}>
      <Loaded read={read} what="peers">
        {(peers) => {
          const measure = measureOf(selected, peers)
          if (peers.cashiers.length === 0 || !measure) {
            return (
              <Empty title="No such actions in this store and period">
                <p>Select another store or a longer period.</p>
              </Empty>
            )
          }
          return (
            <>
              <Incomplete period={peers.period} />
              {measure.id !== selected && (
                <p class="muted">
                  No cashier has a value for “{labelOf(selected)}”. Showing “{measure.label}”
                  instead.
                </p>
              )}
              <PeerBars peers={peers} measure={measure} days={days} />
              <Method action_type={peers.action_type} counted_with={peers.counted_with} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

function Incomplete({ period }: { period: CashierPeers['period'] }) {
  if (period.is_complete) return null
  return (
    <Notice tone="warn">
      Based on the newest {countText(period.examined, 'actions')} of this period, since{' '}
      <Time at={period.since} />. Older ones are not included.
    </Notice>
  )
}

function Method({ action_type, counted_with }: Pick<CashierPeers, 'action_type' | 'counted_with'>) {
  return (
    <p class="muted">
      The marker in a bar is the usual value among peers. “Current signal” is the signal that
      scoring computes for the cashier now, from 0 to 100; from 50 it raises a flag.
      {counted_with.length > 0 &&
        ` Scoring counts ${wordsOf(action_type)} together with ${counted_with.map(wordsOf).join(' and ')}.`}
    </p>
  )
}

function Stores({ view: [filters], found }: FoundProps) {
  const { place: _, ...query } = changedFilters(filters)
  return (
    <>
      <Incomplete period={found.period} />
      <ListSection
        title="Stores"
        what="stores"
        list={loadedRows(found.stores)}
        keyOf={({ location }) => location}
        isCurrent={({ location }) => location === filters.place}
        columns={[
          {
            label: 'Store',
            isWide: true,
            cell: ({ location }) => (
              <PageLink to="/cashiers" query={{ ...query, place: location }}>
                {storeName(location)}
              </PageLink>
            ),
          },
          { label: 'Cashiers', isNumber: true, cell: ({ cashiers }) => cashiers },
          { label: 'Actions', isNumber: true, cell: ({ actions }) => actions },
          { label: 'Flagged', isNumber: true, cell: ({ flagged }) => flagged },
          { label: 'Highest score', isNumber: true, cell: ({ highest_score }) => highest_score },
          {
            label: 'Last action',
            cell: ({ last_performed_at }) => <Time at={last_performed_at} as="age" />,
          },
        ]}
      />
    </>
  )
}

const changedFilters = (filters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).filter(([name, value]) => value !== DEFAULTS[name as 'days']),
  )

const labelOf = (id: string): string => MEASURES.find((each) => each.id === id)?.label ?? id
