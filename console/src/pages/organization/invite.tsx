/** Invites a person by e-mail, or with a link that is shown once where the installation has no mail server. */
import type { CreatedInvitation } from '../../../../src/modules/accounts/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  FormDialog,
  SecretDialog,
  SelectField,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import { type Role, useOrg } from '../../shell/organization.ts'
import { GRANTS, grantableBy, ROLE_NAMES } from './role-names.ts'

export const INVITATIONS = '/console/api/invitations'

type Invited = { email: string; role: Role }

export function Invite({ renewed, onClose }: { renewed?: Invited; onClose: () => void }) {
  const { id: org_id, role: own } = useOrg()
  const { values, field } = useFields<Invited>(renewed ?? { email: '', role: 'member' })
  const invite = useChange<void, CreatedInvitation>(
    () => ({ method: 'POST', path: INVITATIONS, body: { org_id, ...values } }),
    { invalidates: [INVITATIONS, '/console/api/audit'], quiet: true },
  )
  if (invite.data?.token === null) return <Mailed created={invite.data} onClose={onClose} />
  if (invite.data) return <InvitationLink created={invite.data} onClose={onClose} />
  return (
    <FormDialog
      title={renewed ? 'Create a new link' : 'Invite member'}
      action="Invite"
      change={invite}
      onClose={onClose}
    >
      {renewed && <p>The previous link for {renewed.email} stops working.</p>}
      <TextField
        label="E-mail"
        type="email"
        {...field('email')}
        readOnly={renewed !== undefined}
        autocomplete="off"
        required
      />
      {values.role !== 'member' && <p>{GRANTS[values.role]}</p>}
      <SelectField
        label="Role"
        {...field('role')}
        options={grantableBy(own).map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
      />
    </FormDialog>
  )
}

function Mailed({ created: { email, expires_at }, onClose }: LinkProps) {
  return (
    <Dialog title={`Invitation for ${email}`} onClose={onClose}>
      <p>
        A mail with a link is on its way to {email}. The link works once, until{' '}
        <Time at={expires_at} />.
      </p>
      <Actions>
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  )
}

type LinkProps = { created: CreatedInvitation; onClose: () => void }

const InvitationLink = ({ created: { email, token, expires_at }, onClose }: LinkProps) => (
  // The fragment never reaches a server, so the token is in no server log.
  <SecretDialog
    title={`Invitation for ${email}`}
    secret={`${window.location.origin}/console/invitation#${token}`}
    what="link"
    file="vigil-invitation.txt"
    onClose={onClose}
  >
    <p>
      This installation sends no e-mails, so send this link to {email} yourself. It works once,
      until <Time at={expires_at} />.
    </p>
  </SecretDialog>
)
