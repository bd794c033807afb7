/** Invitations that nobody has accepted yet. */
import { useState } from 'preact/hooks'
import type { Invitation } from '../../../../src/modules/accounts/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  Confirm,
  Empty,
  Section,
  Shown,
  Table,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { INVITATIONS, Invite } from './invite.tsx'
import styles from './organization.module.css'
import { givenBy, ROLE_NAMES } from './words.ts'

type Asked = { what: 'revoke' | 'again'; invitation: Invitation }

export function InvitationList() {
  const { id: org_id, role: own } = useOrg()
  const [asked, setAsked] = useState<Asked>()
  const read = useRead<{ invitations: Invitation[] }>(INVITATIONS, { org_id })
  const close = () => setAsked(undefined)
  return (
    <Section title="Open invitations">
      <Shown read={read} what="invitations">
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty title="Nobody is invited at the moment">
              <p>“Invite someone” makes a link that works once.</p>
            </Empty>
          ) : (
            <Table
              label="Open invitations"
              rows={invitations}
              keyOf={({ id }) => id}
              columns={[
                { label: 'E-mail', isWide: true, cell: ({ email }) => email },
                { label: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
                {
                  label: 'Invited by',
                  cell: ({ invited_by }) => (
                    <span class={styles['person']}>{invited_by ?? '–'}</span>
                  ),
                },
                { label: 'Works until', cell: ({ expires_at }) => <Until at={expires_at} /> },
                {
                  label: 'Actions',
                  hideLabel: true,
                  cell: (invitation) => (
                    <span class={`actions ${styles['row'] ?? ''}`}>
                      {givenBy(own).includes(invitation.role) && (
                        <Button
                          size="small"
                          aria-label={`New link for ${invitation.email}`}
                          onClick={() => setAsked({ what: 'again', invitation })}
                        >
                          New link
                        </Button>
                      )}
                      <Button
                        size="small"
                        kind="danger"
                        aria-label={`Revoke the invitation of ${invitation.email}`}
                        onClick={() => setAsked({ what: 'revoke', invitation })}
                      >
                        Revoke
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
      {asked?.what === 'again' && <Invite again={asked.invitation} onClose={close} />}
      {asked?.what === 'revoke' && <Revoke invitation={asked.invitation} onClose={close} />}
    </Section>
  )
}

const Until = ({ at }: { at: string }) =>
  Date.parse(at) > Date.now() ? (
    <span class={styles['nowrap']}>
      <Time at={at} as="day" />
    </span>
  ) : (
    <Badge tone="warn">Expired</Badge>
  )

function Revoke({
  invitation: { id, email },
  onClose,
}: {
  invitation: Invitation
  onClose: () => void
}) {
  const { id: org_id } = useOrg()
  const revoke = useChange(
    () => ({ method: 'DELETE', path: `${INVITATIONS}/${id}`, query: { org_id } }),
    {
      changes: [INVITATIONS, '/console/api/audit'],
      done: `The invitation of ${email} is revoked`,
      onDone: onClose,
      quiet: true,
    },
  )
  return (
    <Confirm
      title={`Revoke the invitation of ${email}`}
      action="Revoke invitation"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>The link stops working at once.</p>
    </Confirm>
  )
}
