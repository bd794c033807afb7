/** Adds a channel, or changes one. URLs and keys are stored sealed, so that editing starts with empty fields for them. */
import type { Application } from '../../../../src/modules/applications/schema.ts'
import type { Channel, ChannelWithSecret } from '../../../../src/modules/notifications/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import type { fieldsOf } from '../../components/index.ts'
import {
  FormDialog,
  SecretDialog,
  SelectField,
  TextArea,
  TextField,
  useFields,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { KIND_NAMES, type Kind, useNotificationChange } from './api.ts'
import { type ChannelValues, targetOf, valuesOf } from './channel-values.ts'

/** A person adds a browser in that browser. */
const KINDS = (Object.keys(KIND_NAMES) as Kind[])
  .filter((kind) => kind !== 'browser')
  .map((value) => ({ value, label: KIND_NAMES[value] }))

type Props = { channel?: Channel; onClose: () => void }

export function ChannelForm({ channel, onClose }: Props) {
  const initial = valuesOf(channel)
  const { values, field } = useFields<ChannelValues>(initial)
  const { kind } = values
  const save = useNotificationChange<ChannelWithSecret>(
    () => {
      const { name, per_hour_max } = values
      const body = { name, per_hour_max: Number(per_hour_max) }
      const target = targetOf(values)
      if (!channel) return { method: 'POST', path: '/channels', body: { kind, ...body, ...target } }
      // A target that is sent replaces the stored one, and a webhook gets another secret.
      const isChanged = JSON.stringify(target) !== JSON.stringify(targetOf(initial))
      const change = { ...body, ...(isChanged && target) }
      return { method: 'PATCH', path: `/channels/${channel.id}`, body: change }
    },
    {
      quiet: true,
      toast: channel ? 'Channel saved' : 'Channel added',
      onSuccess: ({ secret }) => secret === undefined && onClose(),
    },
  )
  if (save.data?.secret !== undefined) {
    return <ChannelSecret secret={save.data.secret} onClose={onClose} />
  }
  return (
    <FormDialog
      title={channel ? `Edit the channel ${channel.name}` : 'Add a channel'}
      action={channel ? 'Save channel' : 'Add channel'}
      change={save}
      onClose={onClose}
    >
      {!channel && <SelectField label="Kind" {...field('kind')} options={KINDS} />}
      <TextField label="Name" {...field('name')} maxLength={200} autocomplete="off" required />
      <Target kind={kind} field={field} isNew={channel === undefined} />
      <TextField
        label="Messages per hour"
        type="number"
        {...field('per_hour_max')}
        min={1}
        max={1000}
        hint={
          kind === 'pagerduty'
            ? 'PagerDuty limits by itself, so this has no effect.'
            : 'What exceeds it waits and is then one message.'
        }
        required
      />
    </FormDialog>
  )
}

type TargetProps = {
  kind: Kind
  field: ReturnType<typeof fieldsOf<ChannelValues>>
  isNew: boolean
}

const STORED = 'Leave empty to use the stored one.'
const URL_HINTS = {
  slack: 'Address of an incoming webhook, also of services that accept the same.',
  teams: 'Address of a workflow that is started by a webhook.',
  webhook: 'Messages are signed with a secret that is shown once.',
}

function Target({ kind, field, isNew }: TargetProps) {
  switch (kind) {
    case 'email':
      return (
        <TextArea
          label="E-mail addresses"
          {...field('to')}
          hint="One per line, up to 20."
          required
        />
      )
    case 'pagerduty':
      return (
        <>
          <TextField
            label="Routing key"
            {...field('routing_key')}
            hint={isNew ? 'Of an Events API v2 integration.' : STORED}
            autocomplete="off"
            required={isNew}
          />
          <TextField
            label="URL"
            type="url"
            {...field('url')}
            hint="Only for another region: https://events.eu.pagerduty.com/v2/enqueue. It is stored with the routing key, so enter both."
            autocomplete="off"
          />
        </>
      )
    case 'push':
      return <PushTarget field={field} />
    case 'browser':
      return null
    case 'slack':
    case 'teams':
    case 'webhook':
      return (
        <TextField
          label="URL"
          type="url"
          {...field('url')}
          hint={isNew ? URL_HINTS[kind] : kind === 'webhook' ? `${STORED} ${NEW_SECRET}` : STORED}
          autocomplete="off"
          required={isNew}
        />
      )
  }
}

const NEW_SECRET = 'Another URL gets another signing secret.'

function PushTarget({ field }: Pick<TargetProps, 'field'>) {
  const { id: org_id } = useOrg()
  const read = useRead<Answer<Application>[]>('/console/api/push/applications', { org_id })
  const live = (read.data ?? []).filter(({ environment }) => environment === 'live')
  const applications = live.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <SelectField
        label="Application"
        {...field('application_id')}
        options={[{ value: '', label: 'Choose an application' }, ...applications]}
        hint={read.error?.message ?? 'Applications for live data only.'}
        required
      />
      <TextArea
        label="External user IDs"
        {...field('external_user_ids')}
        hint="One per line, up to 20."
        required
      />
    </>
  )
}

const ChannelSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <SecretDialog
    title="Your signing secret"
    secret={secret}
    what="signing secret"
    file="vigil-notification-secret.txt"
    onClose={onClose}
  >
    <p>Your receiver verifies the signature of each notification with it.</p>
  </SecretDialog>
)
