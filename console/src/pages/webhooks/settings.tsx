import { useState } from 'preact/hooks'
import type { EndpointWithSecret } from '../../../../src/modules/webhooks/schema.ts'
import {
  ConfirmButton,
  Form,
  FormActions,
  Section,
  SelectField,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import type { Mode } from '../../shell/organization.ts'
import { CONSOLE, DOCUMENTED, type EventType, type Health, useWebhookChange } from './api.ts'
import { endpointPage } from './endpoint-page.tsx'
import { EventFields, MODES } from './event-fields.tsx'
import { Extras, type Overlap, OverlapField } from './extras.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { Snippets } from './snippets.tsx'
import styles from './webhooks.module.css'

export default endpointPage('Settings', Settings)

function Settings({ endpoint }: { endpoint: Health }) {
  return (
    <div class={styles['narrow']}>
      <Definition endpoint={endpoint} />
      <Extras endpoint={endpoint} />
      {endpoint.portal_id === null && <EndpointMode endpoint={endpoint} />}
      <SecretSection endpoint={endpoint} />
      <Deletion endpoint={endpoint} />
    </div>
  )
}

function Definition({ endpoint }: { endpoint: Health }) {
  // The endpoint as it was when editing began; the query is refreshed in the meantime.
  const [initial, setInitial] = useState(endpoint)
  const { values, field } = useFields({ url: endpoint.url, description: endpoint.description })
  const { description } = values
  const url = values.url.trim()
  const [events, setEvents] = useState(endpoint.events as EventType[])
  const save = useWebhookChange(
    () => ({
      method: 'PATCH',
      path: `${DOCUMENTED}/${endpoint.id}`,
      // Only edited fields are sent, so that other people's changes are not overwritten.
      body: {
        ...(url !== initial.url && { url }),
        ...(description !== initial.description && { description }),
        ...(events.join() !== initial.events.join() && { events }),
      },
    }),
    {
      toast: 'Endpoint saved',
      onSuccess: () => setInitial({ ...initial, url, description, events }),
    },
  )
  return (
    <Section title="Endpoint">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <TextField
          label="URL"
          type="url"
          {...field('url')}
          hint="Pending deliveries also go to the new URL."
          autocomplete="off"
          required
        />
        <TextField label="Description" {...field('description')} />
        <EventFields selected={events} onChange={setEvents} />
        <p class="field-hint">Added events apply from now on.</p>
        <FormActions busy={save.isPending} disabled={events.length === 0}>
          Save
        </FormActions>
      </Form>
    </Section>
  )
}

function EndpointMode({ endpoint }: { endpoint: Health }) {
  const [mode, setMode] = useState<Mode>(endpoint.mode)
  const save = useWebhookChange(
    () => ({ method: 'POST', path: `${CONSOLE}/${endpoint.id}/mode`, body: { mode } }),
    { toast: `The endpoint now receives ${mode} events` },
  )
  return (
    <Section title="Mode">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <SelectField label="Mode" value={mode} options={MODES} onChange={setMode} />
        <FormActions kind="plain" busy={save.isPending} disabled={mode === endpoint.mode}>
          Change mode
        </FormActions>
      </Form>
    </Section>
  )
}

function SecretSection({ endpoint }: { endpoint: Health }) {
  const [secret, setSecret] = useState<string>()
  const [overlap, setOverlap] = useState<Overlap>('0')
  const roll = useWebhookChange<EndpointWithSecret>(
    () => ({
      method: 'POST',
      path: `${CONSOLE}/${endpoint.id}/roll-secret`,
      body: { overlap_hours: Number(overlap) },
    }),
    { onSuccess: (rolled) => setSecret(rolled.secret) },
  )
  return (
    <Section
      title="Signing secret"
      actions={
        <ConfirmButton
          label="Roll secret"
          title="Roll the signing secret?"
          action="Roll secret"
          change={roll}
        >
          <p>
            Without an overlap, the old secret stops working immediately, also for pending
            deliveries. No deliveries are lost: let your receiver accept both secrets during the
            change, or respond with 401, and they are retried.
          </p>
          <OverlapField value={overlap} onChange={setOverlap} />
        </ConfirmButton>
      }
    >
      <div class="stack">
        <p>
          The secret begins with <code>{endpoint.secret_prefix}</code>. It was shown when it was
          created.
          {endpoint.previous_secret_until !== null && (
            <>
              {' '}
              The former secret also signs until <Time at={endpoint.previous_secret_until} />.
            </>
          )}
        </p>
        {secret !== undefined && (
          <SigningSecret secret={secret} onClose={() => setSecret(undefined)} />
        )}
        <details>
          <summary>How to verify a signature</summary>
          <Snippets />
        </details>
      </div>
    </Section>
  )
}

function Deletion({ endpoint }: { endpoint: Health }) {
  const go = useGo()
  const remove = useWebhookChange(
    () => ({ method: 'DELETE', path: `${DOCUMENTED}/${endpoint.id}` }),
    { toast: 'Endpoint deleted', onSuccess: () => go('/webhooks') },
  )
  return (
    <Section
      title="Delete"
      actions={
        <ConfirmButton
          label="Delete endpoint"
          title="Delete this endpoint?"
          action="Delete endpoint"
          typed={endpoint.url}
          change={remove}
        >
          <p>Pending deliveries are not sent. This cannot be undone.</p>
        </ConfirmButton>
      }
    >
      <p>
        Deletes the endpoint, its secret and its deliveries. To stop deliveries temporarily, pause
        the endpoint instead.
      </p>
    </Section>
  )
}
