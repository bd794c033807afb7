import type { ConsolePage } from '../../pages.ts'

export const logsPages: readonly ConsolePage[] = [
  {
    path: '/logs',
    title: 'Logs',
    menu: 'Logs',
    load: () => import('./explorer/explorer-page.tsx'),
  },
  { path: '/logs/errors', title: 'Error groups', load: () => import('./errors/groups-page.tsx') },
  {
    path: '/logs/errors/:fingerprint',
    title: 'Error group',
    load: () => import('./errors/group-page.tsx'),
  },
  { path: '/logs/devices', title: 'Devices', load: () => import('./devices/devices-page.tsx') },
  { path: '/logs/device', title: 'Device', load: () => import('./devices/device-page.tsx') },
  { path: '/logs/alerts', title: 'Alert rules', load: () => import('./alerts/alerts-page.tsx') },
]
