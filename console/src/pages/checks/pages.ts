import type { ConsolePage } from '../../pages.ts'

export const checksPages: readonly ConsolePage[] = [
  { path: '/checks', title: 'Checks', menu: 'Checks', load: () => import('./history.tsx') },
  { path: '/checks/new', title: 'Try a check', load: () => import('./try.tsx') },
  { path: '/checks/:id', title: 'Check', load: () => import('./check.tsx') },
]
