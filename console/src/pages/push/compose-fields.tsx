/** The fields of a message. */
import type { PushTarget } from '../../../../src/modules/push/messages/reading/schema.ts'
import { Button, SelectField, TextArea, TextField } from '../../components/index.ts'
import { type Draft, doubleKeyOf, type Pair, utcOf } from './draft.ts'
import styles from './push.module.css'

type Props = { draft: Draft; onChange: (part: Partial<Draft>) => void }

const TARGETS: readonly { value: PushTarget; label: string }[] = [
  { value: 'all', label: 'All subscribed devices' },
  { value: 'external_user_ids', label: 'Users, on all of their devices' },
  { value: 'subscription_ids', label: 'Exactly these subscriptions' },
]

export function TargetFields({ draft, onChange }: Props) {
  const { target, ids } = draft
  return (
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
          label={target === 'external_user_ids' ? 'External user ids' : 'Subscription ids'}
          name={target}
          value={ids}
          onInput={(value) => onChange({ ids: value })}
          hint="One per line. Those that nobody knows are ignored."
          spellcheck={false}
          required
        />
      )}
    </div>
  )
}

export function ContentFields({ draft, onChange }: Props) {
  return (
    <div class="stack">
      <TextField
        label="Title"
        name="title"
        value={draft.title}
        onInput={(title) => onChange({ title })}
      />
      <TextArea
        label="Body"
        name="body"
        rows={3}
        value={draft.body}
        onInput={(body) => onChange({ body })}
        hint="Without title and body nothing is shown: the message only reaches the app."
      />
      <TextField
        label="Deep link"
        name="deep_link"
        value={draft.deep_link}
        onInput={(deep_link) => onChange({ deep_link })}
        placeholder="shop://orders/8841"
        hint="What the app opens when the notification is tapped."
      />
      <TextField
        label="Image"
        name="image"
        type="url"
        value={draft.image}
        onInput={(image) => onChange({ image })}
        placeholder="https://…"
        hint="Android shows it; on iOS the app’s extension has to."
      />
      <DataFields data={draft.data} onChange={(data) => onChange({ data })} />
    </div>
  )
}

function DataFields({
  data,
  onChange,
}: {
  data: readonly Pair[]
  onChange: (data: readonly Pair[]) => void
}) {
  const set = (index: number, part: Partial<Pair>) =>
    onChange(data.map((pair, at) => (at === index ? { ...pair, ...part } : pair)))
  const double = doubleKeyOf({ data })
  return (
    <fieldset class={styles['fieldset']}>
      <legend>Data for the app</legend>
      <div class={styles['pairs']}>
        {data.map(({ key, value }, index) => (
          // Nothing else tells two empty lines apart.
          <div key={String(index)} class={styles['pair']}>
            <TextField
              label={`Key ${index + 1}`}
              hideLabel
              placeholder="key"
              value={key}
              onInput={(text) => set(index, { key: text })}
              {...(key !== '' && { name: `data.${key}` })}
            />
            <TextField
              label={`Value ${index + 1}`}
              hideLabel
              placeholder="value"
              value={value}
              onInput={(text) => set(index, { value: text })}
            />
            <Button
              kind="quiet"
              aria-label={`Remove key ${index + 1}`}
              onClick={() => onChange(data.filter((_, at) => at !== index))}
            >
              ✕
            </Button>
          </div>
        ))}
        {double !== undefined && (
          <p class="field-fault" role="alert">
            {double} is there twice; only one value would be sent.
          </p>
        )}
        <div>
          <Button size="small" onClick={() => onChange([...data, { key: '', value: '' }])}>
            Add a key
          </Button>
        </div>
      </div>
    </fieldset>
  )
}

const PRIORITIES = [
  { value: '', label: 'Usual' },
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
] as const

export function OptionFields({ draft, onChange }: Props) {
  return (
    <div class={styles['two']}>
      <TextField
        label="Time to live, seconds"
        name="ttl_seconds"
        type="number"
        min={0}
        max={2_419_200}
        value={draft.ttl_seconds}
        onInput={(ttl_seconds) => onChange({ ttl_seconds })}
        hint="How long it is worth showing. 0: now or never. Empty: as long as the providers keep it."
      />
      <TextField
        label="Collapse key"
        name="collapse_key"
        value={draft.collapse_key}
        onInput={(collapse_key) => onChange({ collapse_key })}
        hint="Of messages with the same one only the last is shown."
      />
      <SelectField
        label="Priority"
        name="priority"
        value={draft.priority}
        options={PRIORITIES}
        onChange={(priority) => onChange({ priority })}
        hint="Usual is high for what is shown, normal for the rest."
      />
      <TextField
        label="Sound"
        name="sound"
        value={draft.sound}
        onInput={(sound) => onChange({ sound })}
        placeholder="default"
      />
      <TextField
        label="Badge"
        name="badge"
        type="number"
        min={0}
        value={draft.badge}
        onInput={(badge) => onChange({ badge })}
        hint="The number on the icon."
      />
      <TextField
        label="Channel (Android)"
        name="channel_id"
        value={draft.channel_id}
        onInput={(channel_id) => onChange({ channel_id })}
      />
    </div>
  )
}

export function TimeFields({ draft, onChange }: Props) {
  return (
    <div class="stack">
      <SelectField
        label="Send"
        value={draft.is_later ? 'later' : 'now'}
        options={[
          { value: 'now', label: 'Now' },
          { value: 'later', label: 'At a time' },
        ]}
        onChange={(value) => onChange({ is_later: value === 'later' })}
      />
      {draft.is_later && (
        <LocalTime value={draft.send_at} onInput={(send_at) => onChange({ send_at })} />
      )}
    </div>
  )
}

/** A time in the zone of the viewer, with what it is in UTC. */
export function LocalTime({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const utc = utcOf(value)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <TextField
      label="Time"
      name="send_at"
      type="datetime-local"
      value={value}
      onInput={onInput}
      required
      hint={
        <>
          In your time zone, {zone}
          {utc !== '' && <>: {utc.replace('T', ' ').slice(0, 16)} UTC</>}. At most 90 days ahead by
          default; a time that is over means now.
        </>
      }
    />
  )
}
