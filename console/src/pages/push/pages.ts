import type { ConsolePage } from '../../console-page.ts'

export const pushPages: readonly ConsolePage[] = [
  { path: '/push', title: 'Push', menu: 'Push', load: () => import('./applications.tsx') },
  { path: '/push/:app', title: 'Messages', load: () => import('./messages.tsx') },
  { path: '/push/:app/compose', title: 'New message', load: () => import('./compose.tsx') },
  { path: '/push/:app/messages/:message', title: 'Message', load: () => import('./message.tsx') },
  {
    path: '/push/:app/subscriptions',
    title: 'Subscriptions',
    load: () => import('./subscriptions.tsx'),
  },
  { path: '/push/:app/setup', title: 'Setup', load: () => import('./setup.tsx') },
]
