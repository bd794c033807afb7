import { Tabs } from '../../components/index.ts'

export const LogTabs = () => (
  <Tabs
    label="Logs"
    tabs={[
      { to: '/logs', label: 'Explorer' },
      { to: '/logs/dashboard', label: 'Dashboard' },
      { to: '/logs/errors', label: 'Error groups' },
      { to: '/logs/devices', label: 'Edge devices' },
      { to: '/logs/alerts', label: 'Log alerts' },
    ]}
  />
)
