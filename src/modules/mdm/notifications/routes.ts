/** Receives the notifications that the provider pushes, for installations that it can reach. */
import type { App } from '../../../platform/http/app.ts'
import { waitFor } from '../../../platform/wait.ts'
import { readMessage } from '../providers/pubsub.ts'
import type { Notifications } from './service.ts'

export type NotificationRouteDependencies = {
  notifications: Pick<Notifications, 'take'>
  /** Whether the header has a token that proves the provider as the sender. */
  verify: (authorizationHeader: string | undefined) => Promise<boolean>
}

export const PUSH_PATH = '/hooks/android-management'
const BODY_MAX_BYTES = 10_000_000
/** Below the ten seconds after which a subscription without settings sends the message again. */
const PUT_OFF_MAX_MS = 8000

/**
 * The body is `{"message": {"data": "<base64>", "attributes": {…}, "messageId": "…"}, "subscription": "…"}`.
 * Any 2xx acknowledges the message; after any other status it is sent again
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
      // The body comes from anyone, so the token is verified before any of it is read.
      onRequest: async (request, reply) => {
        if (!(await verify(request.headers.authorization))) await reply.code(401).send()
      },
    },
    async (request, reply) => {
      const message = readMessage(messageOf(request.body))
      // A malformed message is acknowledged, because sending it again would not help.
      if (!message) return await reply.code(204).send()
      const [taken] = await notifications.take([message])
      const result = taken?.later ? await withinTime(taken.later) : taken
      return await reply.code(result?.is_done === true ? 204 : 503).send()
    },
  )
}

/**
 * Waiting is better than an immediate 503: after rejections, Pub/Sub pauses the whole subscription for up
 * to a minute.
 *
 * @returns undefined when the time is over; the message is applied nevertheless, or when it is sent again
 */
async function withinTime<T>(later: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController()
  const result = await Promise.race([
    later,
    waitFor(PUT_OFF_MAX_MS, ended.signal).then(() => undefined),
  ])
  ended.abort()
  return result
}

const messageOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined
