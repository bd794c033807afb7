import type { ProfilePage } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useFilteredRows } from '../../api/lists.ts'
import { Identifier, ListPage, SCORE_COLUMN, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { OrderTabs } from './tabs.tsx'

type Profiles = Answer<ProfilePage>

export default function ProfilesPage() {
  const scope = useScope()
  const view = useFilters({ from: '' })
  const query = { ...scope, ...view[0] }
  const list = useFilteredRows('/console/api/profiles', query, (page: Profiles) => page.profiles)
  return (
    <ListPage
      title="Profiles"
      lead="Customers with orders, sorted by external_id"
      tabs={<OrderTabs />}
      list={list}
      what="profiles"
      columns={COLUMNS}
      keyOf={({ id }) => id}
      view={view}
      filters={[{ name: 'from', label: 'Starting at', type: 'search', placeholder: 'external_id' }]}
      emptyTitle={`No ${scope.mode} profiles yet`}
      empty={
        <p>
          Profiles are created by orders with an <code>external_id</code>, or with{' '}
          <code>POST /v1/profiles</code>.
        </p>
      }
    />
  )
}

const COLUMNS: readonly Column<Profiles['profiles'][number]>[] = [
  {
    label: 'Profile',
    cell: ({ id, external_id }) => (
      <Identifier text={external_id}>
        {(text) => <PageLink to={`/orders/profiles/${id}`}>{text}</PageLink>}
      </Identifier>
    ),
  },
  { label: 'Type', cell: ({ profile_type }) => profile_type },
  { ...SCORE_COLUMN, label: 'Risk' },
  { label: 'Orders', isNumber: true, cell: ({ total_orders }) => total_orders },
  { label: 'Devices', isNumber: true, cell: ({ device_count }) => device_count },
  { label: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
]
