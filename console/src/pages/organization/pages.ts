/** The organisation, who belongs to it, what was done in it; and the own account. */
import type { ConsolePage } from '../../pages.ts'

export const organizationPages: readonly ConsolePage[] = [
  {
    path: '/organization',
    title: 'Members',
    menu: 'Organisation',
    load: () => import('./members-page.tsx'),
  },
  { path: '/organization/plan', title: 'Name and plan', load: () => import('./plan-page.tsx') },
  { path: '/organization/audit', title: 'Audit log', load: () => import('./audit-page.tsx') },
  { path: '/profile', title: 'Profile', menu: 'Profile', load: () => import('./profile-page.tsx') },
]
