/** What became of one message. */
import { useState } from 'preact/hooks'
import { useRoute } from 'wouter'
import type { MessageDetails } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  Columns,
  Confirm,
  Copyable,
  Dialog,
  Facts,
  Form,
  JsonBlock,
  numberText,
  PartsBar,
  Progress,
  percentText,
  Section,
  Shown,
  Stat,
  Stats,
  Table,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH } from './api.ts'
import { LocalTime } from './compose-fields.tsx'
import { utcOf } from './draft.ts'
import { ApplicationFrame } from './frame.tsx'
import { partsOf } from './parts.ts'
import { Preview } from './preview.tsx'
import styles from './push.module.css'
import { Recipients } from './recipients.tsx'
import { MessageBadge, meaningOf, PROVIDER_NAMES, Reason } from './words.tsx'

type Details = Answer<MessageDetails>

const LIVE_MS = 1000
const CALM_MS = 10_000

export default function MessagePage() {
  const [, params] = useRoute('/push/:app/messages/:message')
  return (
    <ApplicationFrame title="Message" up={{ to: `/push/${params?.app}`, label: 'Messages' }}>
      {(app) => <Message key={params?.message} app={app} id={params?.message ?? ''} />}
    </ApplicationFrame>
  )
}

function Message({ app, id }: { app: App; id: string }) {
  const { id: org_id } = useOrg()
  const [isCalm, setCalm] = useState(false)
  const read = useRead<Details>(
    `${PUSH}/messages/${id}`,
    { org_id },
    { refresh_ms: isCalm ? CALM_MS : LIVE_MS },
  )
  const hasEnded = read.data !== undefined && read.data.completed_at !== null
  // Nothing happens to one that waits for its time, and that may be weeks.
  const isWaiting =
    read.data?.status === 'scheduled' && Date.parse(read.data.send_at) - Date.now() > CALM_MS
  if ((hasEnded || isWaiting) !== isCalm) setCalm(hasEnded || isWaiting)
  return (
    <Shown read={read} what="the message">
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
          <Recipients app={app} message={message} isCalm={isCalm} />
        </>
      )}
    </Shown>
  )
}

function Outcome({ message }: { message: Details }) {
  const { status, recipients, accepted, failed, received, clicked, pending, cancelled } = message
  const share = (count: number) =>
    recipients === 0 ? undefined : `${percentText(count / recipients)} of recipients`
  const number = (label: string, count: number) => (
    <Stat label={label} value={numberText(count)} note={share(count)} />
  )
  return (
    <Section
      title="What became of it"
      actions={<MessageActions key={message.status} message={message} />}
    >
      <div class="stack">
        <p class="row">
          <MessageBadge status={status} />
          <span class="muted">{meaningOf(status)}</span>
        </p>
        {status === 'queued' && <Progress label="Recipients are being made…" />}
        {status === 'sending' && (
          <Progress
            label={`${numberText(accepted + failed)} of ${numberText(recipients)} done`}
            value={accepted + failed}
            max={recipients}
          />
        )}
        <Stats>
          <Stat
            label="Targeted"
            value={numberText(message.targeted)}
            note="when it was asked for"
          />
          <Stat label="Recipients" value={numberText(recipients)} note="when it was sent" />
          {number('Accepted', accepted)}
          {number('Failed', failed)}
          {pending > 0 && number('Pending', pending)}
          {cancelled > 0 && number('Cancelled', cancelled)}
          {number('Received', received)}
          {number('Clicked', clicked)}
        </Stats>
        {recipients > 0 && <Parts message={message} />}
        <p class="muted">
          Accepted means that FCM or APNs took it, which is not delivery. Received and clicked are
          what apps told, as far as their systems let them.
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
  const [asked, setAsked] = useState<'cancel' | 'reschedule'>()
  const close = () => setAsked(undefined)
  if (!is_admin || message.completed_at !== null) return null
  return (
    <>
      {message.status === 'scheduled' && (
        <Button onClick={() => setAsked('reschedule')}>Reschedule</Button>
      )}
      <Button kind="danger" onClick={() => setAsked('cancel')}>
        Cancel message
      </Button>
      {asked === 'cancel' && <Cancellation message={message} onClose={close} />}
      {asked === 'reschedule' && <Rescheduling message={message} onClose={close} />}
    </>
  )
}

type Asked = { message: Details; onClose: () => void }

function Cancellation({ message, onClose }: Asked) {
  const { id: org_id } = useOrg()
  const cancel = useChange(
    () => ({ method: 'POST', path: `${PUSH}/messages/${message.id}/cancel`, body: { org_id } }),
    { quiet: true, done: 'Message cancelled', changes: CHANGES, onDone: onClose },
  )
  return (
    <Confirm
      title="Cancel this message?"
      action="Cancel message"
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p>
        What is under way at that moment still arrives and is counted; of the rest nothing is sent.
        It cannot be sent again as the same message.
      </p>
    </Confirm>
  )
}

function Rescheduling({ message, onClose }: Asked) {
  const { id: org_id } = useOrg()
  const [at, setAt] = useState(localOf(message.send_at))
  const move = useChange(
    () => ({
      method: 'POST',
      path: `${PUSH}/messages/${message.id}/schedule`,
      body: { org_id, send_at: utcOf(at) },
    }),
    { quiet: true, done: 'Message rescheduled', changes: CHANGES, onDone: onClose },
  )
  return (
    <Dialog title="Reschedule" onClose={onClose}>
      <Form onSubmit={() => move.mutate()} error={move.error}>
        <LocalTime value={at} onInput={setAt} />
        <Actions>
          <Button type="submit" kind="primary" busy={move.isPending}>
            Reschedule
          </Button>
          <Button onClick={onClose}>Close</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

/** As `datetime-local` wants it, in the zone of the viewer. */
function localOf(utc: string): string {
  const time = new Date(utc)
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
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
          cell: ({ provider }) => <span class={styles['whole']}>{PROVIDER_NAMES[provider]}</span>,
        },
        { label: 'Reason', isWide: true, cell: ({ reason }) => <Reason reason={reason} /> },
        { label: 'Recipients', isNumber: true, cell: ({ count }) => numberText(count) },
        {
          label: 'Of all failures',
          isNumber: true,
          cell: ({ count }) => percentText(count / Math.max(1, message.failed)),
        },
      ]}
    />
    {message.is_partial && <p class="muted">Of the first 100,000 failures.</p>}
  </Section>
)

const TARGETS = {
  all: 'All subscribed devices',
  external_user_ids: 'users',
  subscription_ids: 'subscriptions',
}

const OPTION_NAMES: Readonly<Record<string, string>> = {
  ttl_seconds: 'Time to live, s',
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
          ['Id', <Copyable key="id" text={message.id} />],
          [
            'To',
            message.target === 'all'
              ? TARGETS.all
              : `${numberText(message.targets)} ${TARGETS[message.target]}`,
          ],
          ['Made', <Time key="made" at={message.created_at} />],
          ['Send at', <Time key="send" at={message.send_at} />],
          ['Ended', <Time key="ended" at={message.completed_at} />],
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
