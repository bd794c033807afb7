import type { ConsolePage } from '../../console-page.ts'

export const notificationsPages: readonly ConsolePage[] = [
  {
    path: '/notifications',
    title: 'Notifications',
    menu: 'Notifications',
    load: () => import('./history.tsx'),
  },
  {
    path: '/notifications/channels',
    title: 'Notification channels',
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
  {
    path: '/notifications/mine',
    title: 'Notifications for me',
    load: () => import('./mine.tsx'),
  },
]
