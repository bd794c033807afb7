/** One group: its policy, its devices, and commands to all of them. */
import { useEffect, useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { Command } from '../../../../../src/modules/mdm/commands/schema.ts'
import type { Group } from '../../../../../src/modules/mdm/groups/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  Button,
  Columns,
  Empty,
  Facts,
  numberText,
  Section,
  Shown,
  Time,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { CommandDialog } from '../command-dialog.tsx'
import { NO_FILTERS } from '../fleet/filters.ts'
import { PagedDevices } from '../fleet/lists.tsx'
import { DevicesPage } from '../frame.tsx'
import { useNames } from '../names.ts'
import { COMMAND_TYPES, COMMANDS } from '../words.ts'
import { AddDevices } from './add-devices.tsx'
import { GroupActions } from './group-actions.tsx'
import { GroupProgress, isUnderWay } from './progress.tsx'

const BUSY_MS = 1500
const CALM_MS = 10_000

export default function GroupPage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const [refresh_ms, setRefresh] = useState(CALM_MS)
  const groups = useRead<Group[]>('/v1/mdm/groups', { org_id }, { refresh_ms })
  const group = groups.data?.find((each) => each.id === id)
  const command = group?.last_command
  const isBusy = command ? isUnderWay(command) : false
  useEffect(() => setRefresh(isBusy ? BUSY_MS : CALM_MS), [isBusy])
  return (
    <DevicesPage
      isInner
      title={group?.name ?? 'Group'}
      up={{ to: '/devices/groups', label: 'Groups' }}
      {...(group && { actions: <GroupActions group={group} /> })}
    >
      <Shown read={groups} what="the group">
        {() =>
          group ? (
            <GroupSections group={group} />
          ) : (
            <Empty title="This group does not exist (any more)">
              <PageLink to="/devices/groups">To the groups</PageLink>
            </Empty>
          )
        }
      </Shown>
    </DevicesPage>
  )
}

function GroupSections({ group }: { group: Group }) {
  const names = useNames()
  const { is_admin } = useOrg()
  const { policy_id, device_count, created_at, updated_at } = group
  const [page, setPage] = useState('1')
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
                  'none of its own: devices have the one that they enrolled with'
                ) : (
                  <PageLink to={`/devices/policies/${policy_id}`}>
                    {names.policy(policy_id)}
                  </PageLink>
                ),
              ],
              ['Created', <Time key="created" at={created_at} />],
              ['Changed', <Time key="changed" at={updated_at} />],
            ]}
          />
        </Section>
        <CommandSection group={group} />
      </Columns>
      <Section title="Devices" actions={is_admin && <AddDevices group={group} />}>
        <PagedDevices
          filters={{ ...NO_FILTERS, group_id: group.id, page }}
          onPage={(next) => setPage(String(next))}
        />
      </Section>
    </>
  )
}

function CommandSection({ group }: { group: Group }) {
  const { is_admin } = useOrg()
  const [type, setType] = useState<Command['type']>()
  const { id, name, device_count, last_command } = group
  return (
    <Section title="Command to all devices">
      <div class="stack">
        {is_admin ? (
          <div class="actions">
            {COMMAND_TYPES.map((each) => (
              <Button
                key={each}
                size="small"
                kind={COMMANDS[each].is_destructive ? 'danger' : 'plain'}
                disabled={device_count === 0}
                title={device_count === 0 ? 'The group has no devices.' : COMMANDS[each].does}
                onClick={() => setType(each)}
              >
                {COMMANDS[each].label}
              </Button>
            ))}
          </div>
        ) : (
          <p class="muted">Owners and admins of the organisation give commands.</p>
        )}
        {last_command ? (
          <GroupProgress command={last_command} />
        ) : (
          <p class="muted">No command was given to this group yet.</p>
        )}
      </div>
      {type !== undefined && (
        <CommandDialog
          type={type}
          path={`/v1/mdm/groups/${id}/commands`}
          to={`${numberText(device_count)} devices of ${name}`}
          onClose={() => setType(undefined)}
        />
      )}
    </Section>
  )
}
