import type { ConsolePage } from '../../console-page.ts'

export const developersPages: readonly ConsolePage[] = [
  {
    path: '/developers/keys',
    title: 'API keys',
    menu: 'API keys',
    load: () => import('./keys.tsx'),
  },
  {
    path: '/developers/requests',
    title: 'Requests',
    menu: 'Requests',
    load: () => import('./requests.tsx'),
  },
  {
    path: '/developers/usage',
    title: 'Usage and credits',
    menu: 'Usage and credits',
    load: () => import('./usage.tsx'),
  },
]
