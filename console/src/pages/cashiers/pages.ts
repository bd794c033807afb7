import type { ConsolePage } from '../../console-page.ts'

export const cashiersPages: readonly ConsolePage[] = [
  {
    path: '/cashiers',
    title: 'Cashiers',
    menu: 'Cashiers',
    load: () => import('./peers-page.tsx'),
  },
  { path: '/cashiers/actions', title: 'Cashier actions', load: () => import('./actions-page.tsx') },
  {
    path: '/cashiers/actions/:id',
    title: 'Cashier action',
    load: () => import('./action-page.tsx'),
  },
  { path: '/cashiers/:id', title: 'Cashier', load: () => import('./cashier-page.tsx') },
]
