/** The commands of a device: those that were given, and those that it can be given. */
import { useState } from 'preact/hooks'
import type { Command } from '../../../../../src/modules/mdm/commands/schema.ts'
import type { Device } from '../../../../../src/modules/mdm/devices/schema.ts'
import { Button, Empty, Section, Table, Time } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CommandDialog } from '../command-dialog.tsx'
import { After, Line, When } from '../line.tsx'
import { CommandStatus } from '../states.tsx'
import { COMMAND_TYPES, COMMANDS, deviceTitle } from '../words.ts'

type Props = { device: Device; commands: readonly Command[] }

export function CommandsSection({ device, commands }: Props) {
  const { is_admin } = useOrg()
  const [type, setType] = useState<Command['type']>()
  return (
    <Section title="Commands">
      <div class="stack">
        {is_admin ? (
          <div class="actions">
            {COMMAND_TYPES.map((each) => {
              const refusal = refusalOf(device, each)
              return (
                <Button
                  key={each}
                  size="small"
                  kind={COMMANDS[each].is_destructive ? 'danger' : 'plain'}
                  disabled={refusal !== undefined}
                  title={refusal ?? COMMANDS[each].does}
                  onClick={() => setType(each)}
                >
                  {COMMANDS[each].label}
                </Button>
              )
            })}
          </div>
        ) : (
          <p class="muted">Owners and admins of the organisation give commands.</p>
        )}
        {commands.length === 0 ? (
          <Empty title="No commands yet">
            <p>A command is valid for a week; a phone that is off gets it when it comes back.</p>
          </Empty>
        ) : (
          <CommandTable commands={commands} />
        )}
      </div>
      {type !== undefined && (
        <CommandDialog
          type={type}
          path={`/v1/mdm/devices/${device.id}/commands`}
          to={deviceTitle(device)}
          onClose={() => setType(undefined)}
        />
      )}
    </Section>
  )
}

/** Why the service would refuse it, as far as the record tells. */
function refusalOf(device: Device, type: Command['type']): string | undefined {
  if (device.state === 'deleted') return 'The device is not managed any more.'
  if (device.deletion_requested_at !== null) return 'The device is being deleted.'
  const isWhole = device.management_mode === 'fully_managed'
  if (type === 'REBOOT' && !isWhole) return 'Only the work profile of this device is managed.'
  if (type === 'RELINQUISH_OWNERSHIP' && isWhole) return 'It has no work profile; use Wipe.'
  return undefined
}

function CommandTable({ commands }: { commands: readonly Command[] }) {
  return (
    <Table
      label="The newest commands"
      rows={commands}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Command',
          cell: ({ type, package_names, error, group_command_id }) => (
            <>
              {COMMANDS[type].label}
              {group_command_id !== null && <div class="muted">of its group</div>}
              {package_names.length > 0 && <div class="muted">{package_names.join(', ')}</div>}
              {error !== null && <div class="form-fault">{error}</div>}
            </>
          ),
        },
        { label: 'Status', cell: ({ status }) => <CommandStatus status={status} /> },
        { label: 'Given', cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Sent',
          cell: ({ created_at, sent_at }) => <After from={created_at} at={sent_at} />,
        },
        { label: 'Ended', cell: (command) => <Ended command={command} /> },
      ]}
    />
  )
}

const Ended = ({ command }: { command: Command }) =>
  command.completed_at !== null ? (
    <After from={command.created_at} at={command.completed_at} />
  ) : (
    <span class="muted">
      <Line>
        valid until <Time at={command.expires_at} as="day" />
      </Line>
    </span>
  )
