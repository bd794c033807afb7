/** What the push benchmark sends: an ordinary notification, the same for all. */
import { randomUUID } from 'node:crypto'
import type { AndroidMessage } from '../src/modules/push/providers/port.ts'
import type { PushContent } from '../src/platform/postgres/tables/push.ts'

export const CONTENT: PushContent = {
  title: 'Your order is on its way',
  body: 'The courier has left the warehouse and will be with you this afternoon.',
  data: { order_id: '10023-4471', kind: 'shipping' },
  deep_link: 'example://orders/10023-4471',
  priority: 'high',
  ttl_seconds: 3600,
}

/** As the service makes one of it for a device. */
export const exampleMessage = (): Omit<AndroidMessage, 'token' | 'package_name'> => ({
  recipient_id: randomUUID(),
  message_id: randomUUID(),
  data: {},
  priority: 'high',
  ...CONTENT,
})
