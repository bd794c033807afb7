import { Tabs } from '../../components/index.ts'

export const OrderTabs = () => (
  <Tabs
    label="Orders"
    tabs={[
      { to: '/orders', label: 'Orders' },
      { to: '/orders/profiles', label: 'Profiles' },
      { to: '/orders/alerts', label: 'Fraud alerts' },
    ]}
  />
)
