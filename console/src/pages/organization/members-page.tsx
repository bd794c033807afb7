import { useState } from 'preact/hooks'
import { Button, Facts, Section } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { InvitationList } from './invitation-list.tsx'
import { Invite } from './invite.tsx'
import { MemberList } from './member-list.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { ROLE_NAMES } from './role-names.ts'

export default function Members() {
  const { is_admin } = useOrg()
  const [isInviting, setInviting] = useState(false)
  return (
    <OrganizationPage
      lead="Members of this organization and their roles"
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <MemberList />
      {is_admin && <InvitationList />}
      <RoleHelp />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </OrganizationPage>
  )
}

const RoleHelp = () => (
  <Section title="Roles">
    <Facts
      facts={[
        [ROLE_NAMES.owner, 'Full access, including the plan and other owners.'],
        [
          ROLE_NAMES.admin,
          'Everything a member can do, and: invite and manage members and admins, create API keys, apply rules, manage devices and push, see credits and the audit log.',
        ],
        [
          ROLE_NAMES.member,
          'View checks, orders, cashiers, logs and devices, run checks (live checks cost credits), decide reviews, manage webhooks and log alerts.',
        ],
      ]}
    />
  </Section>
)
