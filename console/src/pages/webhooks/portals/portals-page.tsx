import { mapRead } from '../../../api/lists.ts'
import { ListSection, Page } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { PageLink } from '../../../shell/links.tsx'
import { useMode, useOrg } from '../../../shell/organization.ts'
import { PlanGate } from '../plan-gate.tsx'
import { type Portal, usePortals } from './api.ts'

export default function PortalsPage() {
  const { is_admin } = useOrg()
  return (
    <Page
      title="Portals"
      lead="Your customers manage webhook endpoints of their own, by a link that you give them"
      up={{ to: '/webhooks', label: 'Webhooks' }}
      actions={
        is_admin && (
          <PageLink to="/webhooks/portals/new" class="button button-primary">
            New portal
          </PageLink>
        )
      }
    >
      <PlanGate>
        <Portals />
      </PlanGate>
    </Page>
  )
}

function Portals() {
  const mode = useMode()
  return (
    <ListSection
      list={mapRead(usePortals(), (all) => all.filter((each) => each.mode === mode))}
      what="portals"
      label="Portals"
      columns={COLUMNS}
      keyOf={({ id }) => id}
      emptyTitle={`No portals for ${mode} data`}
      empty={<p>A portal limits which events the endpoints of one customer can receive.</p>}
    />
  )
}

const COLUMNS: readonly Column<Portal>[] = [
  {
    label: 'Portal',
    isWide: true,
    cell: ({ id, name }) => <PageLink to={`/webhooks/portals/${id}`}>{name}</PageLink>,
  },
  { label: 'Event types', isNumber: true, cell: ({ events }) => events.length },
  {
    label: 'Endpoints',
    isNumber: true,
    cell: ({ endpoints, endpoints_max }) => `${endpoints} of ${endpoints_max}`,
  },
  { label: 'Working links', isNumber: true, cell: ({ active_links }) => active_links },
]
