import type {
  MessagePage,
  ShownMessage,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import {
  countText,
  ListSection,
  Loaded,
  numberText,
  PartsBar,
  Section,
  Stat,
  Stats,
  Time,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, useAudience } from './api.ts'
import { ApplicationPage } from './application-page.tsx'
import styles from './push.module.css'
import { MessageBadge, partsOf, TARGET_NAMES } from './status.tsx'

const REFRESH_MS = 5000
const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'unfinished', label: 'In progress' },
  { value: 'with_failures', label: 'With failures' },
  { value: 'scheduled', label: 'scheduled' },
  { value: 'queued', label: 'queued' },
  { value: 'sending', label: 'sending' },
  { value: 'sent', label: 'sent' },
  { value: 'partially_failed', label: 'partially failed' },
  { value: 'failed', label: 'failed' },
  { value: 'cancelled', label: 'canceled' },
] as const

type Row = Answer<ShownMessage>

export default function MessagesPage() {
  return (
    <ApplicationPage>
      {(app) => (
        <div key={app.id}>
          <AudienceStats app={app} />
          <Messages app={app} />
        </div>
      )}
    </ApplicationPage>
  )
}

function AudienceStats({ app }: { app: App }) {
  const audience = useAudience(app.id)
  return (
    <Section title="Audience" hideTitle>
      <Loaded read={audience} what="subscriptions">
        {(platforms) => (
          <Stats>
            {platforms.map(({ platform, total, reachable, identified }) => (
              <Stat
                key={platform}
                label={platform === 'android' ? 'Reachable on Android' : 'Reachable on iOS'}
                value={numberText(reachable)}
                note={`of ${numberText(total)} registered, ${numberText(identified)} identified`}
              />
            ))}
          </Stats>
        )}
      </Loaded>
    </Section>
  )
}

function Messages({ app }: { app: App }) {
  const { id: org_id, is_admin } = useOrg()
  const view = useFilters({ status: '' })
  const pages = usePages<Answer<MessagePage>>(
    `${PUSH}/applications/${app.id}/messages`,
    { org_id, ...view[0] },
    { refresh_ms: REFRESH_MS, keep_previous: true },
  )
  return (
    <ListSection
      title="Messages"
      list={rowsOfPages(pages, ({ messages }) => messages)}
      what="messages"
      columns={columnsOf(app)}
      keyOf={({ id }) => id}
      view={view}
      filters={[{ name: 'status', label: 'Status', options: STATUSES }]}
      empty={
        <p>
          {is_admin
            ? 'Send messages from your backend, or with “New message” above.'
            : 'Messages are sent from your backend, or here by owners and admins.'}
        </p>
      }
    />
  )
}

const columnsOf = (app: App): readonly Column<Row>[] => [
  {
    label: 'Message',
    isWide: true,
    cell: ({ id, content }) => (
      <PageLink to={`/push/${app.id}/messages/${id}`} class={styles['title']}>
        {content.title ?? content.body ?? 'Silent message'}
      </PageLink>
    ),
  },
  { label: 'Status', cell: ({ status }) => <MessageBadge status={status} /> },
  { label: 'Target', cell: targetText },
  { label: 'Sent', cell: ({ send_at }) => <Time at={send_at} /> },
  { label: 'Recipients', isNumber: true, cell: ({ recipients }) => recipients },
  {
    label: 'Outcome',
    cell: (message) =>
      message.recipients > 0 && <PartsBar label="Outcome" parts={partsOf(message)} />,
  },
  { label: 'Accepted', isNumber: true, cell: ({ accepted }) => accepted },
  { label: 'Failed', isNumber: true, cell: ({ failed }) => failed },
  { label: 'Received', isNumber: true, cell: ({ received }) => received },
  { label: 'Clicked', isNumber: true, cell: ({ clicked }) => clicked },
]

const targetText = ({ target, targets }: Row): string =>
  target === 'all' ? 'all devices' : countText(targets, TARGET_NAMES[target])
