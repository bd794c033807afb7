import { useEffect } from 'preact/hooks'
import type {
  MessageDetails,
  RecipientPage,
  ShownRecipient,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH } from './api.ts'
import styles from './push.module.css'
import { PROVIDER_NAMES, Reason, RecipientBadge } from './status.tsx'

const REFRESH_MS = 3000
const STATUSES = [
  { value: '', label: 'Any' },
  ...(['pending', 'accepted', 'failed'] as const),
  { value: 'cancelled', label: 'canceled' },
]

type Props = {
  app: App
  message: Answer<MessageDetails>
  /** The message changes rarely or no longer. */
  isIdle: boolean
}

export function Recipients({ app, message, isIdle }: Props) {
  const { id: org_id } = useOrg()
  const view = useFilters({ status: '' })
  const pages = usePages<Answer<RecipientPage>>(
    `${PUSH}/messages/${message.id}/recipients`,
    { org_id, ...view[0] },
    {
      parameter: 'after',
      next: ({ next }) => next ?? undefined,
      refresh_ms: isIdle ? REFRESH_MS * 4 : REFRESH_MS,
      keep_previous: true,
    },
  )
  const { accepted, failed, received, clicked } = message
  useEffect(() => {
    // The list is a query of its own: when the counts change, it has changed too.
    void pages.refetch()
  }, [accepted, failed, received, clicked, isIdle])
  return (
    <ListSection
      title="Recipients"
      list={rowsOfPages(pages, ({ recipients }) => recipients)}
      what="recipients"
      columns={columnsOf(app)}
      keyOf={({ provider, subscription_id }) => `${provider}:${subscription_id}`}
      view={view}
      filters={[{ name: 'status', label: 'Status', options: STATUSES }]}
      emptyTitle="No recipients"
      empty={<p>Recipients are the reachable devices at the time the message is sent.</p>}
    />
  )
}

const columnsOf = (app: App): readonly Column<Answer<ShownRecipient>>[] => [
  {
    label: 'Subscription',
    cell: ({ subscription_id }) => (
      <code title={subscription_id}>…{subscription_id.slice(-8)}</code>
    ),
  },
  {
    label: 'User',
    cell: ({ external_user_id }) =>
      external_user_id && (
        <div class={styles['user']}>
          <PageLink to={`/push/${app.id}/subscriptions`} query={{ external_user_id }}>
            {external_user_id}
          </PageLink>
        </div>
      ),
  },
  {
    label: 'Provider',
    cell: ({ provider }) => <span class="nowrap">{PROVIDER_NAMES[provider]}</span>,
  },
  { label: 'Status', cell: ({ status }) => <RecipientBadge status={status} /> },
  { label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { label: 'Reason', isWide: true, cell: ({ reason }) => <Reason reason={reason} /> },
  {
    label: 'Completed',
    cell: ({ settled_at, due_at }) =>
      settled_at === null && due_at !== null ? (
        <>
          next attempt <Time at={due_at} />
        </>
      ) : (
        <Time at={settled_at} />
      ),
  },
  {
    label: 'Received and clicked',
    cell: ({ received_at, clicked_at }) =>
      received_at === null && clicked_at === null ? null : (
        <>
          <div>{received_at === null ? 'not received' : <Time at={received_at} />}</div>
          {clicked_at !== null && (
            <div class="muted">
              clicked <Time at={clicked_at} as="age" />
            </div>
          )}
        </>
      ),
  },
]
