import { useState } from 'preact/hooks'
import { useRoute } from 'wouter'
import type { MessageDetails } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Button,
  Columns,
  ConfirmButton,
  Copyable,
  countText,
  Facts,
  FormDialog,
  JsonBlock,
  Loaded,
  numberText,
  PartsBar,
  Progress,
  percentText,
  Section,
  Stat,
  Stats,
  Table,
  Time,
} from '../../components/index.ts'
import { isInUtc } from '../../components/zone.ts'
import { useOrg } from '../../shell/organization.ts'
import { MINUTE_MS } from '../../time-units.ts'
import { type App, PUSH, usePushChange, usePushRead } from './api.ts'
import { ApplicationPage } from './application-page.tsx'
import { LocalTime } from './compose-fields.tsx'
import { utcOf } from './draft.ts'
import { Preview } from './preview.tsx'
import styles from './push.module.css'
import { Recipients } from './recipients.tsx'
import {
  MESSAGE_MEANINGS,
  MessageBadge,
  PROVIDER_NAMES,
  partsOf,
  Reason,
  TARGET_NAMES,
} from './status.tsx'

type Details = Answer<MessageDetails>

const ACTIVE_REFRESH_MS = 1000
const IDLE_REFRESH_MS = 10_000

export default function MessagePage() {
  const [, params] = useRoute('/push/:app/messages/:message')
  return (
    <ApplicationPage title="Message" up={{ to: `/push/${params?.app}`, label: 'Messages' }}>
      {(app) => <Message key={params?.message} app={app} id={params?.message ?? ''} />}
    </ApplicationPage>
  )
}

function Message({ app, id }: { app: App; id: string }) {
  const read = usePushRead<Details>(
    `/messages/${id}`,
    {},
    { refresh_ms: (message) => (isIdle(message) ? IDLE_REFRESH_MS : ACTIVE_REFRESH_MS) },
  )
  return (
    <Loaded read={read} what="the message">
      {(message) => (
        <>
          <Outcome message={message} />
          {message.failures.length > 0 && <Failures message={message} />}
          <Columns>
            <Section title="Notification">
              <Preview app={app.name} content={message.content} />
            </Section>
            <Definition message={message} />
          </Columns>
          <Recipients app={app} message={message} isIdle={isIdle(message)} />
        </>
      )}
    </Loaded>
  )
}

/** The message has ended, or waits: a scheduled message does not change for up to weeks. */
const isIdle = (message: Details | undefined): boolean =>
  message !== undefined &&
  (message.completed_at !== null ||
    (message.status === 'scheduled' && Date.parse(message.send_at) - Date.now() > IDLE_REFRESH_MS))

function Outcome({ message }: { message: Details }) {
  const { status, recipients, accepted, failed, received, clicked, pending, cancelled } = message
  const share = (count: number) =>
    recipients === 0 ? undefined : `${percentText(count / recipients)} of recipients`
  const number = (label: string, count: number) => (
    <Stat label={label} value={numberText(count)} note={share(count)} />
  )
  return (
    <Section title="Delivery" actions={<MessageActions key={message.status} message={message} />}>
      <div class="stack">
        <p class="row">
          <MessageBadge status={status} />
          <span class="muted">{MESSAGE_MEANINGS[status]}</span>
        </p>
        {status === 'queued' && <Progress label="Determining recipients…" />}
        {status === 'sending' && (
          <Progress
            label={`${numberText(accepted + failed)} of ${numberText(recipients)} done`}
            value={accepted + failed}
            max={recipients}
          />
        )}
        <Stats>
          <Stat label="Targeted" value={numberText(message.targeted)} note="when it was created" />
          <Stat label="Recipients" value={numberText(recipients)} note="when it was sent" />
          {number('Accepted', accepted)}
          {number('Failed', failed)}
          {pending > 0 && number('Pending', pending)}
          {cancelled > 0 && number('Canceled', cancelled)}
          {number('Received', received)}
          {number('Clicked', clicked)}
        </Stats>
        {recipients > 0 && <Parts message={message} />}
        <p class="muted">
          Accepted means that FCM or APNs accepted the message, which is not delivery. Received and
          clicked are reported by the apps, as far as the operating system allows.
        </p>
      </div>
    </Section>
  )
}

