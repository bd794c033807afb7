/** Members and invitations of the organisation. */
import { useState } from 'preact/hooks'
import { Button } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { OrganizationFrame } from './frame.tsx'
import { InvitationList } from './invitation-list.tsx'
import { Invite } from './invite.tsx'
import { MemberList } from './member-list.tsx'
import { RoleHelp } from './role-help.tsx'

export default function Members() {
  const { is_admin } = useOrg()
  const [isInviting, setInviting] = useState(false)
  return (
    <OrganizationFrame
      lead="Who works with this organisation, and what they may do"
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            Invite someone
          </Button>
        )
      }
    >
      <MemberList />
      {is_admin && <InvitationList />}
      <RoleHelp />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </OrganizationFrame>
  )
}
