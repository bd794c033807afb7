/** Where the user is signed in, and how to end it. */
import type { OwnSession } from '../../../../src/modules/accounts/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import { Badge, Button, Section, Shown, Table, Time } from '../../components/index.ts'
import { browserOf } from './browser.ts'
import styles from './organization.module.css'

const SESSIONS = '/console/api/me/sessions'

export function Sessions() {
  const read = useRead<{ sessions: OwnSession[] }>(SESSIONS)
  const end = useChange<string>((id) => ({ method: 'DELETE', path: `${SESSIONS}/${id}` }), {
    changes: [SESSIONS],
    done: 'The session has ended',
  })
  return (
    <Section title="Sessions">
      <Shown read={read} what="sessions">
        {({ sessions }) => (
          <Table
            label="Sessions"
            rows={sessions}
            keyOf={({ id }) => id}
            columns={[
              {
                label: 'Where',
                isWide: true,
                cell: ({ user_agent, is_current }) => (
                  <span title={user_agent ?? undefined}>
                    {browserOf(user_agent)} {is_current && <Badge tone="info">This one</Badge>}
                  </span>
                ),
              },
              {
                label: 'Since',
                cell: ({ created_at }) => (
                  <span class={styles['nowrap']}>
                    <Time at={created_at} as="day" />
                  </span>
                ),
              },
              {
                label: 'Last seen',
                cell: ({ last_seen_at }) => (
                  <span class={styles['nowrap']}>
                    <Time at={last_seen_at} as="age" />
                  </span>
                ),
              },
              {
                label: 'Actions',
                hideLabel: true,
                cell: ({ id, is_current, user_agent }) =>
                  !is_current && (
                    <Button
                      size="small"
                      kind="danger"
                      busy={end.isPending && end.variables === id}
                      aria-label={`End the session of ${browserOf(user_agent)}`}
                      onClick={() => end.mutate(id)}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Shown>
      <p class="muted">
        A session that was ended may go on for some minutes, until its access token expires.
      </p>
    </Section>
  )
}
