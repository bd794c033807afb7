import type { ComponentChildren } from 'preact'
import { Page, Tabs } from '../../components/index.ts'

type Props = { lead: string; actions?: ComponentChildren; children: ComponentChildren }

export const NotificationsPage = ({ lead, actions, children }: Props) => (
  <Page title="Notifications" lead={lead} actions={actions}>
    <Tabs
      label="Notifications"
      tabs={[
        { to: '/notifications', label: 'Notifications' },
        { to: '/notifications/channels', label: 'Channels' },
        { to: '/notifications/routes', label: 'Routes' },
        { to: '/notifications/messages', label: 'Sent' },
        { to: '/notifications/mine', label: 'For me' },
      ]}
    />
    {children}
  </Page>
)
