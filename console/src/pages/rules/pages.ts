import type { ConsolePage } from '../../console-page.ts'

export const rulesPages: readonly ConsolePage[] = [
  { path: '/rules', title: 'Rules lab', menu: 'Rules lab', load: () => import('./draft-page.tsx') },
  { path: '/rules/custom', title: 'Custom rules', load: () => import('./custom-page.tsx') },
  { path: '/rules/replays', title: 'Replays', load: () => import('./replays-page.tsx') },
  { path: '/rules/replays/:id', title: 'Replay', load: () => import('./replay-page.tsx') },
  { path: '/rules/learned', title: 'Learned rules', load: () => import('./learned-page.tsx') },
  { path: '/rules/versions', title: 'Rule versions', load: () => import('./versions-page.tsx') },
]
