import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Badge, Copyable, Facts, Notice, Section, Time } from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useNames } from '../names.ts'
import { termText } from '../terms.ts'

export const DetailsSection = ({ device }: { device: Device }) => (
  <Section title="Details">
    <Facts
      facts={[
        ['ID', <Copyable key="id" text={device.id} />],
        ['Serial number', device.serial_number],
        ['Brand', device.brand],
        ['Manufacturer', device.manufacturer],
        ['Model', device.model],
        ['Android', device.os_version],
        ['Security patch level', device.security_patch_level],
        ['Mode', termText(device.management_mode)],
        ['Enrolled', <Time key="enrolled" at={device.enrolled_at} />],
        ['Last report', <Time key="report" at={device.last_report_at} />],
        device.deletion_requested_at !== null && [
          'Deletion requested',
          <Time key="requested" at={device.deletion_requested_at} />,
        ],
        device.deleted_at !== null && ['Deleted', <Time key="deleted" at={device.deleted_at} />],
      ]}
    />
  </Section>
)

export function PolicySection({ device }: { device: Device }) {
  const names = useNames()
  const { policy_id, applied_policy_id, policy_error, group_id } = device
  const linkTo = (id: string | null) =>
    id === null ? null : <PageLink to={`/devices/policies/${id}`}>{names.policy(id)}</PageLink>
  const group = group_id && (
    <PageLink to={`/devices/groups/${group_id}`}>{names.group(group_id)}</PageLink>
  )
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
            {policy_error === null ? 'not applied yet' : 'rejected'}
          </Badge>
        ))
      }
    >
      <div class="stack">
        <Facts
          facts={[
            ['Assigned', linkTo(policy_id)],
            ['Applied', linkTo(applied_policy_id)],
            ['Group', group],
          ]}
        />
        {policy_error !== null && (
          <Notice tone="bad">
            <p>Google rejected the policy of this device: {policy_error}</p>
          </Notice>
        )}
        <p class="muted">
          A device uses the policy of its group. If the group has none, the device uses the policy
          of its enrollment.
        </p>
      </div>
    </Section>
  )
}
