/** How far a command to a group is. */
import type { GroupCommand } from '../../../../../src/modules/mdm/commands/schema.ts'
import { numberText, PartsBar, Time, type Tone } from '../../../components/index.ts'
import { COMMAND_STATUSES, COMMANDS } from '../words.ts'

type Outcome = keyof typeof COMMAND_STATUSES

const OUTCOMES = Object.keys(COMMAND_STATUSES) as Outcome[]

export const isUnderWay = ({ queued, sent }: GroupCommand): boolean => queued + sent > 0

export function GroupProgress({ command }: { command: GroupCommand }) {
  const { type, total, skipped, created_at, queued, sent } = command
  const { label } = COMMANDS[type]
  const parts = OUTCOMES.filter((status) => command[status] > 0)
  return (
    <div>
      <div>
        {label}:{' '}
        {isUnderWay(command)
          ? `${numberText(total - queued - sent)} of ${numberText(total)} ended`
          : `ended on all ${numberText(total)}`}
      </div>
      <PartsBar
        label={`${label} to ${total} devices`}
        parts={parts.map((status) => ({
          label: status,
          value: command[status],
          tone: COMMAND_STATUSES[status] satisfies Tone,
        }))}
      />
      <div class="muted">
        {parts.map((status) => `${numberText(command[status])} ${status}`).join(' · ')}
        {skipped > 0 && ` · ${numberText(skipped)} skipped, which cannot take it`}
        {' · '}
        <Time at={created_at} as="age" />
      </div>
    </div>
  )
}
