/** The messages of an application, newest first. */
import type {
  MessagePage,
  ShownMessage,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { usePages } from '../../api/read.ts'
import {
  Empty,
  More,
  numberText,
  PartsBar,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Table,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, useAudience } from './api.ts'
import { ApplicationFrame } from './frame.tsx'
import { partsOf } from './parts.ts'
import styles from './push.module.css'
import { MessageBadge } from './words.tsx'

const REFRESH_MS = 5000
const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'unfinished', label: 'Not done yet' },
  { value: 'with_failures', label: 'With failures' },
  { value: 'scheduled', label: 'scheduled' },
  { value: 'queued', label: 'queued' },
  { value: 'sending', label: 'sending' },
  { value: 'sent', label: 'sent' },
  { value: 'partially_failed', label: 'partially failed' },
  { value: 'failed', label: 'failed' },
  { value: 'cancelled', label: 'cancelled' },
] as const

type Row = Answer<ShownMessage>

export default function MessagesPage() {
  return (
    <ApplicationFrame>
      {(app) => (
        <div key={app.id}>
          <AudienceStats app={app} />
          <Messages app={app} />
        </div>
      )}
    </ApplicationFrame>
  )
}

function AudienceStats({ app }: { app: App }) {
  const audience = useAudience(app.id)
  return (
    <Section title="Who can be reached" hideTitle>
      <Shown read={audience} what="subscriptions">
        {(platforms) => (
          <Stats>
            {platforms.map(({ platform, total, reachable, identified }) => (
              <Stat
                key={platform}
                label={platform === 'android' ? 'Android, reachable' : 'iOS, reachable'}
                value={numberText(reachable)}
                note={`of ${numberText(total)} registered; ${numberText(identified)} with a user`}
              />
            ))}
          </Stats>
        )}
      </Shown>
    </Section>
  )
}

function Messages({ app }: { app: App }) {
  const { id: org_id, is_admin } = useOrg()
  const [{ status }, set] = useFilters({ status: '' })
  const pages = usePages<Answer<MessagePage>>(
    `${PUSH}/applications/${app.id}/messages`,
    { org_id, status },
    { refresh_ms: REFRESH_MS, keep: true },
  )
  return (
    <Section title="Messages">
      <Toolbar label="Filter messages">
        <SelectField
          label="Status"
          value={status}
          options={STATUSES}
          onChange={(value) => set({ status: value })}
        />
      </Toolbar>
      <Shown read={pages} what="messages">
        {({ pages: read }) => {
          const rows = read.flatMap(({ messages }) => messages)
          const until = read.at(-1)?.examined_until
          return (
            <>
              {rows.length > 0 && <MessageTable app={app} rows={rows} />}
              {rows.length === 0 && !pages.hasNextPage && (
                <Empty title={status === '' ? 'Nothing was sent yet' : 'No message is like that'}>
                  <p>
                    {status === ''
                      ? is_admin
                        ? 'Messages come from your backend, or from “New message” above.'
                        : 'Messages come from your backend, and from owners and admins here.'
                      : 'Choose another status.'}
                  </p>
                </Empty>
              )}
              {until && (
                <p class="muted">
                  Looked back until <Time at={until} />.
                </p>
              )}
              {(rows.length > 0 || pages.hasNextPage) && (
                <More pages={pages} shown={rows.length} what="messages" />
              )}
            </>
          )
        }}
      </Shown>
    </Section>
  )
}

const MessageTable = ({ app, rows }: { app: App; rows: readonly Row[] }) => (
  <Table
    label="Messages"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Message',
        isWide: true,
        cell: ({ id, content }) => (
          <PageLink to={`/push/${app.id}/messages/${id}`} class={styles['title']}>
            {content.title ?? content.body ?? 'Only for the app'}
          </PageLink>
        ),
      },
      { label: 'Status', cell: ({ status }) => <MessageBadge status={status} /> },
      { label: 'To', cell: targetText },
      { label: 'Sent at', cell: ({ send_at }) => <Time at={send_at} /> },
      { label: 'Recipients', isNumber: true, cell: ({ recipients }) => numberText(recipients) },
      {
        label: 'Outcome',
        cell: (message) =>
          message.recipients > 0 && <PartsBar label="Outcome" parts={partsOf(message)} />,
      },
      { label: 'Accepted', isNumber: true, cell: ({ accepted }) => numberText(accepted) },
      { label: 'Failed', isNumber: true, cell: ({ failed }) => numberText(failed) },
      { label: 'Received', isNumber: true, cell: ({ received }) => numberText(received) },
      { label: 'Clicked', isNumber: true, cell: ({ clicked }) => numberText(clicked) },
    ]}
  />
)

const targetText = ({ target, targets }: Row): string => {
  if (target === 'all') return 'all'
  const what = target === 'external_user_ids' ? 'user' : 'subscription'
  return `${numberText(targets)} ${what}${targets === 1 ? '' : 's'}`
}
