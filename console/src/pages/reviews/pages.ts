import type { ConsolePage } from '../../console-page.ts'

export const reviewsPages: readonly ConsolePage[] = [
  {
    path: '/reviews',
    title: 'Review queue',
    menu: 'Review queue',
    load: () => import('./queue-page.tsx'),
  },
  { path: '/reviews/table', title: 'Review table', load: () => import('./review-table-page.tsx') },
]
