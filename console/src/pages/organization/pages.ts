import type { ConsolePage } from '../../console-page.ts'

export const organizationPages: readonly ConsolePage[] = [
  {
    path: '/organization',
    title: 'Organization',
    menu: 'Organization',
    load: () => import('./members-page.tsx'),
  },
  { path: '/organization/plan', title: 'Name and plan', load: () => import('./plan-page.tsx') },
  { path: '/organization/sign-in', title: 'Sign-in', load: () => import('./sign-in-page.tsx') },
  { path: '/organization/files', title: 'Files', load: () => import('./files-page.tsx') },
  {
    path: '/organization/people',
    title: 'Data of people',
    load: () => import('./people-page.tsx'),
  },
  { path: '/organization/audit', title: 'Audit log', load: () => import('./audit-page.tsx') },
  { path: '/profile', title: 'Profile', menu: 'Profile', load: () => import('./profile-page.tsx') },
]
