import type { Member, SignInPolicy } from '../../../../src/modules/accounts/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import { Actions, Badge, ConfirmButton, Loaded, Section } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { OrganizationPage } from './organization-page.tsx'
import { SingleSignOn } from './single-sign-on.tsx'

const POLICY = '/console/api/organization/sign-in'

export default function SignInPage() {
  const { role } = useOrg()
  return (
    <OrganizationPage lead="How members of this organization sign in">
      <RequiredFactor />
      {role === 'owner' && <SingleSignOn />}
    </OrganizationPage>
  )
}

function RequiredFactor() {
  const { id: org_id, role } = useOrg()
  const policy = useRead<SignInPolicy>(POLICY, { org_id })
  return (
    <Section title="Second factor">
      <Loaded read={policy} what="the rules of signing in">
        {({ requires_second_factor: isRequired }) => (
          <>
            <p>
              {isRequired ? (
                <>
                  <Badge tone="good">Required</Badge> Members without a second factor have to set
                  one up before they can do anything else.
                </>
              ) : (
                'Each member decides whether signing in needs a code of an app on their phone.'
              )}
            </p>
            <MembersWithout />
            {role === 'owner' ? (
              <Actions>
                <ChangePolicy isRequired={isRequired} />
              </Actions>
            ) : (
              <p class="muted">Owners can change this.</p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function MembersWithout() {
  const { id: org_id } = useOrg()
  const read = useRead<{ members: Answer<Member>[] }>('/console/api/members', { org_id })
  return (
    <Loaded read={read} what="the members">
      {({ members }) => {
        const without = members.filter(({ has_second_factor }) => !has_second_factor)
        return (
          <p>
            {without.length === 0
              ? 'All members have one.'
              : `${without.length} of ${members.length} members have none: ${without.map(({ email }) => email).join(', ')}`}
          </p>
        )
      }}
    </Loaded>
  )
}

function ChangePolicy({ isRequired }: { isRequired: boolean }) {
  const { id: org_id } = useOrg()
  const body = { org_id, requires_second_factor: !isRequired }
  const change = useChange(() => ({ method: 'PUT', path: POLICY, body }), {
    invalidates: [POLICY, '/console/api/me', '/console/api/audit'],
    toast: isRequired ? 'The second factor is optional' : 'A second factor is required',
    quiet: true,
  })
  const label = isRequired ? 'Make the second factor optional' : 'Require a second factor'
  return (
    <ConfirmButton label={label} title={`${label}?`} action={label} change={change}>
      <p>
        {isRequired
          ? 'Members can remove their second factor, and new members need none.'
          : 'Members without one are stopped at their next request and have to set one up. API keys are not affected.'}
      </p>
    </ConfirmButton>
  )
}
