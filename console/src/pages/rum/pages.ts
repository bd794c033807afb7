import type { ConsolePage } from '../../pages.ts'

/** What is named by users (pages, sessions) is in the query: it may hold slashes. */
export const rumPages: readonly ConsolePage[] = [
  {
    path: '/rum',
    title: 'Web vitals',
    menu: 'Real users',
    load: () => import('./vitals-page.tsx'),
  },
  { path: '/rum/pages', title: 'Pages', load: () => import('./pages-page.tsx') },
  { path: '/rum/page', title: 'Page', load: () => import('./page-page.tsx') },
  { path: '/rum/errors', title: 'Errors of users', load: () => import('./errors-page.tsx') },
  { path: '/rum/error', title: 'Error', load: () => import('./error-page.tsx') },
  { path: '/rum/sessions', title: 'Sessions', load: () => import('./sessions-page.tsx') },
  { path: '/rum/session', title: 'Session', load: () => import('./session-page.tsx') },
]
