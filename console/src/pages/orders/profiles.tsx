/** All profiles by their names, from one on. */
import type { ProfilePage } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { usePages } from '../../api/read.ts'
import {
  Button,
  Empty,
  Failed,
  FilterField,
  More,
  Page,
  RiskScore,
  Section,
  Table,
  Time,
  Toolbar,
  Waiting,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { OrderTabs } from './tabs.tsx'

type Profile = Answer<ProfilePage>['profiles'][number]

const FILTERS = { from: '' }

export default function Profiles() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [{ from }, setFilters] = useFilters<'from'>(FILTERS)
  const pages = usePages<Answer<ProfilePage>>(
    '/console/api/profiles',
    { org_id, mode, from },
    { keep: true },
  )
  const profiles = pages.data?.pages.flatMap((page) => page.profiles) ?? []
  return (
    <Page title="Profiles" lead="Whose orders are known, in the order of their external_id">
      <OrderTabs />
      <Toolbar label="Filter profiles">
        <FilterField
          label="Beginning at"
          type="search"
          placeholder="external_id"
          value={from}
          onChange={(value) => setFilters({ from: value }, { replace: true })}
        />
      </Toolbar>
      <Section title="All profiles" hideTitle>
        {pages.error ? (
          <Failed error={pages.error} onRetry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <Waiting for="profiles" />
        ) : profiles.length === 0 ? (
          <Nothing isFiltered={from !== ''} onClear={() => setFilters(FILTERS)} />
        ) : (
          <>
            <ProfileTable profiles={profiles} />
            <More pages={pages} shown={profiles.length} what="profiles" />
          </>
        )}
      </Section>
    </Page>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const mode = useMode()
  if (isFiltered) {
    return (
      <Empty title="No profile from there on">
        <Button onClick={onClear}>Show all</Button>
      </Empty>
    )
  }
  return (
    <Empty title={mode === 'test' ? 'No test profiles yet' : 'No live profiles yet'}>
      <p>
        They come with orders that have an <code>external_id</code>, or by{' '}
        <code>POST /v1/profiles</code>.
      </p>
    </Empty>
  )
}

const ProfileTable = ({ profiles }: { profiles: readonly Profile[] }) => (
  <Table
    label="Profiles"
    rows={profiles}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Profile',
        isWide: true,
        cell: ({ id, external_id }) => (
          <PageLink to={`/orders/profiles/${id}`}>{external_id}</PageLink>
        ),
      },
      { label: 'Type', cell: ({ profile_type }) => profile_type },
      {
        label: 'Risk',
        cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
      },
      { label: 'Orders', isNumber: true, cell: ({ total_orders }) => total_orders },
      { label: 'Devices', isNumber: true, cell: ({ device_count }) => device_count },
      { label: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    ]}
  />
)
