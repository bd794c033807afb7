import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { Button, ListPage, numberText, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { PageLink, useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { type Names, useMdmRead, useNames } from '../names.ts'
import { DeviceTabs } from '../tabs.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { GroupProgress } from './progress.tsx'

const REFRESH_MS = 5000

export default function GroupsPage() {
  const { is_admin } = useOrg()
  const list = useMdmRead<Group[]>('/v1/mdm/groups', { refresh_ms: REFRESH_MS })
  const names = useNames()
  const [isOpen, setOpen] = useState(false)
  const go = useGo()
  return (
    <ListPage
      title="Groups"
      lead="A device belongs to at most one group and uses the policy of the group, if it has one."
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setOpen(true)}>
            New group
          </Button>
        )
      }
      tabs={<DeviceTabs />}
      list={list}
      what="groups"
      columns={columnsFor(names)}
      keyOf={({ id }) => id}
      empty={<p>A group gives its devices the same policy and sends commands to all of them.</p>}
    >
      {isOpen && (
        <GroupDialog
          onSaved={({ id }) => go(`/devices/groups/${id}`)}
          onClose={() => setOpen(false)}
        />
      )}
    </ListPage>
  )
}

const columnsFor = (names: Names): readonly Column<Group>[] => [
  {
    label: 'Name',
    isWide: true,
    cell: ({ id, name }) => <PageLink to={`/devices/groups/${id}`}>{name}</PageLink>,
  },
  {
    label: 'Policy',
    cell: ({ policy_id }) =>
      policy_id === null ? (
        <span class="muted">none</span>
      ) : (
        <PageLink to={`/devices/policies/${policy_id}`}>{names.policy(policy_id)}</PageLink>
      ),
  },
  {
    label: 'Devices',
    isNumber: true,
    cell: ({ id, device_count }) => (
      <PageLink to="/devices/fleet" query={{ group_id: id }}>
        {numberText(device_count)}
      </PageLink>
    ),
  },
  {
    label: 'Last command',
    isWide: true,
    cell: ({ last_command }) => last_command && <GroupProgress command={last_command} />,
  },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
]
