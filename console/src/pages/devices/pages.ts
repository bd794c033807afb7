import type { ConsolePage } from '../../console-page.ts'

export const devicesPages: readonly ConsolePage[] = [
  {
    path: '/devices',
    title: 'Managed devices',
    menu: 'Managed devices',
    load: () => import('./overview.tsx'),
  },
  {
    path: '/devices/sign-up',
    title: 'Enterprise sign-up',
    load: () => import('./enterprise/sign-up.tsx'),
  },
  { path: '/devices/fleet', title: 'Devices', load: () => import('./fleet/fleet.tsx') },
  { path: '/devices/fleet/:id', title: 'Device', load: () => import('./device/device.tsx') },
  { path: '/devices/groups', title: 'Groups', load: () => import('./groups/groups.tsx') },
  { path: '/devices/groups/:id', title: 'Group', load: () => import('./groups/group.tsx') },
  { path: '/devices/policies', title: 'Policies', load: () => import('./policies/policies.tsx') },
  {
    path: '/devices/policies/new',
    title: 'New policy',
    load: () => import('./policies/new-policy.tsx'),
  },
  { path: '/devices/policies/:id', title: 'Policy', load: () => import('./policies/policy.tsx') },
  {
    path: '/devices/tokens',
    title: 'Enrollment tokens',
    load: () => import('./tokens/tokens.tsx'),
  },
  { path: '/devices/audit', title: 'Device audit log', load: () => import('./audit/audit.tsx') },
]
