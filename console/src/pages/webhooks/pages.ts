import type { ConsolePage } from '../../console-page.ts'

export const webhooksPages: readonly ConsolePage[] = [
  { path: '/webhooks', title: 'Webhooks', menu: 'Webhooks', load: () => import('./endpoints.tsx') },
  { path: '/webhooks/new', title: 'New endpoint', load: () => import('./new-endpoint.tsx') },
  { path: '/webhooks/events', title: 'Events', load: () => import('./catalog.tsx') },
  {
    path: '/webhooks/portals',
    title: 'Portals',
    load: () => import('./portals/portals-page.tsx'),
  },
  {
    path: '/webhooks/portals/new',
    title: 'New portal',
    load: () => import('./portals/new-portal.tsx'),
  },
  {
    path: '/webhooks/portals/:id',
    title: 'Portal',
    load: () => import('./portals/portal-page.tsx'),
  },
  { path: '/webhooks/:id', title: 'Endpoint', load: () => import('./endpoint-overview.tsx') },
  { path: '/webhooks/:id/deliveries', title: 'Deliveries', load: () => import('./deliveries.tsx') },
  {
    path: '/webhooks/:id/deliveries/:delivery',
    title: 'Delivery',
    load: () => import('./delivery.tsx'),
  },
  { path: '/webhooks/:id/replay', title: 'Replay', load: () => import('./replay.tsx') },
  { path: '/webhooks/:id/settings', title: 'Settings', load: () => import('./settings.tsx') },
]
