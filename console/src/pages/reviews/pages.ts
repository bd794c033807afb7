import type { ConsolePage } from '../../console-page.ts'

export const reviewsPages: readonly ConsolePage[] = [
  {
    path: '/reviews',
    title: 'Review queue',
    menu: 'Review queue',
    load: () => import('./queue-page.tsx'),
  },
]
