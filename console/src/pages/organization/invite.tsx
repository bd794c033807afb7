/** Creates an invitation link, which is shown once. The inviting person sends it. */
import type { CreatedInvitation } from '../../../../src/modules/accounts/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  FormDialog,
  Secret,
  SelectField,
  TextField,
  Time,
  useFields,
} from '../../components/index.ts'
import { type Role, useOrg } from '../../shell/organization.ts'
import { grantableBy, ROLE_NAMES } from './role-names.ts'

export const INVITATIONS = '/console/api/invitations'

type Invited = { email: string; role: Role }

export function Invite({ renewed, onClose }: { renewed?: Invited; onClose: () => void }) {
  const { id: org_id, role: own } = useOrg()
  const { values, field } = useFields<Invited>(renewed ?? { email: '', role: 'member' })
  const invite = useChange<void, CreatedInvitation>(
    () => ({ method: 'POST', path: INVITATIONS, body: { org_id, ...values } }),
    { invalidates: [INVITATIONS, '/console/api/audit'], quiet: true },
  )
  if (invite.data) return <InvitationLink created={invite.data} onClose={onClose} />
  return (
    <FormDialog
      title={renewed ? 'Create a new link' : 'Invite member'}
      action="Create link"
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
      <SelectField
        label="Role"
        {...field('role')}
        options={grantableBy(own).map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
      />
    </FormDialog>
  )
}

type LinkProps = { created: CreatedInvitation; onClose: () => void }

const InvitationLink = ({ created: { email, token, expires_at }, onClose }: LinkProps) => (
  <Dialog title={`Invitation for ${email}`} onClose={onClose}>
    <div class="stack">
      <p>
        Vigil does not send e-mails, so send this link to {email} yourself. It works once, until{' '}
        <Time at={expires_at} />.
      </p>
      {/* The fragment never reaches a server, so the token is in no server log. */}
      <Secret secret={`${window.location.origin}/console/invitation#${token}`} what="link" />
      <Actions>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </Actions>
    </div>
  </Dialog>
)
