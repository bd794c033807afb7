import type { ConsolePage } from '../../console-page.ts'

export const notificationsPages: readonly ConsolePage[] = [
  {
    path: '/notifications/channels',
    title: 'Notification channels',
    menu: 'Notifications',
    load: () => import('./channels.tsx'),
  },
  {
    path: '/notifications/routes',
    title: 'Notification routes',
    load: () => import('./routes.tsx'),
  },
  {
    path: '/notifications/messages',
    title: 'Sent notifications',
    load: () => import('./messages.tsx'),
  },
]
