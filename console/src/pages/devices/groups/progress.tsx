import type { GroupCommand } from '../../../../../src/modules/mdm/commands/schema.ts'
import { countText, numberText, PartsBar, Time, type Tone } from '../../../components/index.ts'
import { COMMAND_STATUSES, COMMANDS, termText } from '../terms.ts'

type Outcome = keyof typeof COMMAND_STATUSES

const OUTCOMES = Object.keys(COMMAND_STATUSES) as Outcome[]

export const isPending = ({ queued, sent }: GroupCommand): boolean => queued + sent > 0

export function GroupProgress({ command }: { command: GroupCommand }) {
  const { type, total, skipped, created_at, queued, sent } = command
  const { label } = COMMANDS[type]
  const parts = OUTCOMES.filter((status) => command[status] > 0)
  return (
    <div>
      <div>
        {label}:{' '}
        {isPending(command)
          ? `completed on ${numberText(total - queued - sent)} of ${countText(total, 'devices')}`
          : `completed on ${countText(total, 'devices')}`}
      </div>
      <PartsBar
        label={`${label} on ${countText(total, 'devices')}`}
        parts={parts.map((status) => ({
          label: termText(status),
          value: command[status],
          tone: COMMAND_STATUSES[status] satisfies Tone,
        }))}
      />
      <div class="muted">
        {parts.map((status) => `${numberText(command[status])} ${termText(status)}`).join(' · ')}
        {skipped > 0 && ` · ${numberText(skipped)} skipped (not supported)`}
        {' · '}
        <Time at={created_at} as="age" />
      </div>
    </div>
  )
}
