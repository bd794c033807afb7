/** What a device reported about itself, and which policy it should have. */
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Copyable, Facts, Notice, Section, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useNames } from '../names.ts'
import { words } from '../words.ts'

export function FactsSection({ device }: { device: Device }) {
  return (
    <Section title="Facts">
      <Facts
        facts={[
          ['Id', <Copyable key="id" text={device.id} />],
          ['Serial number', device.serial_number],
          ['Brand', device.brand],
          ['Manufacturer', device.manufacturer],
          ['Model', device.model],
          ['Android', device.os_version],
          ['Security patches', device.security_patch_level],
          ['Mode', words(device.management_mode)],
          ['Enrolled', <Time key="enrolled" at={device.enrolled_at} />],
          ['Last report', <Time key="report" at={device.last_report_at} />],
          device.deletion_requested_at !== null && [
            'Deletion asked for',
            <Time key="asked" at={device.deletion_requested_at} />,
          ],
          device.deleted_at !== null && ['Deleted', <Time key="gone" at={device.deleted_at} />],
        ]}
      />
    </Section>
  )
}

export function PolicySection({ device }: { device: Device }) {
  const names = useNames()
  const { policy_id, applied_policy_id, policy_error, group_id } = device
  const linkTo = (id: string | null) =>
    id === null ? null : <PageLink to={`/devices/policies/${id}`}>{names.policy(id)}</PageLink>
  const isApplied = policy_id !== null && policy_id === applied_policy_id
  return (
    <Section
      title="Policy and group"
      actions={
        policy_id !== null &&
        (isApplied ? (
          <Badge tone="good">applied</Badge>
        ) : (
          <Badge tone={policy_error === null ? 'info' : 'bad'}>
            {policy_error === null ? 'not applied yet' : 'refused'}
          </Badge>
        ))
      }
    >
      <div class="stack">
        <Facts
          facts={[
            ['Wanted', linkTo(policy_id)],
            ['Applied', linkTo(applied_policy_id)],
            [
              'Group',
              group_id === null ? null : (
                <PageLink to={`/devices/groups/${group_id}`}>{names.group(group_id)}</PageLink>
              ),
            ],
          ]}
        />
        {policy_error !== null && (
          <Notice tone="bad">
            <p>The provider does not give it its policy: {policy_error}</p>
          </Notice>
        )}
        <p class="muted">
          A device has the policy of its group, or that of its enrolment where the group has none.
        </p>
      </div>
    </Section>
  )
}
