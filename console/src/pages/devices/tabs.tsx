import { Notice, Tabs } from '../../components/index.ts'
import { useMode } from '../../shell/organization.ts'

const TABS = [
  { to: '/devices', label: 'Overview' },
  { to: '/devices/fleet', label: 'Devices' },
  { to: '/devices/groups', label: 'Groups' },
  { to: '/devices/policies', label: 'Policies' },
  { to: '/devices/tokens', label: 'Enrollment tokens' },
  { to: '/devices/audit', label: 'Audit log' },
]

export const DeviceTabs = () => (
  <>
    <Tabs label="Managed devices" tabs={TABS} />
    <TestModeNotice />
  </>
)

export function TestModeNotice() {
  if (useMode() !== 'test') return null
  return (
    <div class="section">
      <Notice tone="warn">
        Device management has no test mode. Changes on this page affect real devices.
      </Notice>
    </div>
  )
}
