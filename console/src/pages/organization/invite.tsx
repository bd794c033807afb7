/** Invites somebody by a link, which is shown once and sent by whoever invites. */
import { useState } from 'preact/hooks'
import type { CreatedInvitation } from '../../../../src/modules/accounts/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  Form,
  Secret,
  SelectField,
  TextField,
  Time,
} from '../../components/index.ts'
import { type Role, useOrg } from '../../shell/organization.ts'
import { givenBy, ROLE_NAMES } from './words.ts'

export const INVITATIONS = '/console/api/invitations'

type Invited = { email: string; role: Role }

/** @param again whom to give a new link; nobody yet when left out */
export function Invite({ again, onClose }: { again?: Invited; onClose: () => void }) {
  const { id: org_id, role: own } = useOrg()
  const [email, setEmail] = useState(again?.email ?? '')
  const [role, setRole] = useState<Role>(again?.role ?? 'member')
  const invite = useChange<Invited, CreatedInvitation>(
    (body) => ({ method: 'POST', path: INVITATIONS, body: { org_id, ...body } }),
    { changes: [INVITATIONS, '/console/api/audit'], quiet: true },
  )
  if (invite.data) return <InvitationLink created={invite.data} onClose={onClose} />
  return (
    <Dialog title={again ? 'Make a new link' : 'Invite someone'} onClose={onClose}>
      <Form onSubmit={() => invite.mutate({ email, role })} error={invite.error}>
        {again && <p>The link that {again.email} may have already stops working.</p>}
        <TextField
          label="E-mail"
          name="email"
          type="email"
          value={email}
          onInput={setEmail}
          readOnly={again !== undefined}
          autocomplete="off"
          required
        />
        <SelectField
          label="Role"
          name="role"
          value={role}
          options={givenBy(own).map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
          onChange={setRole}
        />
        <Actions>
          <Button type="submit" kind="primary" busy={invite.isPending}>
            Make the link
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

function InvitationLink({
  created: { email, token, expires_at },
  onClose,
}: {
  created: CreatedInvitation
  onClose: () => void
}) {
  return (
    <Dialog title={`Invitation for ${email}`} onClose={onClose}>
      <div class="stack">
        <p>
          Vigil sends no e-mails. Send this link to {email} yourself; whoever has it can join once,
          until <Time at={expires_at} />.
        </p>
        {/* Behind the #, so that it is in no log of a server. */}
        <Secret secret={`${window.location.origin}/console/invitation#${token}`} what="link" />
        <Actions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </Actions>
      </div>
    </Dialog>
  )
}
