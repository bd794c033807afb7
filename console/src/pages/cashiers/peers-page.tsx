/** The cashiers of a place side by side: how often each did one kind of action, against the peers. */
import type { CashierPeers, CashierStores } from '../../../../src/modules/cashier/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import { ACTION_TYPES, placeName, wordsOf } from '../../components/cashier/words.ts'
import {
  Empty,
  Notice,
  Page,
  Section,
  SelectField,
  Shown,
  Table,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { MEASURES, measureOf } from './measures.ts'
import { PeerBars } from './peer-bars.tsx'
import { PERIODS } from './periods.ts'

const DEFAULTS = { place: '', action_type: 'void', days: '14', measure: 'share_week' }

type Option = { value: string; label: string }
type View = ReturnType<typeof useFilters<keyof typeof DEFAULTS>>

export default function PeersPage() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const view = useFilters(DEFAULTS)
  const [{ days, place }] = view
  const stores = useRead<CashierStores>(
    '/console/api/cashiers/stores',
    { org_id, mode, days },
    { keep: true },
  )
  return (
    <Page
      title="Cashiers"
      lead="Peers are the cashiers of one place in the same role; who stands out comes first."
      actions={
        <PageLink to="/cashiers/actions" class="button button-normal button-plain">
          All actions
        </PageLink>
      }
    >
      <Shown read={stores} what="places">
        {(found) => (
          <>
            <PeerFilters view={view} found={found} />
            {found.stores.length === 0 ? (
              <Section title="Cashiers" hideTitle>
                <Empty title="No cashier did anything in these days">
                  <p>
                    Actions come from <code>POST /v1/cashier/actions</code>; sales, with{' '}
                    <code>cashier_external_id</code>, from <code>POST /v1/orders</code>.
                  </p>
                </Empty>
              </Section>
            ) : (
              <Peers view={view} location={place || (found.stores[0]?.location ?? '')} />
            )}
            {found.stores.length > 0 && <Places view={view} found={found} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

function PeerFilters({ view: [filters, setFilters], found }: { view: View; found: CashierStores }) {
  const places = found.stores.map(({ location }) => location)
  const known = filters.place === '' || places.includes(filters.place)
  return (
    <Toolbar label="Peers">
      <SelectField
        label="Place"
        value={filters.place || (places[0] ?? '')}
        options={[...places, ...(known ? [] : [filters.place])].map((value) => ({
          value,
          label: placeName(value),
        }))}
        disabled={places.length === 0}
        onChange={(place) => setFilters({ place })}
      />
      <SelectField
        label="Action"
        value={filters.action_type}
        options={ACTION_TYPES.map((type): Option => ({ value: type, label: wordsOf(type) }))}
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

function Peers({ view: [filters], location }: { view: View; location: string }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const { action_type, days, measure: asked } = filters
  const read = useRead<CashierPeers>(
    '/console/api/cashiers/peers',
    { org_id, mode, location, action_type, days },
    { keep: true },
  )
  return (
    <Section title={`${capitalised(wordsOf(action_type))} by cashier, ${placeName(location)}`}>
      <Shown read={read} what="peers">
        {(peers) => {
          const measure = measureOf(asked, peers)
          if (peers.cashiers.length === 0 || !measure) {
            return (
              <Empty title="No cashier did anything here in these days">
                <p>Choose another place or a longer period.</p>
              </Empty>
            )
          }
          return (
            <>
              <Incomplete period={peers.period} />
              {measure.id !== asked && (
                <p class="muted">
                  Nobody here has “{MEASURES.find(({ id }) => id === asked)?.label ?? asked}”: this
                  is {measure.label.toLowerCase()}.
                </p>
              )}
              <PeerBars peers={peers} measure={measure} days={days} />
              <Method action_type={peers.action_type} counted_with={peers.counted_with} />
            </>
          )
        }}
      </Shown>
    </Section>
  )
}

export function Incomplete({ period }: { period: CashierPeers['period'] }) {
  if (period.is_complete) return null
  return (
    <Notice tone="warn">
      More actions were received in these days than are read at once. The numbers are of the newest{' '}
      {period.examined.toLocaleString()}, since <Time at={period.since} />.
    </Notice>
  )
}

function Method({ action_type, counted_with }: Pick<CashierPeers, 'action_type' | 'counted_with'>) {
  return (
    <p class="muted">
      The mark in a bar is what the peers make usual. “Signal now” is what scoring would say of the
      cashier by now, 0 to 100; from 50 it raises a flag.
      {counted_with.length > 0 &&
        ` Scoring counts ${wordsOf(action_type)} together with ${counted_with.map(wordsOf).join(' and ')}.`}
    </p>
  )
}

function Places({ view: [filters], found }: { view: View; found: CashierStores }) {
  const { place: _, ...others } = filters
  const kept = Object.fromEntries(
    Object.entries(others).filter(
      ([name, value]) => value !== DEFAULTS[name as keyof typeof DEFAULTS],
    ),
  )
  return (
    <Section title="Places">
      <Incomplete period={found.period} />
      <Table
        label="Places"
        rows={found.stores}
        keyOf={({ location }) => location}
        isCurrent={({ location }) => location === filters.place}
        columns={[
          {
            label: 'Place',
            isWide: true,
            cell: ({ location }) => (
              <PageLink to="/cashiers" query={{ ...kept, place: location }}>
                {placeName(location)}
              </PageLink>
            ),
          },
          { label: 'Cashiers', isNumber: true, cell: ({ cashiers }) => cashiers },
          { label: 'Actions', isNumber: true, cell: ({ actions }) => actions.toLocaleString() },
          { label: 'Flagged', isNumber: true, cell: ({ flagged }) => flagged.toLocaleString() },
          { label: 'Highest score', isNumber: true, cell: ({ highest_score }) => highest_score },
          {
            label: 'Last action',
            cell: ({ last_performed_at }) => <Time at={last_performed_at} as="age" />,
          },
        ]}
      />
    </Section>
  )
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
