/** Sets the route of a subject, of a log alert rule, or of all other subjects. */
import { useState } from 'preact/hooks'
import type { Channel, ShownRoute } from '../../../../src/modules/notifications/schema.ts'
import {
  CheckField,
  FormDialog,
  SelectField,
  TextField,
  useFields,
} from '../../components/index.ts'
import { useNotificationChange } from './api.ts'
import { ALL_OTHERS, SEVERITY_NAMES, type Severity, SUBJECT_NAMES, subjectName } from './names.ts'

const SUBJECTS = [
  { value: '', label: ALL_OTHERS },
  ...Object.entries(SUBJECT_NAMES).map(([value, label]) => ({ value, label })),
]
const SEVERITIES = (Object.keys(SEVERITY_NAMES) as Severity[]).map((value) => ({
  value,
  label: SEVERITY_NAMES[value],
}))

type Props = {
  route?: ShownRoute
  /** A log alert rule, of which it is the route. */
  rule?: { id: string; name: string }
  channels: readonly Channel[]
  onClose: () => void
}

export function RouteForm({ route, rule, channels, onClose }: Props) {
  const { values, field } = useFields(valuesOf(route, rule ? 'log_alert' : ''))
  const [selected, setSelected] = useState<readonly string[]>(route?.channel_ids ?? [])
  const { subject, from, until, time_zone } = values
  const known = channels.filter(({ id }) => selected.includes(id))
  const save = useNotificationChange(
    () => ({
      method: 'PUT',
      path: '/routes',
      body: {
        subject: subject === '' ? null : subject,
        rule_id: rule?.id ?? route?.rule_id ?? null,
        channel_ids: known.map(({ id }) => id),
        min_severity: values.min_severity,
        repeat_minutes: Number(values.repeat_minutes),
        quiet_hours: from === '' && until === '' ? null : { from, until, time_zone },
      },
    }),
    { toast: 'Route saved', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog title={titleOf(route, rule)} action="Save route" change={save} onClose={onClose}>
      {rule && <p class="muted">Applies to this rule in place of the route of all log alerts.</p>}
      {!route && !rule && (
        <SelectField
          label="Subject"
          {...field('subject')}
          options={SUBJECTS}
          hint="Replaces the route that the subject already has."
        />
      )}
      <fieldset class="stack">
        <legend class="field-label">Channels</legend>
        {channels.length === 0 && <p class="field-hint">Add a channel first.</p>}
        {channels.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={selected.includes(id)}
            onChange={(isOn) =>
              setSelected(isOn ? [...selected, id] : selected.filter((each) => each !== id))
            }
          />
        ))}
      </fieldset>
      <SelectField label="Severity" {...field('min_severity')} options={SEVERITIES} />
      <TextField
        label="Repeated every (minutes)"
        type="number"
        {...field('repeat_minutes')}
        min={0}
        max={10_080}
        hint="Until it is acknowledged or ends; 0 for never."
        required
      />
      <TextField
        label="Quiet hours from"
        {...field('from')}
        placeholder="22:00"
        hint="Messages that are not critical wait until the quiet hours end. Leave empty for none."
      />
      <TextField label="Quiet hours until" {...field('until')} placeholder="07:00" />
      <TextField label="Time zone of the quiet hours" {...field('time_zone')} />
    </FormDialog>
  )
}

function titleOf(route: Props['route'], rule: Props['rule']): string {
  if (rule) return `Route of ${rule.name}`
  return route ? `Edit the route: ${subjectName(route.subject)}` : 'Add a route'
}

const valuesOf = (route: ShownRoute | undefined, subject: string) => ({
  subject: route?.subject ?? subject,
  min_severity: route?.min_severity ?? ('notice' as Severity),
  repeat_minutes: String(route?.repeat_minutes ?? 0),
  from: route?.quiet_hours?.from ?? '',
  until: route?.quiet_hours?.until ?? '',
  time_zone: route?.quiet_hours?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
})
