/** What is around all pages of managed devices. */
import type { ComponentChildren } from 'preact'
import { Notice, Page, type PageProps, Tabs } from '../../components/index.ts'
import { useMode } from '../../shell/organization.ts'

const TABS = [
  { to: '/devices', label: 'Overview' },
  { to: '/devices/fleet', label: 'Devices' },
  { to: '/devices/groups', label: 'Groups' },
  { to: '/devices/policies', label: 'Policies' },
  { to: '/devices/tokens', label: 'Enrolment tokens' },
  { to: '/devices/audit', label: 'Audit log' },
]

type Props = Omit<PageProps, 'children'> & {
  /** Of one thing, not of a list. */
  isInner?: boolean
  children: ComponentChildren
}

export function DevicesPage({ isInner = false, children, ...page }: Props) {
  const mode = useMode()
  return (
    <Page {...page}>
      {!isInner && <Tabs label="Managed devices" tabs={TABS} />}
      {mode === 'test' && (
        <div class="section">
          <Notice tone="warn">Devices have no test data: what is done here is done.</Notice>
        </div>
      )}
      {children}
    </Page>
  )
}
