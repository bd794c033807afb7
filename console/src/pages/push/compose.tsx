import { useMemo, useState } from 'preact/hooks'
import type { PushProvider } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Accepted, MessageRequest } from '../../../../src/modules/push/messages/schema.ts'
import {
  Actions,
  Button,
  Columns,
  Confirm,
  countText,
  Empty,
  Form,
  Loaded,
  Notice,
  numberText,
  Section,
  Time,
} from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { randomId } from '../../shell/random-id.ts'
import {
  type App,
  PUSH,
  useAudience,
  useConfiguration,
  useCredentials,
  usePushChange,
} from './api.ts'
import { ApplicationPage } from './application-page.tsx'
import { ContentFields, OptionFields, TargetFields, TimeFields } from './compose-fields.tsx'
import { bytesOf, type Draft, duplicateKeyOf, EMPTY_DRAFT, idsOf, messageOf } from './draft.ts'
import { Preview } from './preview.tsx'
import styles from './push.module.css'
import { PROVIDER_NAMES, TARGET_NAMES } from './status.tsx'

const PAYLOAD_MAX_BYTES = 4096

export default function ComposePage() {
  return (
    <ApplicationPage title="New message" isComposing>
      {(app) => <Gate key={app.id} app={app} />}
    </ApplicationPage>
  )
}

function Gate({ app }: { app: App }) {
  const { is_admin } = useOrg()
  const configuration = useConfiguration(app.id)
  if (!is_admin) {
    return (
      <Empty title="Only owners and admins can send messages here">
        <p>Ask one of them, or send from your backend with a secret key.</p>
      </Empty>
    )
  }
  return (
    <Loaded read={configuration} what="the configuration">
      {(names) =>
        names === null ? (
          <Empty title="This application is not configured yet">
            <p>
              Enter the identifiers of the app at Google and Apple, and upload its credentials
              first.
            </p>
            <PageLink to={`/push/${app.id}/setup`}>Go to setup</PageLink>
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
    </Loaded>
  )
}

function Compose({ app, providers }: { app: App; providers: readonly PushProvider[] }) {
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT)
  const [isConfirming, setConfirming] = useState(false)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const message = messageOf(draft)
  const send = useSend(app, message)
  const bytes = bytesOf(message)
  const isScheduled = message.send_at !== undefined
  const confirm = () => {
    send.reset()
    setConfirming(true)
  }
  return (
    <Columns wide>
      <Form
        class={styles['compose'] ?? ''}
        onSubmit={confirm}
        error={isConfirming ? null : send.error}
      >
        <Section title="Recipients">
          <TargetFields draft={draft} onChange={change} />
          <Estimate app={app} draft={draft} providers={providers} />
        </Section>
        <Section title="Content">
          <ContentFields draft={draft} onChange={change} />
          <p
            class={`${styles['after']} ${bytes > PAYLOAD_MAX_BYTES ? 'field-fault' : 'field-hint'}`}
          >
            About {numberText(bytes)} of {numberText(PAYLOAD_MAX_BYTES)} bytes
          </p>
        </Section>
        <Section title="Options">
          <OptionFields draft={draft} onChange={change} />
        </Section>
        <Section title="Schedule">
          <TimeFields draft={draft} onChange={change} />
        </Section>
        <Actions>
          <Button type="submit" kind="primary" disabled={duplicateKeyOf(draft) !== undefined}>
            {isScheduled ? 'Schedule…' : 'Send…'}
          </Button>
          <span class="muted">You confirm before it is sent.</span>
        </Actions>
      </Form>
      <Section title="Preview" class={styles['sticky'] ?? ''}>
        <Preview app={app.name} content={message} />
      </Section>
      {isConfirming && (
        <Confirm
          title={isScheduled ? 'Schedule this message?' : 'Send this message?'}
          action={isScheduled ? 'Schedule' : 'Send now'}
          change={send}
          onClose={() => setConfirming(false)}
        >
          <Summary app={app} draft={draft} />
        </Confirm>
      )}
    </Columns>
  )
}

function useSend(app: App, message: MessageRequest) {
  const go = useGo()
  const body = { application_id: app.id, ...message }
  const text = JSON.stringify(body)
  // The same key for the same text, so that a retry after a lost response does not send twice.
  const key = useMemo(() => randomId(), [text])
  return usePushChange<void, Accepted>(
    () => ({ method: 'POST', path: `${PUSH}/messages`, body, headers: { 'idempotency-key': key } }),
    {
      toast: ({ status }) => (status === 'scheduled' ? 'Message scheduled' : 'Message accepted'),
      onSuccess: ({ message_id }) => go(`/push/${app.id}/messages/${message_id}`),
    },
  )
}

type EstimateProps = { app: App; draft: Draft; providers: readonly PushProvider[] }

/** The current audience; the actual recipients are determined when the message is sent. */
function Estimate({ app, draft, providers }: EstimateProps) {
  const credentials = useCredentials(app.id)
  const missing = providers.filter(
    (provider) => credentials.data?.every((each) => each.provider !== provider) === true,
  )
  return (
    <div class={`stack ${styles['after']}`}>
      <p class="muted" aria-live="polite">
        <TargetText app={app} draft={draft} /> Recipients are determined when the message is sent.
      </p>
      {missing.map((provider) => (
        <Notice key={provider} tone="warn">
          <p>
            No credential for {PROVIDER_NAMES[provider]}: messages to its devices fail with{' '}
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
    return <>{countText(idsOf(draft).length, TARGET_NAMES[draft.target])}.</>
  }
  if (!audience.data) return null
  const total = audience.data.reduce((sum, { reachable }) => sum + reachable, 0)
  const parts = audience.data.map(
    ({ platform, reachable }) =>
      `${numberText(reachable)} ${platform === 'android' ? 'Android' : 'iOS'}`,
  )
  return (
    <>
      {countText(total, 'devices')} reachable now: {parts.join(', ')}.
    </>
  )
}

function Summary({ app, draft }: { app: App; draft: Draft }) {
  const { title, body, send_at } = messageOf(draft)
  return (
    <>
      <p>
        <strong class={styles['title']}>{title ?? body ?? 'Silent message'}</strong>
      </p>
      <p>
        To {draft.target === 'all' ? 'all devices' : 'the selected recipients'} of{' '}
        <strong>{app.name}</strong> ({app.environment}). <TargetText app={app} draft={draft} />
      </p>
      <p>
        {send_at === undefined ? (
          'Sent immediately. A sent message cannot be recalled.'
        ) : (
          <>
            Sent at <Time at={send_at} />. Until then it can be rescheduled or canceled.
          </>
        )}
      </p>
    </>
  )
}
