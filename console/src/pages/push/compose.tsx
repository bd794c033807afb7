/** A message is written, looked at, and sent when it was confirmed. */

import { useMemo, useState } from 'preact/hooks'
import type { Accepted } from '../../../../src/modules/push/messages/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Confirm,
  Empty,
  Form,
  Notice,
  numberText,
  Section,
  Shown,
  Time,
} from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { randomId } from '../../shell/random-id.ts'
import { type App, CHANGES, PUSH, useAudience, useConfiguration, useCredentials } from './api.ts'
import { ContentFields, OptionFields, TargetFields, TimeFields } from './compose-fields.tsx'
import { bytesOf, type Draft, doubleKeyOf, EMPTY_DRAFT, idsOf, messageOf } from './draft.ts'
import { ApplicationFrame } from './frame.tsx'
import { Preview } from './preview.tsx'
import styles from './push.module.css'
import { PROVIDER_NAMES } from './words.tsx'

const PAYLOAD_MAX_BYTES = 4096

export default function ComposePage() {
  return (
    <ApplicationFrame title="New message" isComposing>
      {(app) => <Gate key={app.id} app={app} />}
    </ApplicationFrame>
  )
}

function Gate({ app }: { app: App }) {
  const { is_admin } = useOrg()
  const configuration = useConfiguration(app.id)
  if (!is_admin) {
    return (
      <Empty title="Owners and admins send messages">
        <p>Ask one of them, or send from your backend with its secret key.</p>
      </Empty>
    )
  }
  return (
    <Shown read={configuration} what="the configuration">
      {(names) =>
        names === null ? (
          <Empty title="This application is not configured">
            <p>Say how Google and Apple call the app, and store its keys first.</p>
            <PageLink to={`/push/${app.id}/setup`}>To the setup</PageLink>
          </Empty>
        ) : (
          <Compose
            app={app}
            providers={[
              ...(names.android_package_name === null ? [] : ['fcm' as const]),
              ...(names.ios_bundle_id === null ? [] : ['apns' as const]),
            ]}
          />
        )
      }
    </Shown>
  )
}

function Compose({ app, providers }: { app: App; providers: readonly ('fcm' | 'apns')[] }) {
  const { id: org_id } = useOrg()
  const go = useGo()
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT)
  const [isAsked, setAsked] = useState(false)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const message = messageOf(draft)
  const body = { org_id, application_id: app.id, ...message }
  const text = JSON.stringify(body)
  // The same message again, after an answer that was lost, is not another one.
  const key = useMemo(() => randomId(), [text])
  const send = useChange<void, Accepted>(
    () => ({
      method: 'POST',
      path: `${PUSH}/messages`,
      body,
      headers: { 'idempotency-key': key },
    }),
    {
      quiet: true,
      changes: CHANGES,
      done: ({ status }) => (status === 'scheduled' ? 'Message scheduled' : 'Message accepted'),
      onDone: ({ message_id }) => go(`/push/${app.id}/messages/${message_id}`),
    },
  )
  const bytes = bytesOf(message)
  const confirm = () => {
    send.reset()
    setAsked(true)
  }
  return (
    <Columns wide>
      <Form class={styles['compose'] ?? ''} onSubmit={confirm} error={isAsked ? null : send.error}>
        <Section title="To">
          <TargetFields draft={draft} onChange={change} />
          <Estimate app={app} draft={draft} providers={providers} />
        </Section>
        <Section title="Content">
          <ContentFields draft={draft} onChange={change} />
          <p
            class={`${styles['after']} ${bytes > PAYLOAD_MAX_BYTES ? 'field-fault' : 'field-hint'}`}
          >
            About {numberText(bytes)} of {numberText(PAYLOAD_MAX_BYTES)} bytes.
          </p>
        </Section>
        <Section title="Options">
          <OptionFields draft={draft} onChange={change} />
        </Section>
        <Section title="When">
          <TimeFields draft={draft} onChange={change} />
        </Section>
        <Actions>
          <Button type="submit" kind="primary" disabled={doubleKeyOf(draft) !== undefined}>
            {message.send_at === undefined ? 'Send…' : 'Schedule…'}
          </Button>
          <span class="muted">It is confirmed before it is sent.</span>
        </Actions>
      </Form>
      <Section title="Preview" class={styles['sticky'] ?? ''}>
        <Preview app={app.name} content={message} />
      </Section>
      {isAsked && (
        <Confirm
          title={message.send_at === undefined ? 'Send this message?' : 'Schedule this message?'}
          action={message.send_at === undefined ? 'Send now' : 'Schedule'}
          busy={send.isPending}
          error={send.error}
          onConfirm={() => send.mutate()}
          onClose={() => setAsked(false)}
        >
          <Summary app={app} draft={draft} />
        </Confirm>
      )}
    </Columns>
  )
}

/** Who can be reached now; who is reached is decided when it is sent. */
function Estimate({
  app,
  draft,
  providers,
}: {
  app: App
  draft: Draft
  providers: readonly ('fcm' | 'apns')[]
}) {
  const credentials = useCredentials(app.id)
  const missing = providers.filter(
    (provider) => credentials.data?.every((each) => each.provider !== provider) === true,
  )
  return (
    <div class={`stack ${styles['after']}`}>
      <p class="muted" aria-live="polite">
        <TargetText app={app} draft={draft} /> Who gets it is decided when it is sent.
      </p>
      {missing.map((provider) => (
        <Notice key={provider} tone="warn">
          <p>
            There is no credential for {PROVIDER_NAMES[provider]}: its devices fail as{' '}
            <code>no_credential</code>.
          </p>
        </Notice>
      ))}
    </div>
  )
}

function TargetText({ app, draft }: { app: App; draft: Draft }) {
  const audience = useAudience(app.id)
  if (draft.target !== 'all') {
    const count = idsOf(draft).length
    const what = draft.target === 'external_user_ids' ? 'user' : 'subscription'
    return (
      <>
        {numberText(count)} {what}
        {count === 1 ? '' : 's'}.
      </>
    )
  }
  if (!audience.data) return null
  const total = audience.data.reduce((sum, { reachable }) => sum + reachable, 0)
  const parts = audience.data.map(
    ({ platform, reachable }) =>
      `${numberText(reachable)} ${platform === 'android' ? 'Android' : 'iOS'}`,
  )
  return (
    <>
      {numberText(total)} {total === 1 ? 'device' : 'devices'} can be reached now:{' '}
      {parts.join(', ')}.
    </>
  )
}

function Summary({ app, draft }: { app: App; draft: Draft }) {
  const { title, body, send_at } = messageOf(draft)
  return (
    <>
      <p>
        <strong class={styles['title']}>{title ?? body ?? 'Data only for the app'}</strong>
      </p>
      <p>
        To {draft.target === 'all' ? 'all devices' : 'those you named'} of{' '}
        <strong>{app.name}</strong> ({app.environment}). <TargetText app={app} draft={draft} />
      </p>
      <p>
        {send_at === undefined ? (
          'At once. What was sent cannot be taken back.'
        ) : (
          <>
            At <Time at={send_at} />. Until then it can be moved or cancelled.
          </>
        )}
      </p>
    </>
  )
}
