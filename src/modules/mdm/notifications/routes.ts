/** Where the provider pushes notifications to, for installations that it can reach. */
import type { App } from '../../../platform/http/app.ts'
import { readMessage } from '../providers/pubsub.ts'
import type { Notifications } from './service.ts'

export type NotificationRouteDependencies = {
  notifications: Notifications
  /** Whether the header holds a token by which the provider proves that it is the sender. */
  verify: (authorizationHeader: string | undefined) => Promise<boolean>
}

export const PUSH_PATH = '/hooks/android-management'
const BODY_MAX_BYTES = 10_000_000

/**
 * `{"message": {"data": "<base64>", "attributes": {…}, "messageId": "…"}, "subscription": "…"}`. Any
 * 2xx acknowledges, anything else has it sent again
 * (https://cloud.google.com/pubsub/docs/push#receive_push).
 */
export function notificationRoutes(
  app: App,
  { notifications, verify }: NotificationRouteDependencies,
): void {
  app.post(
    PUSH_PATH,
    {
      config: { access: 'public', body: { max_bytes: BODY_MAX_BYTES, is_lenient: true } },
      schema: { hide: true },
      // The body may be anything; the token is read before any of it is.
      onRequest: async (request, reply) => {
        if (!(await verify(request.headers.authorization))) await reply.code(401).send()
      },
    },
    async (request, reply) => {
      const message = readMessage(messageOf(request.body))
      // What is no message will be none the next time.
      if (!message) return await reply.code(204).send()
      const [taken] = await notifications.take([message])
      return await reply.code(taken?.is_done === true ? 204 : 503).send()
    },
  )
}

const messageOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined
