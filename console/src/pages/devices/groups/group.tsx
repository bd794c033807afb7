import { useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { findIn } from '../../../api/lists.ts'
import {
  Button,
  Columns,
  ConfirmButton,
  countText,
  DetailPage,
  Facts,
  numberText,
  Section,
  Time,
} from '../../../components/index.ts'
import { PageLink, useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { CommandButtons } from '../command-buttons.tsx'
import { PagedDevices } from '../fleet/device-lists.tsx'
import { FILTER_DEFAULTS } from '../fleet/filters.ts'
import { useMdmChange, useMdmRead, useNames } from '../names.ts'
import { TestModeNotice } from '../tabs.tsx'
import { AddDevices } from './add-devices.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { GroupProgress, isPending } from './progress.tsx'

const PENDING_MS = 1500
const IDLE_MS = 10_000

export default function GroupPage() {
  const { id } = useParams<{ id: string }>()
  const isThis = (group: Group) => group.id === id
  const groups = useMdmRead<Group[]>('/v1/mdm/groups', {
    refresh_ms: (loaded) => {
      const command = loaded?.find(isThis)?.last_command
      return command && isPending(command) ? PENDING_MS : IDLE_MS
    },
  })
  return (
    <DetailPage
      read={findIn(groups, isThis)}
      what="group"
      title={({ name }) => name}
      up={{ to: '/devices/groups', label: 'Groups' }}
      actions={(group) => <GroupActions group={group} />}
      toolbar={<TestModeNotice />}
    >
      {(group) => <GroupSections group={group} />}
    </DetailPage>
  )
}

function GroupSections({ group }: { group: Group }) {
  const names = useNames()
  const { is_admin } = useOrg()
  const { id, name, policy_id, device_count, last_command, created_at, updated_at } = group
  const [page, setPage] = useState(1)
  return (
    <>
      <Columns>
        <Section title="Group">
          <Facts
            facts={[
              ['Devices', numberText(device_count)],
              [
                'Policy',
                policy_id === null ? (
                  'None. Devices use the policy of their enrollment.'
                ) : (
                  <PageLink to={`/devices/policies/${policy_id}`}>
                    {names.policy(policy_id)}
                  </PageLink>
                ),
              ],
              ['Created', <Time key="created" at={created_at} />],
              ['Updated', <Time key="updated" at={updated_at} />],
            ]}
          />
        </Section>
        <Section title="Commands to all devices">
          <div class="stack">
            <CommandButtons
              path={`/v1/mdm/groups/${id}/commands`}
              to={`${countText(device_count, 'devices')} in ${name}`}
              refusalOf={() => (device_count === 0 ? 'The group has no devices.' : undefined)}
            />
            {last_command ? (
              <GroupProgress command={last_command} />
            ) : (
              <p class="muted">No commands to this group yet.</p>
            )}
          </div>
        </Section>
      </Columns>
      <Section title="Devices" actions={is_admin && <AddDevices group={group} />}>
        <PagedDevices
          filters={{ ...FILTER_DEFAULTS, group_id: group.id }}
          page={page}
          onPage={setPage}
        />
      </Section>
    </>
  )
}

function GroupActions({ group }: { group: Group }) {
  const { is_admin } = useOrg()
  const [isEdited, setEdited] = useState(false)
  const go = useGo()
  const remove = useMdmChange(() => ({ method: 'DELETE', path: `/v1/mdm/groups/${group.id}` }), {
    toast: 'Group deleted',
    onSuccess: () => go('/devices/groups'),
  })
  if (!is_admin) return null
  const close = () => setEdited(false)
  return (
    <>
      <Button onClick={() => setEdited(true)}>Edit group</Button>
      <ConfirmButton
        label="Delete group"
        title={`Delete ${group.name}?`}
        action="Delete group"
        change={remove}
      >
        <p>
          The devices are not deleted. They no longer belong to a group and use the policy of their
          enrollment. Affected devices: {numberText(group.device_count)}.
        </p>
      </ConfirmButton>
      {isEdited && <GroupDialog group={group} onSaved={close} onClose={close} />}
    </>
  )
}
