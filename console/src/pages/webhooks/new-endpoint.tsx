import { useState } from 'preact/hooks'
import type { EndpointWithSecret } from '../../../../src/modules/webhooks/schema.ts'
import {
  Actions,
  Button,
  Form,
  Page,
  Section,
  SelectField,
  TextField,
  useFields,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { CONSOLE, type EventType, useWebhookChange } from './api.ts'
import { EventFields, MODES } from './event-fields.tsx'
import { PlanGate } from './plan-gate.tsx'
import { usePortal, useWebhookMode } from './scope.ts'
import { SigningSecret } from './signing-secret.tsx'
import { Snippets } from './snippets.tsx'
import styles from './webhooks.module.css'

const UP = { to: '/webhooks', label: 'Webhooks' }

export default function NewEndpointPage() {
  const [created, setCreated] = useState<EndpointWithSecret>()
  return (
    <Page title={created ? 'Endpoint created' : 'New endpoint'} up={UP}>
      <PlanGate>
        {created ? <Created endpoint={created} /> : <NewEndpoint onCreated={setCreated} />}
      </PlanGate>
    </Page>
  )
}

function NewEndpoint({ onCreated }: { onCreated: (created: EndpointWithSecret) => void }) {
  const { values, field } = useFields({ url: '', description: '', mode: useWebhookMode() })
  const isInPortal = usePortal() !== undefined
  const [events, setEvents] = useState<EventType[]>([])
  const create = useWebhookChange<EndpointWithSecret>(
    () => ({ method: 'POST', path: CONSOLE, body: { ...values, url: values.url.trim(), events } }),
    { onSuccess: onCreated },
  )
  return (
    <Section title="Endpoint" hideTitle class={styles['narrow'] ?? ''}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <TextField
          label="URL"
          type="url"
          {...field('url')}
          placeholder="https://shop.example.com/hooks/vigil"
          hint="A public HTTPS URL with a valid certificate. Redirects are not followed."
          autocomplete="off"
          required
        />
        <TextField
          label="Description"
          {...field('description')}
          hint="Shown on these pages only."
        />
        {!isInPortal && (
          <SelectField
            label="Mode"
            {...field('mode')}
            options={MODES}
            hint="An endpoint receives either live or test events, so tests never reach production systems."
          />
        )}
        <EventFields selected={events} onChange={setEvents} />
        <Actions>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            disabled={events.length === 0}
          >
            Create endpoint
          </Button>
          {events.length === 0 && <span class="muted">Select at least one event.</span>}
        </Actions>
      </Form>
    </Section>
  )
}

function Created({ endpoint }: { endpoint: EndpointWithSecret }) {
  const [isStored, setStored] = useState(false)
  return (
    <div class={`stack ${styles['narrow']}`}>
      {!isStored && <SigningSecret secret={endpoint.secret} onClose={() => setStored(true)} />}
      <CreatedHelp id={endpoint.id} />
    </div>
  )
}

const CreatedHelp = ({ id }: { id: string }) => (
  <>
    <Section title="Verify the signature">
      <Snippets />
    </Section>
    <Actions>
      <PageLink to={`/webhooks/${id}`} class="button button-primary">
        Go to endpoint
      </PageLink>
      <span class="muted">You can send a test event from there.</span>
    </Actions>
  </>
)
