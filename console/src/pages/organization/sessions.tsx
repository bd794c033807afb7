import type { OwnSession } from '../../../../src/modules/accounts/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Badge,
  Button,
  ConfirmButton,
  List,
  Section,
  Time,
} from '../../components/index.ts'

const SESSIONS = '/console/api/me/sessions'

export function Sessions() {
  const read = useRead<{ sessions: OwnSession[] }>(SESSIONS)
  const end = useChange<string>((id) => ({ method: 'DELETE', path: `${SESSIONS}/${id}` }), {
    invalidates: [SESSIONS],
    toast: 'Session ended',
  })
  const hasOthers = read.data?.sessions.some(({ is_current }) => !is_current) ?? false
  return (
    <Section title="Sessions">
      <List
        list={mapRead(read, ({ sessions }) => sessions)}
        what="sessions"
        keyOf={({ id }) => id}
        columns={[
          {
            label: 'Browser',
            isWide: true,
            cell: ({ user_agent, browser, is_current }) => (
              <span title={user_agent ?? undefined}>
                {browser} {is_current && <Badge tone="info">This session</Badge>}
              </span>
            ),
          },
          { label: 'Address', cell: ({ address }) => address ?? 'Unknown' },
          { label: 'Signed in', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
          { label: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} as="age" /> },
          {
            label: 'Actions',
            hideLabel: true,
            cell: ({ id, is_current, browser }) =>
              !is_current && (
                <Button
                  size="small"
                  kind="danger"
                  busy={end.isPending && end.variables === id}
                  aria-label={`End the session of ${browser}`}
                  onClick={() => end.mutate(id)}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
      <p class="muted">Ending a session signs it out with its next request.</p>
      {hasOthers && (
        <Actions>
          <EndOthers />
        </Actions>
      )}
    </Section>
  )
}

function EndOthers() {
  const end = useChange(() => ({ method: 'DELETE', path: SESSIONS }), {
    invalidates: [SESSIONS],
    toast: 'All other sessions ended',
    quiet: true,
  })
  return (
    <ConfirmButton
      label="End all others"
      title="End all other sessions?"
      action="End all others"
      change={end}
    >
      <p>
        All other browsers and programs that are signed in to your account are signed out with their
        next request, including tokens of programs.
      </p>
    </ConfirmButton>
  )
}
