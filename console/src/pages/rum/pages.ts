import type { ConsolePage } from '../../console-page.ts'

/** Names sent by clients (pages, sessions) are in the query, because they may contain slashes. */
export const rumPages: readonly ConsolePage[] = [
  {
    path: '/rum',
    title: 'Real user monitoring',
    menu: 'Real user monitoring',
    load: () => import('./vitals-page.tsx'),
  },
  { path: '/rum/pages', title: 'Pages', load: () => import('./pages-page.tsx') },
  { path: '/rum/page', title: 'Page', load: () => import('./page-page.tsx') },
  { path: '/rum/errors', title: 'Browser errors', load: () => import('./errors-page.tsx') },
  { path: '/rum/error', title: 'Error', load: () => import('./error-page.tsx') },
  { path: '/rum/sessions', title: 'Sessions', load: () => import('./sessions-page.tsx') },
  { path: '/rum/session', title: 'Session', load: () => import('./session-page.tsx') },
]
