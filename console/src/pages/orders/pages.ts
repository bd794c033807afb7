import type { ConsolePage } from '../../pages.ts'

export const ordersPages: readonly ConsolePage[] = [
  { path: '/orders', title: 'Orders', menu: 'Orders', load: () => import('./orders.tsx') },
  { path: '/orders/alerts', title: 'Pattern alerts', load: () => import('./alerts.tsx') },
  { path: '/orders/profiles', title: 'Profiles', load: () => import('./profiles.tsx') },
  { path: '/orders/profiles/:id', title: 'Profile', load: () => import('./profile.tsx') },
  { path: '/orders/:id', title: 'Order', load: () => import('./order.tsx') },
]
