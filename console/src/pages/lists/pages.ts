import type { ConsolePage } from '../../console-page.ts'

export const listsPages: readonly ConsolePage[] = [
  { path: '/lists', title: 'Lists', menu: 'Lists', load: () => import('./lists-page.tsx') },
]
