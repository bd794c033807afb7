/** A dispatcher of webhooks as in the service, with the certificate authority of a receiver. */
import { createWebhookDispatcher } from '../../src/modules/webhooks/index.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import { readAllowList } from '../../src/platform/net/allow-list.ts'
import { createGuardedPost } from '../../src/platform/net/guarded-post.ts'
import type { Harness } from '../harness.ts'

export function startWebhookDispatcher(
  { stores }: Harness,
  ca: string,
  given: { deadline_ms: number; retry_schedule_ms: number[] },
): Dispatcher {
  const { post } = createGuardedPost({
    allow: readAllowList('127.0.0.1'),
    resolve_timeout_ms: 1000,
    connect_timeout_ms: 1000,
    ca,
  })
  const dispatcher = createWebhookDispatcher({
    ...stores,
    ...given,
    post,
    pause_after_ms: null,
    in_flight_max: 32,
    per_endpoint_max: 8,
    per_host_max: 32,
    poll_ms: 20,
  })
  dispatcher.start()
  return dispatcher
}
