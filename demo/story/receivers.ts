/** The webhook endpoints of the organization, and how their receivers behave. */
import type { ReceiverScenario } from '../../emulators/receiver.ts'
import type { EventType } from '../../src/modules/events/catalog.ts'

/** The receiver of the sample shop (examples/shop), which runs in a separate process. */
export const SHOP_RECEIVER = '127.0.0.1:4443'

export type StoryEndpoint = {
  key: 'healthy' | 'down' | 'slow'
  host: string
  path: string
  description: string
  events: readonly EventType[]
}

export const ENDPOINTS: readonly StoryEndpoint[] = [
  {
    key: 'healthy',
    host: 'orders.northwind.test',
    path: '/hooks/fraud',
    description: 'Order desk: holds flagged orders',
    events: ['order.fraud.detected', 'order.fraud.alert'],
  },
  {
    key: 'slow',
    host: 'people.northwind.test',
    path: '/vigil',
    description: 'Loss prevention and device desk',
    events: [
      'cashier.fraud.detected',
      'mdm.device.enrolled',
      'mdm.device.compliance_changed',
      'mdm.command.completed',
    ],
  },
  {
    key: 'down',
    host: 'crm.northwind.test',
    path: '/incoming/risk',
    description: 'CRM: risk of customers and mail addresses',
    events: ['profile.risk.changed', 'email.check.failed', 'order.fraud.alert'],
  },
]

export const RECEIVER_HOSTS: readonly string[] = ENDPOINTS.map(({ host }) => host)

/** The last endpoint has been down for this number of days at the end of the story. */
export const DOWN_DAYS = 3.4

const SLOW = { latency_ms: 380 }

/** Before the outage; the slow receiver is always slow. */
export const BEFORE: ReceiverScenario = { paths: { '/vigil': SLOW } }

/** A deployment went wrong, and no one has noticed yet. */
export const NOW: ReceiverScenario = {
  paths: {
    '/vigil': SLOW,
    '/incoming/risk': { status: 503, body: '{"error":"upstream crm-db is not reachable"}' },
  },
}

/** The slow receiver sometimes refuses a delivery once, and accepts it at the second attempt. */
export const HICCUP: ReceiverScenario = {
  paths: { '/vigil': { status: 502, body: 'Bad Gateway', times: 1, latency_ms: 900 } },
}
