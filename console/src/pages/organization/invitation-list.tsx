import { useState } from 'preact/hooks'
import type { Invitation } from '../../../../src/modules/accounts/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useChange, useRead } from '../../api/read.ts'
import { Badge, Button, Confirm, Identifier, ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { type Role, useOrg } from '../../shell/organization.ts'
import { INVITATIONS, Invite } from './invite.tsx'
import { grantableBy, ROLE_NAMES } from './role-names.ts'

type OpenDialog = { name: 'revoke' | 'renew'; invitation: Invitation }

export function InvitationList() {
  const { id: org_id, role } = useOrg()
  const [dialog, setDialog] = useState<OpenDialog>()
  const read = useRead<{ invitations: Invitation[] }>(INVITATIONS, { org_id })
  const close = () => setDialog(undefined)
  return (
    <>
      <ListSection
        title="Pending invitations"
        list={mapRead(read, ({ invitations }) => invitations)}
        what="invitations"
        label="Pending invitations"
        columns={columnsFor(role, setDialog)}
        keyOf={({ id }) => id}
        batch={{
          nameOf: ({ email }) => email,
          actions: [
            {
              label: 'Revoke',
              isDanger: true,
              effect: 'Their links stop working immediately.',
              callOf: ({ id }) => ({
                method: 'DELETE',
                path: `${INVITATIONS}/${id}`,
                query: { org_id },
              }),
            },
          ],
          invalidates: [INVITATIONS, '/console/api/audit'],
        }}
        emptyTitle="No pending invitations"
        empty={<p>“Invite member” creates a link that works once.</p>}
      />
      {dialog?.name === 'renew' && <Invite renewed={dialog.invitation} onClose={close} />}
      {dialog?.name === 'revoke' && <Revoke invitation={dialog.invitation} onClose={close} />}
    </>
  )
}

const columnsFor = (
  role: Role,
  onOpen: (dialog: OpenDialog) => void,
): readonly Column<Invitation>[] => [
  { label: 'E-mail', isWide: true, cell: ({ email }) => email },
  { label: 'Role', cell: (invitation) => ROLE_NAMES[invitation.role] },
  {
    label: 'Invited by',
    cell: ({ invited_by }) => invited_by && <Identifier text={invited_by} />,
  },
  {
    label: 'Expires',
    cell: ({ expires_at }) =>
      Date.parse(expires_at) > Date.now() ? (
        <Time at={expires_at} as="day" />
      ) : (
        <Badge tone="warn">Expired</Badge>
      ),
  },
  {
    label: 'Actions',
    hideLabel: true,
    cell: (invitation) => (
      <span class="actions">
        {grantableBy(role).includes(invitation.role) && (
          <Button
            size="small"
            aria-label={`New link for ${invitation.email}`}
            onClick={() => onOpen({ name: 'renew', invitation })}
          >
            New link
          </Button>
        )}
        <Button
          size="small"
          kind="danger"
          aria-label={`Revoke the invitation for ${invitation.email}`}
          onClick={() => onOpen({ name: 'revoke', invitation })}
        >
          Revoke
        </Button>
      </span>
    ),
  },
]

type RevokeProps = { invitation: Invitation; onClose: () => void }

function Revoke({ invitation: { id, email }, onClose }: RevokeProps) {
  const { id: org_id } = useOrg()
  const revoke = useChange(
    () => ({ method: 'DELETE', path: `${INVITATIONS}/${id}`, query: { org_id } }),
    {
      invalidates: [INVITATIONS, '/console/api/audit'],
      toast: `The invitation for ${email} was revoked`,
      onSuccess: onClose,
      quiet: true,
    },
  )
  return (
    <Confirm
      title={`Revoke the invitation for ${email}?`}
      action="Revoke invitation"
      change={revoke}
      onClose={onClose}
    >
      <p>The link stops working immediately.</p>
    </Confirm>
  )
}
