import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { ListPage, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { useMdmRead } from '../names.ts'
import { MODE_COLUMN, PublishState } from '../states.tsx'
import { DeviceTabs } from '../tabs.tsx'

const REFRESH_MS = 10_000

export default function PoliciesPage() {
  const { is_admin } = useOrg()
  const list = useMdmRead<Policy[]>('/v1/mdm/policies', { refresh_ms: REFRESH_MS })
  return (
    <ListPage
      title="Policies"
      lead="Policies of the Android Management API. Devices get each version that Google accepts."
      actions={
        is_admin && (
          <PageLink to="/devices/policies/new" class="button button-primary">
            New policy
          </PageLink>
        )
      }
      tabs={<DeviceTabs />}
      list={list}
      what="policies"
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty={
        <p>
          A policy defines what a device is allowed to do. Enrollment tokens and groups refer to it.
        </p>
      }
    />
  )
}

const COLUMNS: readonly Column<Policy>[] = [
  {
    label: 'Name',
    isWide: true,
    cell: ({ id, name, description }) => (
      <>
        <PageLink to={`/devices/policies/${id}`}>{name}</PageLink>
        {description !== '' && <div class="muted">{description}</div>}
      </>
    ),
  },
  MODE_COLUMN,
  { label: 'Version', isNumber: true, cell: ({ version }) => version },
  {
    label: 'Published',
    cell: ({ publish_state, publish_error }) => (
      <>
        <PublishState publish_state={publish_state} />
        {publish_error !== null && <div class="form-fault">{publish_error}</div>}
      </>
    ),
  },
  { label: 'Settings', isNumber: true, cell: ({ policy_json }) => Object.keys(policy_json).length },
  { label: 'Updated', cell: ({ updated_at }) => <Time at={updated_at} /> },
  {
    label: 'Devices',
    cell: ({ id }) => (
      <PageLink to="/devices/fleet" query={{ policy_id: id }}>
        View devices
      </PageLink>
    ),
  },
]