function Parts({ message }: { message: Details }) {
  const parts = partsOf(message)
  return (
    <div>
      <PartsBar label="Recipients by outcome" parts={parts} />
      <ul class={styles['legend']}>
        {parts
          .filter(({ value }) => value > 0)
          .map(({ label, value, tone }) => (
            <li key={label}>
              <span class={`${styles['swatch']} tone-${tone}`} aria-hidden="true" />
              {label} {numberText(value)}
            </li>
          ))}
      </ul>
    </div>
  )
}

function MessageActions({ message }: { message: Details }) {
  const { is_admin } = useOrg()
  const [isMoving, setMoving] = useState(false)
  const cancel = usePushChange(
    () => ({ method: 'POST', path: `${PUSH}/messages/${message.id}/cancel`, body: {} }),
    { toast: 'Message canceled' },
  )
  if (!is_admin || message.completed_at !== null) return null
  return (
    <>
      {message.status === 'scheduled' && (
        <Button onClick={() => setMoving(true)}>Reschedule</Button>
      )}
      <ConfirmButton
        label="Cancel message"
        title="Cancel this message?"
        action="Cancel message"
        change={cancel}
      >
        <p>
          Notifications in progress are still delivered and counted. The others are not sent. A
          canceled message cannot be resumed.
        </p>
      </ConfirmButton>
      {isMoving && <Rescheduling message={message} onClose={() => setMoving(false)} />}
    </>
  )
}

function Rescheduling({ message, onClose }: { message: Details; onClose: () => void }) {
  const [at, setAt] = useState(localOf(message.send_at))
  const path = `${PUSH}/messages/${message.id}/schedule`
  const move = usePushChange(() => ({ method: 'POST', path, body: { send_at: utcOf(at) } }), {
    toast: 'Message rescheduled',
    onSuccess: onClose,
  })
  return (
    <FormDialog title="Reschedule message" action="Reschedule" change={move} onClose={onClose}>
      <LocalTime value={at} onChange={setAt} />
    </FormDialog>
  )
}

/** A `datetime-local` value in the time zone of the page. */
function localOf(utc: string): string {
  const time = new Date(utc)
  const shift = isInUtc() ? 0 : time.getTimezoneOffset() * MINUTE_MS
  return new Date(time.getTime() - shift).toISOString().slice(0, 16)
}

const Failures = ({ message }: { message: Details }) => (
  <Section title="Failures by reason">
    <Table
      label="Failures by reason"
      rows={message.failures}
      keyOf={({ provider, reason }) => `${provider} ${reason}`}
      columns={[
        {
          label: 'Provider',
          cell: ({ provider }) => <span class="nowrap">{PROVIDER_NAMES[provider]}</span>,
        },
        { label: 'Reason', isWide: true, cell: ({ reason }) => <Reason reason={reason} /> },
        { label: 'Recipients', isNumber: true, cell: ({ count }) => count },
        {
          label: 'Share of failures',
          isNumber: true,
          cell: ({ count }) => percentText(count / Math.max(1, message.failed)),
        },
      ]}
    />
    {message.is_partial && <p class="muted">Based on the first 100,000 failures.</p>}
  </Section>
)

const OPTION_NAMES: Readonly<Record<string, string>> = {
  ttl_seconds: 'Time to live (seconds)',
  collapse_key: 'Collapse key',
  priority: 'Priority',
  badge: 'Badge',
  sound: 'Sound',
  channel_id: 'Channel (Android)',
}

function Definition({ message }: { message: Details }) {
  const { title, body, data, image, deep_link, ...options } = message.content
  const set = Object.entries(options)
  return (
    <Section title="Message">
      <Facts
        facts={[
          ['ID', <Copyable key="id" text={message.id} />],
          [
            'Recipients',
            message.target === 'all'
              ? 'All subscribed devices'
              : countText(message.targets, TARGET_NAMES[message.target]),
          ],
          ['Created', <Time key="created" at={message.created_at} />],
          ['Scheduled for', <Time key="send" at={message.send_at} />],
          ['Completed', <Time key="ended" at={message.completed_at} />],
          ['Title', title ?? null],
          ['Body', body ?? null],
          ['Deep link', deep_link ?? null],
          ['Image', image ?? null],
          ...set.map(([name, value]) => [OPTION_NAMES[name] ?? name, String(value)] as const),
        ]}
      />
      {data !== undefined && (
        <>
          <h3 class={styles['after']}>Data for the app</h3>
          <JsonBlock value={data} label="Data for the app" />
        </>
      )}
    </Section>
  )
}
