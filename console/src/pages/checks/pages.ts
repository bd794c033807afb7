import type { ConsolePage } from '../../console-page.ts'

export const checksPages: readonly ConsolePage[] = [
  { path: '/checks', title: 'Checks', menu: 'Checks', load: () => import('./history.tsx') },
  { path: '/checks/new', title: 'Run a check', load: () => import('./run-check.tsx') },
  { path: '/checks/:id', title: 'Check', load: () => import('./check.tsx') },
]
