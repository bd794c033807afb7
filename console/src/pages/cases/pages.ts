import type { ConsolePage } from '../../console-page.ts'

export const casesPages: readonly ConsolePage[] = [
  { path: '/cases', title: 'Cases', menu: 'Cases', load: () => import('./cases-page.tsx') },
]
