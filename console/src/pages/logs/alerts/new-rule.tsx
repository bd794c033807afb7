import { useState } from 'preact/hooks'
import type { Alert, AlertPreview } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  durationText,
  Form,
  fieldsOf,
  Loaded,
  Notice,
  numberText,
  Section,
  TextField,
  Time,
  useFields,
} from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { LevelField } from '../level-field.tsx'
import { VALUE_FILTERS } from '../view.ts'
import { ALERTS_PATH, conditionOf, numbersOf, type RuleForm, windowText } from './rule.ts'

const NUMBER = { type: 'number', min: 1, required: true } as const

export function NewRule({ initial, onClose }: { initial: RuleForm; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const { values: rule, field, set } = useFields(initial)
  const [previewed, setPreviewed] = useState<RuleForm>()
  const numbers = numbersOf(rule)
  const create = useChange<void, Alert>(
    () => ({
      method: 'POST',
      path: ALERTS_PATH,
      body: { org_id, name: rule.name.trim(), condition: conditionOf(rule), ...numbers },
    }),
    { invalidates: [ALERTS_PATH], toast: 'Alert rule created', quiet: true, onSuccess: onClose },
  )
  return (
    <Dialog title="New alert rule" place="side" onClose={onClose}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <TextField label="Name" {...field('name')} required />
        <Condition rule={rule} onChange={set} />
        <div class="row">
          <TextField label="Threshold (logs)" {...field('threshold')} {...NUMBER} />
          <TextField
            label="Time window (minutes)"
            {...field('window_minutes')}
            {...NUMBER}
            max={1440}
          />
        </div>
        <Actions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Create alert rule
          </Button>
          <Button disabled={!numbers} onClick={() => setPreviewed(rule)}>
            Preview on the last 7 days
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
        <p class="muted">
          Rules cannot be edited, only deleted. A rule shows its status on this page and writes it
          to the service log. It does not send notifications.
        </p>
      </Form>
      {previewed && (
        <>
          <br />
          <Preview rule={previewed} isCurrent={previewed === rule} />
        </>
      )}
    </Dialog>
  )
}

type ConditionProps = { rule: RuleForm; onChange: (changed: Partial<RuleForm>) => void }

function Condition({ rule, onChange }: ConditionProps) {
  const field = fieldsOf(rule, onChange)
  return (
    <>
      <LevelField value={rule.level} onChange={(level) => onChange({ level })} />
      <TextField label="Query" {...field('q')} name="condition.q" maxLength={1024} />
      {VALUE_FILTERS.map(({ name, label }) => (
        <TextField key={name} label={label} {...field(name)} name={`condition.${name}`} />
      ))}
    </>
  )
}

function Preview({ rule, isCurrent }: { rule: RuleForm; isCurrent: boolean }) {
  const { id: org_id } = useOrg()
  const query = { org_id, ...conditionOf(rule), ...numbersOf(rule) }
  const read = useRead<AlertPreview>('/console/api/edge/alerts/preview', query)
  return (
    <Section title="Preview: last 7 days">
      {!isCurrent && (
        <Notice tone="warn">The rule has changed since this preview. Preview it again.</Notice>
      )}
      <Loaded read={read} what="the preview">
        {({ fired, firings, most_in_window }) => (
          <div class="stack">
            <p role="status">
              The rule would have fired <strong>{times(fired)}</strong>. The highest number of logs
              in {windowText(Number(rule.window_minutes))} was{' '}
              <strong>{numberText(most_in_window)}</strong>.
            </p>
            {firings.length > 0 && (
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
            )}
            {fired > firings.length && (
              <p class="muted">Only the newest {firings.length} are listed.</p>
            )}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

const times = (count: number): string => {
  if (count === 0) return 'never'
  return count === 1 ? 'once' : `${numberText(count)} times`
}
