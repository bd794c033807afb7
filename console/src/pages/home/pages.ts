import type { ConsolePage } from '../../pages.ts'

export const homePages: readonly ConsolePage[] = [
  { path: '/', title: 'Home', menu: 'Home', load: () => import('./home.tsx') },
]
