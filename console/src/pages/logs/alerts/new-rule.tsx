/** The form of a new rule, with what it would have done in the last seven days. */
import { useState } from 'preact/hooks'
import type { Alert, AlertPreview } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  durationText,
  Form,
  Notice,
  numberText,
  Section,
  Shown,
  TextField,
  Time,
} from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { LevelField } from '../level-field.tsx'
import { VALUE_FILTERS } from '../view.ts'
import { ALERTS_PATH } from './alerts-page.tsx'
import { conditionOf, numbersOf, type TypedRule } from './rule.ts'

export type NewRuleProps = { given: TypedRule; onClose: () => void }

export function NewRule({ given, onClose }: NewRuleProps) {
  const { id: org_id } = useOrg()
  const [rule, setRule] = useState<TypedRule>(given)
  const [previewed, setPreviewed] = useState<TypedRule>()
  const numbers = numbersOf(rule)
  const create = useChange<void, Alert>(
    () => ({
      method: 'POST',
      path: ALERTS_PATH,
      body: { org_id, name: rule.name.trim(), condition: conditionOf(rule), ...numbers },
    }),
    { changes: [ALERTS_PATH], done: 'Alert rule made', quiet: true, onDone: onClose },
  )
  const change = (changed: Partial<TypedRule>) => setRule({ ...rule, ...changed })
  return (
    <Dialog title="New alert rule" place="side" onClose={onClose}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <TextField
          label="Name"
          name="name"
          value={rule.name}
          onInput={(name) => change({ name })}
          required
        />
        <Condition rule={rule} onChange={change} />
        <div class="row">
          <TextField
            label="Logs"
            name="threshold"
            type="number"
            min={1}
            value={rule.threshold}
            onInput={(threshold) => change({ threshold })}
            required
          />
          <TextField
            label="within minutes"
            name="window_minutes"
            type="number"
            min={1}
            max={1440}
            value={rule.window_minutes}
            onInput={(window_minutes) => change({ window_minutes })}
            required
          />
        </div>
        <Actions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Make alert rule
          </Button>
          <Button disabled={!numbers} onClick={() => setPreviewed(rule)}>
            Try it on the last 7 days
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
        <p class="muted">
          A rule cannot be changed, only deleted. It shows its state here and in the log of the
          service; no message is sent.
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

type ConditionProps = { rule: TypedRule; onChange: (changed: Partial<TypedRule>) => void }

function Condition({ rule, onChange }: ConditionProps) {
  return (
    <>
      <LevelField value={rule.level} onChange={(level) => onChange({ level })} />
      <TextField
        label="Words of the message"
        name="condition.q"
        value={rule.q}
        onInput={(q) => onChange({ q })}
        maxLength={1024}
      />
      {VALUE_FILTERS.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          name={`condition.${name}`}
          value={rule[name]}
          onInput={(text) => onChange({ [name]: text })}
        />
      ))}
    </>
  )
}

function Preview({ rule, isCurrent }: { rule: TypedRule; isCurrent: boolean }) {
  const { id: org_id } = useOrg()
  const read = useRead<AlertPreview>('/console/api/edge/alerts/preview', {
    org_id,
    ...conditionOf(rule),
    ...numbersOf(rule),
  })
  return (
    <Section title="In the last 7 days">
      {!isCurrent && <Notice tone="warn">The rule was changed since. Try it again.</Notice>}
      <Shown read={read} what="what it would have done">
        {({ fired, firings, most_in_window }) => (
          <div class="stack">
            <p role="status">
              It would have fired <strong>{times(fired)}</strong>. The most logs within{' '}
              {rule.window_minutes} minutes were <strong>{numberText(most_in_window)}</strong>.
            </p>
            {firings.length > 0 && (
              <ol aria-label="Firings, the newest first">
                {firings.map(({ fired_at, resolved_at }) => (
                  <li key={fired_at}>
                    <Time at={fired_at} />
                    {resolved_at === null
                      ? ', and it would be firing now'
                      : `, for ${durationText(Date.parse(resolved_at) - Date.parse(fired_at))}`}
                  </li>
                ))}
              </ol>
            )}
            {fired > firings.length && <p class="muted">The newest {firings.length} are listed.</p>}
          </div>
        )}
      </Shown>
    </Section>
  )
}

const times = (count: number): string => {
  if (count === 0) return 'never'
  return count === 1 ? 'once' : `${numberText(count)} times`
}
