import type { PushTarget } from '../../../../src/modules/push/messages/reading/schema.ts'
import { Icon } from '../../components/icon.tsx'
import { Button, fieldsOf, SelectField, TextArea, TextField } from '../../components/index.ts'
import { zoneName } from '../../components/zone.ts'
import { type Draft, duplicateKeyOf, type Pair, utcOf } from './draft.ts'
import styles from './push.module.css'

type Props = { draft: Draft; onChange: (part: Partial<Draft>) => void }

const TARGETS: readonly { value: PushTarget; label: string }[] = [
  { value: 'all', label: 'All subscribed devices' },
  { value: 'external_user_ids', label: 'Users, on all their devices' },
  { value: 'subscription_ids', label: 'Specific subscriptions' },
]

export const TargetFields = ({ draft: { target, ids }, onChange }: Props) => (
  <div class="stack">
    <SelectField
      label="Target"
      name="all"
      value={target}
      options={TARGETS}
      onChange={(value) => onChange({ target: value })}
    />
    {target !== 'all' && (
      <TextArea
        label={target === 'external_user_ids' ? 'External user IDs' : 'Subscription IDs'}
        name={target}
        value={ids}
        onChange={(value) => onChange({ ids: value })}
        hint="One per line. Unknown IDs are ignored."
        spellcheck={false}
        required
      />
    )}
  </div>
)

export function ContentFields({ draft, onChange }: Props) {
  const field = fieldsOf(draft, onChange)
  return (
    <div class="stack">
      <TextField label="Title" {...field('title')} />
      <TextArea
        label="Body"
        {...field('body')}
        rows={3}
        hint="Without title and body the message is silent and only reaches the app."
      />
      <TextField
        label="Deep link"
        {...field('deep_link')}
        placeholder="shop://orders/8841"
        hint="Opened by the app when the notification is tapped."
      />
      <TextField
        label="Image"
        {...field('image')}
        type="url"
        placeholder="https://…"
        hint="Shown on Android. On iOS it requires a notification service extension."
      />
      <DataFields data={draft.data} onChange={(data) => onChange({ data })} />
    </div>
  )
}

type DataProps = { data: readonly Pair[]; onChange: (data: readonly Pair[]) => void }

function DataFields({ data, onChange }: DataProps) {
  const set = (index: number, part: Partial<Pair>) =>
    onChange(data.map((pair, at) => (at === index ? { ...pair, ...part } : pair)))
  const duplicate = duplicateKeyOf({ data })
  return (
    <fieldset class={styles['fieldset']}>
      <legend>Data for the app</legend>
      <div class={styles['pairs']}>
        {data.map(({ key, value }, index) => (
          // The index is the only identity of an empty row.
          <div key={String(index)} class={styles['pair']}>
            <TextField
              label={`Key ${index + 1}`}
              hideLabel
              placeholder="key"
              value={key}
              onChange={(text) => set(index, { key: text })}
              {...(key !== '' && { name: `data.${key}` })}
            />
            <TextField
              label={`Value ${index + 1}`}
              hideLabel
              placeholder="value"
              value={value}
              onChange={(text) => set(index, { value: text })}
            />
            <Button
              kind="quiet"
              aria-label={`Remove key ${index + 1}`}
              onClick={() => onChange(data.filter((_, at) => at !== index))}
            >
              <Icon sign="close" />
            </Button>
          </div>
        ))}
        {duplicate !== undefined && (
          <p class="field-fault" role="alert">
            {duplicate} is a duplicate key. Only one value would be sent.
          </p>
        )}
        <div>
          <Button size="small" onClick={() => onChange([...data, { key: '', value: '' }])}>
            Add key
          </Button>
        </div>
      </div>
    </fieldset>
  )
}

const PRIORITIES = [
  { value: '', label: 'Default' },
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
] as const

export function OptionFields({ draft, onChange }: Props) {
  const field = fieldsOf(draft, onChange)
  return (
    <div class={styles['two']}>
      <TextField
        label="Time to live (seconds)"
        {...field('ttl_seconds')}
        type="number"
        min={0}
        max={2_419_200}
        hint="How long providers keep trying to deliver. 0 means a single attempt. Leave empty for the provider’s maximum."
      />
      <TextField
        label="Collapse key"
        {...field('collapse_key')}
        hint="Only the latest message with the same key is shown."
      />
      <SelectField
        label="Priority"
        {...field('priority')}
        options={PRIORITIES}
        hint="The default is high for visible messages and normal for silent ones."
      />
      <TextField label="Sound" {...field('sound')} placeholder="default" />
      <TextField
        label="Badge"
        {...field('badge')}
        type="number"
        min={0}
        hint="Number on the app icon."
      />
      <TextField label="Channel (Android)" {...field('channel_id')} />
    </div>
  )
}

export const TimeFields = ({ draft, onChange }: Props) => (
  <div class="stack">
    <SelectField
      label="Send"
      value={draft.is_later ? 'later' : 'now'}
      options={[
        { value: 'now', label: 'Now' },
        { value: 'later', label: 'Scheduled' },
      ]}
      onChange={(value) => onChange({ is_later: value === 'later' })}
    />
    {draft.is_later && (
      <LocalTime value={draft.send_at} onChange={(send_at) => onChange({ send_at })} />
    )}
  </div>
)

type TimeProps = { value: string; onChange: (value: string) => void }

/** A time in the zone of the page, with its UTC equivalent. */
export function LocalTime({ value, onChange }: TimeProps) {
  const utc = utcOf(value)
  const zone = zoneName()
  return (
    <TextField
      label="Time"
      name="send_at"
      type="datetime-local"
      value={value}
      onChange={onChange}
      required
      hint={
        <>
          In the time zone {zone}
          {utc !== '' && <>: {utc.replace('T', ' ').slice(0, 16)} UTC</>}. By default at most 90
          days ahead. A past time means now.
        </>
      }
    />
  )
}
