/** The frame of the pages about an organisation. */
import type { ComponentChildren } from 'preact'
import { Page, Tabs } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

export function OrganizationFrame({
  lead,
  actions,
  children,
}: {
  lead: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  const { name, is_admin } = useOrg()
  return (
    <Page title={name} lead={lead} actions={actions}>
      <Tabs
        label="Organisation"
        tabs={[
          { to: '/organization', label: 'Members' },
          { to: '/organization/plan', label: 'Name and plan' },
          ...(is_admin ? [{ to: '/organization/audit', label: 'Audit log' }] : []),
        ]}
      />
      {children}
    </Page>
  )
}
