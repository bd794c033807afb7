/** The areas of the console, in the order of the menu. */
import type { ConsolePage } from './console-page.ts'
import { casesPages } from './pages/cases/pages.ts'
import { cashiersPages } from './pages/cashiers/pages.ts'
import { checksPages } from './pages/checks/pages.ts'
import { developersPages } from './pages/developers/pages.ts'
import { devicesPages } from './pages/devices/pages.ts'
import { homePages } from './pages/home/pages.ts'
import { listsPages } from './pages/lists/pages.ts'
import { logsPages } from './pages/logs/pages.ts'
import { notificationsPages } from './pages/notifications/pages.ts'
import { ordersPages } from './pages/orders/pages.ts'
import { organizationPages } from './pages/organization/pages.ts'
import { pushPages } from './pages/push/pages.ts'
import { reviewsPages } from './pages/reviews/pages.ts'
import { rulesPages } from './pages/rules/pages.ts'
import { rumPages } from './pages/rum/pages.ts'
import { webhooksPages } from './pages/webhooks/pages.ts'

export type Area = {
  /** Heading in the menu. */
  name: string
  pages: readonly ConsolePage[]
}

export const AREAS: readonly Area[] = [
  { name: 'Overview', pages: homePages },
  {
    name: 'Fraud',
    pages: [
      ...casesPages,
      ...reviewsPages,
      ...ordersPages,
      ...checksPages,
      ...cashiersPages,
      ...rulesPages,
      ...listsPages,
    ],
  },
  { name: 'Operations', pages: [...logsPages, ...rumPages, ...devicesPages] },
  { name: 'Delivery', pages: [...webhooksPages, ...pushPages] },
  { name: 'Account', pages: [...developersPages, ...notificationsPages, ...organizationPages] },
]
