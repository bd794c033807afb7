/** Shows how often a rule would have fired in the past days. */
import type { AlertPreview } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  durationText,
  Loaded,
  Notice,
  numberText,
  Section,
  Time,
} from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import {
  CONSOLE_PATH,
  conditionOf,
  type Kind,
  kindOf,
  numbersOf,
  type RuleForm,
  shareOf,
  windowText,
} from './rule.ts'

export function Preview({ rule, isCurrent }: { rule: RuleForm; isCurrent: boolean }) {
  const { id: org_id } = useOrg()
  const kind = kindOf(rule)
  const query = { org_id, ...conditionOf(rule), ...numbersOf(rule), kind, ...shareOf(rule) }
  const read = useRead<AlertPreview>(`${CONSOLE_PATH}/preview`, query)
  return (
    <Section title="Preview: last 7 days">
      {!isCurrent && (
        <Notice tone="warn">The rule has changed since this preview. Preview it again.</Notice>
      )}
      <Loaded read={read} what="the preview">
        {(preview) => (
          <div class="stack">
            <p role="status">
              The rule would have fired <strong>{times(preview.fired)}</strong>, of which{' '}
              <strong>{times(preview.fired_last_day)}</strong> in the last day. {EXTREMES[kind]} in{' '}
              {windowText(Number(rule.window_minutes))} was{' '}
              <strong>
                {numberText(kind === 'absence' ? preview.least_in_window : preview.most_in_window)}
              </strong>
              .
            </p>
            <Firings preview={preview} />
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function Firings({ preview: { firings, fired } }: { preview: AlertPreview }) {
  if (firings.length === 0) return null
  return (
    <>
      <ol aria-label="Firings, newest first">
        {firings.map(({ fired_at, resolved_at }) => (
          <li key={fired_at}>
            <Time at={fired_at} />
            {resolved_at === null
              ? ', still firing now'
              : `, for ${durationText(Date.parse(resolved_at) - Date.parse(fired_at))}`}
          </li>
        ))}
      </ol>
      {fired > firings.length && <p class="muted">Only the newest {firings.length} are listed.</p>}
    </>
  )
}

const EXTREMES: Record<Kind, string> = {
  count: 'The highest number of logs',
  absence: 'The lowest number of logs',
  ratio: 'The highest number of logs',
  new_group: 'The highest number of new groups',
}

const times = (count: number): string => {
  if (count === 0) return 'never'
  return count === 1 ? 'once' : `${numberText(count)} times`
}
