import type { Command } from '../../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { durationText, Empty, Section, Table, Time } from '../../../components/index.ts'
import { CommandButtons } from '../command-buttons.tsx'
import { CommandStatus } from '../states.tsx'
import { COMMANDS, deviceTitle } from '../terms.ts'

type Props = { device: Device; commands: readonly Command[] }

export const CommandsSection = ({ device, commands }: Props) => (
  <Section title="Commands">
    <div class="stack">
      <CommandButtons
        path={`/v1/mdm/devices/${device.id}/commands`}
        to={deviceTitle(device)}
        refusalOf={(type) => refusalOf(device, type)}
      />
      {commands.length === 0 ? (
        <Empty title="No commands yet">
          <p>A command is valid for one week. An offline device receives it when it reconnects.</p>
        </Empty>
      ) : (
        <CommandTable commands={commands} />
      )}
    </div>
  </Section>
)

/** Why the service would reject a command, judged by the record of the device. */
function refusalOf(device: Device, type: Command['type']): string | undefined {
  if (device.state === 'deleted') return 'The device is no longer managed.'
  if (device.deletion_requested_at !== null) return 'The device is being deleted.'
  const isFullyManaged = device.management_mode === 'fully_managed'
  if (type === 'REBOOT' && !isFullyManaged) {
    return 'Only the work profile of this device is managed.'
  }
  if (type === 'RELINQUISH_OWNERSHIP' && isFullyManaged) {
    return 'The device has no work profile. Use Wipe instead.'
  }
  return undefined
}

const CommandTable = ({ commands }: { commands: readonly Command[] }) => (
  <Table
    label="Latest commands"
    rows={commands}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Command',
        cell: ({ type, package_names, error, group_command_id }) => (
          <>
            {COMMANDS[type].label}
            {group_command_id !== null && <div class="muted">group command</div>}
            {package_names.length > 0 && <div class="muted">{package_names.join(', ')}</div>}
            {error !== null && <div class="form-fault">{error}</div>}
          </>
        ),
      },
      { label: 'Status', cell: ({ status }) => <CommandStatus status={status} /> },
      { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
      {
        label: 'Sent',
        cell: ({ created_at, sent_at }) => <After from={created_at} at={sent_at} />,
      },
      { label: 'Completed', cell: (command) => <Completed command={command} /> },
    ]}
  />
)

const Completed = ({ command: { created_at, completed_at, expires_at } }: { command: Command }) =>
  completed_at !== null ? (
    <After from={created_at} at={completed_at} />
  ) : (
    <span class="muted nowrap">
      expires <Time at={expires_at} as="day" />
    </span>
  )

/** The time since another event. The time of day is shown on hover. */
function After({ from, at }: { from: string; at: string | null }) {
  if (at === null) return <span class="muted">–</span>
  const ms = Math.max(0, Date.parse(at) - Date.parse(from))
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace('Z', ' UTC')}>
      after {durationText(ms)}
    </time>
  )
}
