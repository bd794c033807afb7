/** What an endpoint is: URL, events and mode can be changed, its secret rolled, and all of it deleted. */
import { useState } from 'preact/hooks'
import type { EndpointWithSecret } from '../../../../src/modules/webhooks/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Confirm,
  Form,
  Secret,
  Section,
  SelectField,
  TextField,
} from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import { type Mode, useOrg } from '../../shell/organization.ts'
import { CHANGES, CONSOLE, DOCUMENTED, type EventType, type Health } from './api.ts'
import { EventFields } from './events.tsx'
import { EndpointFrame } from './frame.tsx'
import { MODES } from './modes.ts'
import { Snippets } from './snippets.tsx'
import styles from './webhooks.module.css'

export default function SettingsPage() {
  return (
    <EndpointFrame part="Settings">
      {(endpoint) => (
        <div key={endpoint.id} class={styles['narrow']}>
          <Definition endpoint={endpoint} />
          <EndpointMode endpoint={endpoint} />
          <SigningSecret endpoint={endpoint} />
          <Deletion endpoint={endpoint} />
        </div>
      )}
    </EndpointFrame>
  )
}

function Definition({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  // As it was when the form was filled: it is read again meanwhile.
  const [begun, setBegun] = useState(endpoint)
  const [url, setUrl] = useState(endpoint.url)
  const [description, setDescription] = useState(endpoint.description)
  const [events, setEvents] = useState(endpoint.events as EventType[])
  const save = useChange(
    () => ({
      method: 'PATCH',
      path: `${DOCUMENTED}/${endpoint.id}`,
      // What was not touched is left as others may have changed it.
      body: {
        org_id,
        ...(url.trim() !== begun.url && { url: url.trim() }),
        ...(description !== begun.description && { description }),
        ...(events.join() !== begun.events.join() && { events }),
      },
    }),
    {
      quiet: true,
      done: 'Endpoint saved',
      changes: CHANGES,
      onDone: () => setBegun({ ...begun, url: url.trim(), description, events }),
    },
  )
  return (
    <Section title="Endpoint">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <TextField
          label="URL"
          name="url"
          type="url"
          value={url}
          onInput={setUrl}
          hint="What still waits goes to the new one, too."
          autocomplete="off"
          required
        />
        <TextField
          label="Description"
          name="description"
          value={description}
          onInput={setDescription}
        />
        <EventFields chosen={events} onChange={setEvents} />
        <p class="field-hint">New events count for what happens from now on.</p>
        <Actions>
          <Button type="submit" kind="primary" busy={save.isPending} disabled={events.length === 0}>
            Save
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}

function EndpointMode({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const [mode, setMode] = useState<Mode>(endpoint.mode)
  const save = useChange(
    () => ({
      method: 'POST',
      path: `${CONSOLE}/${endpoint.id}/mode`,
      body: { org_id, mode },
    }),
    { quiet: true, done: `It gets events of ${mode} data from now on`, changes: CHANGES },
  )
  return (
    <Section title="Mode">
      <Form onSubmit={() => save.mutate()} error={save.error}>
        <SelectField label="Events of" value={mode} options={MODES} onChange={setMode} />
        <Actions>
          <Button type="submit" busy={save.isPending} disabled={mode === endpoint.mode}>
            Set mode
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}

function SigningSecret({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const [isAsked, setAsked] = useState(false)
  const [secret, setSecret] = useState<string>()
  const roll = useChange<void, EndpointWithSecret>(
    () => ({
      method: 'POST',
      path: `${DOCUMENTED}/${endpoint.id}/roll-secret`,
      body: { org_id },
    }),
    {
      quiet: true,
      changes: CHANGES,
      onDone: (rolled) => {
        setAsked(false)
        setSecret(rolled.secret)
      },
    },
  )
  return (
    <Section
      title="Signing secret"
      actions={
        <Button kind="danger" onClick={() => setAsked(true)}>
          Roll secret
        </Button>
      }
    >
      <div class="stack">
        {secret === undefined ? (
          <p>
            It begins with <code>{endpoint.secret_prefix}</code> and was shown when it was made.
          </p>
        ) : (
          <Secret secret={secret} what="signing secret" />
        )}
        <details open={secret !== undefined}>
          <summary>How to verify a signature</summary>
          <Snippets />
        </details>
      </div>
      {isAsked && (
        <Confirm
          title="Roll the signing secret?"
          action="Roll secret"
          busy={roll.isPending}
          error={roll.error}
          onConfirm={() => roll.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>
            The old secret stops at once, also for what already waits; there is no overlap. Nothing
            is lost: let your receiver accept both while you roll, or answer 401 meanwhile, and the
            deliveries come again.
          </p>
        </Confirm>
      )}
    </Section>
  )
}

function Deletion({ endpoint }: { endpoint: Health }) {
  const { id: org_id } = useOrg()
  const go = useGo()
  const [isAsked, setAsked] = useState(false)
  const remove = useChange(
    () => ({
      method: 'DELETE',
      path: `${DOCUMENTED}/${endpoint.id}`,
      query: { org_id },
    }),
    {
      quiet: true,
      done: 'Endpoint deleted',
      changes: CHANGES,
      onDone: () => go('/webhooks'),
    },
  )
  return (
    <Section
      title="Delete"
      actions={
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete endpoint
        </Button>
      }
    >
      <p>
        The endpoint, its secret and its deliveries are gone at once. To stop deliveries for a
        while, pause it instead.
      </p>
      {isAsked && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete endpoint"
          typed={endpoint.url}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>What still waits is not sent any more. This cannot be taken back.</p>
        </Confirm>
      )}
    </Section>
  )
}
