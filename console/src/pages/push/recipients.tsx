/** To whom a message goes, with what became of it for each. */
import { useEffect } from 'preact/hooks'
import type {
  MessageDetails,
  RecipientPage,
  ShownRecipient,
} from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import {
  Empty,
  More,
  Section,
  SelectField,
  Shown,
  Table,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, useListed } from './api.ts'
import styles from './push.module.css'
import { PROVIDER_NAMES, Reason, RecipientBadge } from './words.tsx'

const REFRESH_MS = 3000
const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'pending', label: 'pending' },
  { value: 'accepted', label: 'accepted' },
  { value: 'failed', label: 'failed' },
  { value: 'cancelled', label: 'cancelled' },
] as const

export function Recipients({
  app,
  message,
  isCalm,
}: {
  app: App
  message: Answer<MessageDetails>
  /** Little happens to it, or nothing any more. */
  isCalm: boolean
}) {
  const { id: org_id } = useOrg()
  const [{ status }, set] = useFilters({ status: '' })
  const pages = useListed<Answer<RecipientPage>>(
    `${PUSH}/messages/${message.id}/recipients`,
    { org_id, status },
    {
      parameter: 'after',
      next: ({ next }) => next ?? undefined,
      refresh_ms: isCalm ? REFRESH_MS * 4 : REFRESH_MS,
    },
  )
  const { accepted, failed, received, clicked } = message
  useEffect(() => {
    // Both are read apart: when one has news, the other has too.
    void pages.refetch()
  }, [accepted, failed, received, clicked, isCalm])
  return (
    <Section title="Recipients">
      <Toolbar label="Filter recipients">
        <SelectField
          label="Status"
          value={status}
          options={STATUSES}
          onChange={(value) => set({ status: value })}
        />
      </Toolbar>
      <Shown read={pages} what="recipients">
        {({ pages: read }) => {
          const rows = read.flatMap(({ recipients }) => recipients)
          if (rows.length === 0) {
            return (
              <Empty
                title={status === '' ? 'There are no recipients' : 'No recipient is like that'}
              >
                <p>
                  {message.status === 'scheduled'
                    ? 'They are made when it is sent.'
                    : 'Those who can be reached when it is sent become recipients.'}
                </p>
              </Empty>
            )
          }
          return (
            <>
              <RecipientTable app={app} rows={rows} />
              <More pages={pages} shown={rows.length} what="recipients" />
            </>
          )
        }}
      </Shown>
    </Section>
  )
}

const RecipientTable = ({ app, rows }: { app: App; rows: readonly Answer<ShownRecipient>[] }) => (
  <Table
    label="Recipients"
    rows={rows}
    keyOf={({ provider, subscription_id }) => `${provider}:${subscription_id}`}
    columns={[
      {
        label: 'Subscription',
        cell: ({ subscription_id }) => (
          <code title={subscription_id}>…{subscription_id.slice(-8)}</code>
        ),
      },
      {
        label: 'User',
        cell: ({ external_user_id }) =>
          external_user_id === null ? (
            <span class="muted">nobody</span>
          ) : (
            <div class={styles['user']}>
              <PageLink to={`/push/${app.id}/subscriptions`} query={{ external_user_id }}>
                {external_user_id}
              </PageLink>
            </div>
          ),
      },
      {
        label: 'Provider',
        cell: ({ provider }) => <span class={styles['whole']}>{PROVIDER_NAMES[provider]}</span>,
      },
      { label: 'Status', cell: ({ status }) => <RecipientBadge status={status} /> },
      { label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
      { label: 'Reason', isWide: true, cell: ({ reason }) => <Reason reason={reason} /> },
      {
        label: 'Settled',
        cell: ({ settled_at, due_at }) =>
          settled_at === null && due_at !== null ? (
            <>
              next <Time at={due_at} />
            </>
          ) : (
            <Time at={settled_at} />
          ),
      },
      { label: 'Received', cell: ({ received_at }) => <Time at={received_at} /> },
      { label: 'Clicked', cell: ({ clicked_at }) => <Time at={clicked_at} /> },
    ]}
  />
)
