import type { ConsolePage } from '../../console-page.ts'

export const homePages: readonly ConsolePage[] = [
  { path: '/', title: 'Home', menu: 'Home', load: () => import('./home.tsx') },
]
