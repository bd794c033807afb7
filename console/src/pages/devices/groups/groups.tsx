/** The groups of devices. */
import { useState } from 'preact/hooks'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Button, Empty, numberText, Section, Shown, Table } from '../../../components/index.ts'
import { PageLink, useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { When } from '../line.tsx'
import { useNames } from '../names.ts'
import { GroupDialog } from './group-dialog.tsx'
import { GroupProgress } from './progress.tsx'

const REFRESH_MS = 5000

export default function GroupsPage() {
  const { id: org_id, is_admin } = useOrg()
  const groups = useRead<Group[]>('/v1/mdm/groups', { org_id }, { refresh_ms: REFRESH_MS })
  const [isOpen, setOpen] = useState(false)
  const go = useGo()
  return (
    <DevicesPage
      title="Groups"
      lead="A device is in one group at the most, and has its policy if it has one."
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setOpen(true)}>
            New group
          </Button>
        )
      }
    >
      <Section title="Groups" hideTitle>
        <Shown read={groups} what="groups">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No groups yet">
                <p>
                  Groups give many devices one policy, and take commands for all of them at once.
                </p>
              </Empty>
            ) : (
              <GroupTable groups={list} />
            )
          }
        </Shown>
      </Section>
      {isOpen && (
        <GroupDialog
          onDone={({ id }) => go(`/devices/groups/${id}`)}
          onClose={() => setOpen(false)}
        />
      )}
    </DevicesPage>
  )
}

function GroupTable({ groups }: { groups: readonly Group[] }) {
  const names = useNames()
  return (
    <Table
      label="Groups"
      rows={groups}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Name',
          isWide: true,
          cell: ({ id, name }) => <PageLink to={`/devices/groups/${id}`}>{name}</PageLink>,
        },
        {
          label: 'Policy',
          cell: ({ policy_id }) =>
            policy_id === null ? (
              <span class="muted">none of its own</span>
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
          cell: ({ last_command }) =>
            last_command ? <GroupProgress command={last_command} /> : <span class="muted">–</span>,
        },
        { label: 'Created', cell: ({ created_at }) => <When at={created_at} as="day" /> },
      ]}
    />
  )
}
