import type { ConsolePage } from '../../console-page.ts'

export const logsPages: readonly ConsolePage[] = [
  {
    path: '/logs',
    title: 'Logs',
    menu: 'Logs',
    load: () => import('./explorer/explorer-page.tsx'),
  },
  {
    path: '/logs/dashboard',
    title: 'Log dashboard',
    load: () => import('./dashboard/dashboard-page.tsx'),
  },
  { path: '/logs/errors', title: 'Error groups', load: () => import('./errors/groups-page.tsx') },
  {
    path: '/logs/errors/:fingerprint',
    title: 'Error group',
    load: () => import('./errors/group-page.tsx'),
  },
  {
    path: '/logs/devices',
    title: 'Edge devices',
    load: () => import('./devices/devices-page.tsx'),
  },
  { path: '/logs/device', title: 'Edge device', load: () => import('./devices/device-page.tsx') },
  { path: '/logs/trace', title: 'Trace', load: () => import('./trace/trace-page.tsx') },
  { path: '/logs/alerts', title: 'Log alerts', load: () => import('./alerts/alerts-page.tsx') },
]
