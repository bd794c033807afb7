/** A new endpoint; its secret is shown once, with what verifies by it. */
import { useState } from 'preact/hooks'
import type { EndpointWithSecret } from '../../../../src/modules/webhooks/schema.ts'
import { ApiError } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Form,
  Notice,
  Page,
  Secret,
  Section,
  SelectField,
  TextField,
} from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { PageLink } from '../../shell/links.tsx'
import { type Mode, useMode, useOrg } from '../../shell/organization.ts'
import { CHANGES, CONSOLE, DOCUMENTED, type EventType } from './api.ts'
import { EventFields } from './events.tsx'
import { MODES } from './modes.ts'
import { PlanGate } from './plan.tsx'
import { Snippets } from './snippets.tsx'
import styles from './webhooks.module.css'

const UP = { to: '/webhooks', label: 'Webhooks' }

type Made = { endpoint: EndpointWithSecret; mode_error: ApiError | undefined }

export default function NewEndpointPage() {
  const [made, setMade] = useState<Made>()
  return (
    <Page title={made ? 'Endpoint created' : 'New endpoint'} up={UP}>
      <PlanGate>{made ? <Created {...made} /> : <NewEndpoint onMade={setMade} />}</PlanGate>
    </Page>
  )
}

function NewEndpoint({ onMade }: { onMade: (made: Made) => void }) {
  const { id: org_id } = useOrg()
  const session = useSession()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [events, setEvents] = useState<EventType[]>([])
  const [mode, setMode] = useState<Mode>(useMode())
  const create = useChange<void, EndpointWithSecret>(
    () => ({
      method: 'POST',
      path: DOCUMENTED,
      body: { org_id, url: url.trim(), description, events },
    }),
    {
      quiet: true,
      changes: CHANGES,
      onDone: (endpoint) => {
        // A new one gets live events; only what is asked for besides is said.
        const path = `${CONSOLE}/${endpoint.id}/mode`
        const set =
          mode === 'live'
            ? Promise.resolve(undefined)
            : session.call({ method: 'POST', path, body: { org_id, mode } })
        set.then(
          () => onMade({ endpoint, mode_error: undefined }),
          (error: unknown) => {
            const mode_error = error instanceof ApiError ? error : undefined
            onMade({ endpoint, mode_error })
          },
        )
      },
    },
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

function Created({ endpoint, mode_error }: Made) {
  return (
    <div class={`stack ${styles['narrow']}`}>
      <Secret secret={endpoint.secret} what="signing secret" />
      {mode_error && (
        <Notice tone="bad">
          <p>
            It was created, but gets live events: {mode_error.message} Change it in its settings.
          </p>
        </Notice>
      )}
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
