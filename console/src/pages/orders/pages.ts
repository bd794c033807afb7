import type { ConsolePage } from '../../console-page.ts'

export const ordersPages: readonly ConsolePage[] = [
  { path: '/orders', title: 'Orders', menu: 'Orders', load: () => import('./orders.tsx') },
  { path: '/orders/alerts', title: 'Fraud alerts', load: () => import('./fraud-alerts.tsx') },
  { path: '/orders/profiles', title: 'Profiles', load: () => import('./profiles.tsx') },
  { path: '/orders/profiles/:id', title: 'Profile', load: () => import('./profile.tsx') },
  { path: '/orders/:id', title: 'Order', load: () => import('./order.tsx') },
]
