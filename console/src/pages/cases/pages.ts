import type { ConsolePage } from '../../console-page.ts'

export const casesPages: readonly ConsolePage[] = [
  { path: '/cases', title: 'Cases', menu: 'Cases', load: () => import('./cases-page.tsx') },
  { path: '/cases/table', title: 'Case table', load: () => import('./case-table-page.tsx') },
  {
    path: '/cases/statistics',
    title: 'Statistics',
    load: () => import('./statistics-page.tsx'),
  },
]
