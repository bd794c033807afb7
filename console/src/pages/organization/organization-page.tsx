import type { ComponentChildren } from 'preact'
import { Page, Tabs } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

type Props = { lead: string; actions?: ComponentChildren; children: ComponentChildren }

export function OrganizationPage({ lead, actions, children }: Props) {
  const { name, is_admin } = useOrg()
  return (
    <Page title="Organization" lead={`${name}. ${lead}`} actions={actions}>
      <Tabs
        label="Organization"
        tabs={[
          { to: '/organization', label: 'Members' },
          { to: '/organization/plan', label: 'Name and plan' },
          { to: '/organization/sign-in', label: 'Sign-in' },
          { to: '/organization/files', label: 'Files' },
          ...(is_admin
            ? [
                { to: '/organization/people', label: 'Data of people' },
                { to: '/organization/audit', label: 'Audit log' },
              ]
            : []),
        ]}
      />
      {children}
    </Page>
  )
}
