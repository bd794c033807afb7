import { Tabs } from '../../components/index.ts'

export const OrderTabs = () => (
  <Tabs
    label="Orders, profiles and alerts"
    tabs={[
      { to: '/orders', label: 'Orders' },
      { to: '/orders/profiles', label: 'Profiles' },
      { to: '/orders/alerts', label: 'Pattern alerts' },
    ]}
  />
)
