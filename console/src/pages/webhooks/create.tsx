/** A new endpoint; its secret is shown once, with what verifies by it. */
import { useState } from 'preact/hooks'
import type { EndpointWithSecret } from '../../../../src/modules/webhooks/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Form,
  Page,
  Secret,
  Section,
  SelectField,
  TextField,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { type Mode, useMode, useOrg } from '../../shell/organization.ts'
import { CHANGES, CONSOLE, type EventType } from './api.ts'
import { EventFields } from './events.tsx'
import { MODES } from './modes.ts'
import { PlanGate } from './plan.tsx'
import { Snippets } from './snippets.tsx'
import styles from './webhooks.module.css'

const UP = { to: '/webhooks', label: 'Webhooks' }

export default function NewEndpointPage() {
  const [made, setMade] = useState<EndpointWithSecret>()
  return (
    <Page title={made ? 'Endpoint created' : 'New endpoint'} up={UP}>
      <PlanGate>{made ? <Created endpoint={made} /> : <NewEndpoint onMade={setMade} />}</PlanGate>
    </Page>
  )
}

function NewEndpoint({ onMade }: { onMade: (made: EndpointWithSecret) => void }) {
  const { id: org_id } = useOrg()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [events, setEvents] = useState<EventType[]>([])
  const [mode, setMode] = useState<Mode>(useMode())
  const create = useChange<void, EndpointWithSecret>(
    () => ({
      method: 'POST',
      path: CONSOLE,
      body: { org_id, url: url.trim(), description, events, mode },
    }),
    { quiet: true, changes: CHANGES, onDone: onMade },
  )
  return (
    <Section title="Endpoint" hideTitle class={styles['narrow'] ?? ''}>
      <Form onSubmit={() => create.mutate()} error={create.error}>
        <TextField
          label="URL"
          name="url"
          type="url"
          value={url}
          onInput={setUrl}
          placeholder="https://shop.example.com/hooks/vigil"
          hint="Public, HTTPS, with a valid certificate. Redirects are not followed."
          autocomplete="off"
          required
        />
        <TextField
          label="Description"
          name="description"
          value={description}
          onInput={setDescription}
          hint="For your colleagues."
        />
        <SelectField
          label="Events of"
          value={mode}
          options={MODES}
          onChange={setMode}
          hint="An endpoint never gets both, so nothing that is tried out reaches a system that acts on it."
        />
        <EventFields chosen={events} onChange={setEvents} />
        <Actions>
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            disabled={events.length === 0}
          >
            Create endpoint
          </Button>
          {events.length === 0 && <span class="muted">Choose at least one event.</span>}
        </Actions>
      </Form>
    </Section>
  )
}

function Created({ endpoint }: { endpoint: EndpointWithSecret }) {
  return (
    <div class={`stack ${styles['narrow']}`}>
      <Secret secret={endpoint.secret} what="signing secret" />
      <Section title="Verify the signature">
        <Snippets />
      </Section>
      <Actions>
        <PageLink to={`/webhooks/${endpoint.id}`} class="button button-primary">
          To the endpoint
        </PageLink>
        <span class="muted">From there a test event can be sent.</span>
      </Actions>
    </div>
  )
}
