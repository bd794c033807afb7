/** The form of a log alert rule, for a new one, a copy, and one that is changed. */
import { useState } from 'preact/hooks'
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useChange } from '../../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  Form,
  fieldsOf,
  SelectField,
  TextField,
  useFields,
} from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { LevelField } from '../level-field.tsx'
import { VALUE_FILTERS } from '../view.ts'
import { Preview } from './preview.tsx'
import {
  ALERTS_PATH,
  CONSOLE_PATH,
  conditionOf,
  KINDS,
  type Kind,
  kindOf,
  numbersOf,
  type RuleForm,
  shareOf,
} from './rule.ts'

const NUMBER = { type: 'number', min: 1, required: true } as const

const THRESHOLDS: Record<Kind, { label: string; hint?: string }> = {
  count: { label: 'Threshold (logs)' },
  absence: {
    label: 'Fewer logs than',
    hint: '1 for no logs at all. Fires some minutes later, because logs may arrive late.',
  },
  ratio: { label: 'Least number of logs' },
  new_group: {
    label: 'Threshold (new groups)',
    hint: 'A group is new if it had no errors in the 30 days before.',
  },
}

type Props = {
  initial: RuleForm
  /** The rule that is changed; a new one is created without it. */
  id?: string
  onClose: () => void
}

export function RuleDialog({ initial, id, onClose }: Props) {
  const { id: org_id } = useOrg()
  const { values: rule, field, set } = useFields(initial)
  const [previewed, setPreviewed] = useState<RuleForm>()
  const [numbers, share] = [numbersOf(rule), shareOf(rule)]
  const kind = kindOf(rule)
  const isNew = id === undefined
  const save = useChange<void, Alert>(
    () => ({
      ...(isNew
        ? { method: 'POST', path: ALERTS_PATH }
        : { method: 'PUT', path: `${CONSOLE_PATH}/${id}` }),
      body: {
        org_id,
        name: rule.name.trim(),
        condition: conditionOf(rule),
        ...numbers,
        ...(kind !== 'count' && { kind }),
        ...share,
      },
    }),
    {
      invalidates: [ALERTS_PATH],
      toast: isNew ? 'Alert rule created' : 'Alert rule saved',
      quiet: true,
      onSuccess: onClose,
    },
  )
  return (
    <Dialog title={isNew ? 'New alert rule' : 'Edit alert rule'} place="side" onClose={onClose}>
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <TextField label="Name" {...field('name')} required />
        <SelectField label="Fires when" {...field('kind')} value={kind} options={KINDS} />
        <Condition rule={rule} onChange={set} />
        <div class="row">
          <TextField {...THRESHOLDS[kind]} {...field('threshold')} {...NUMBER} />
          <TextField
            label="Time window (minutes)"
            {...field('window_minutes')}
            {...NUMBER}
            max={1440}
          />
        </div>
        {kind === 'ratio' && (
          <TextField
            label="Least share (percent)"
            {...field('ratio_percent')}
            type="number"
            step="any"
            min={0}
            max={100}
            required
            hint="Of all logs of the same category, environment and device."
          />
        )}
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {isNew ? 'Create alert rule' : 'Save alert rule'}
          </Button>
          <Button disabled={!numbers || !share} onClick={() => setPreviewed(rule)}>
            Preview on the last 7 days
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
        {!isNew && <p class="muted">The rule keeps its status and its history.</p>}
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
