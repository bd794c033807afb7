/** Builds the notification for a recipient. Pure. */
import { androidMessage, appleMessage } from '../messages/content.ts'
import type { PushMessage } from '../providers/port.ts'
import { recipientIdOf } from '../recipient-id.ts'
import type { ClaimedMessage, Job } from './job.ts'

/** @returns the notification, or the reason for which the recipient fails without being sent to */
export function messageOf(job: Job, now: Date): PushMessage | string {
  const { batch, token, subscription_id } = job
  const { message, channel } = batch
  if (!message) return 'message_deleted'
  if (token === null) return 'unreachable'
  if (message.users && !isAmong(message.users, job.external_user_id)) return 'signed_out'
  if (channel.app_name === null) return 'not_configured'
  const ttl = ttlLeft(message, now)
  if (ttl === 'over' || message.give_up_at <= now) return 'expired'
  const content = ttl === undefined ? message.content : { ...message.content, ttl_seconds: ttl }
  const message_id = message.id
  const to = { message_id, recipient_id: recipientIdOf(message_id, subscription_id), token }
  return channel.provider === 'fcm'
    ? androidMessage(content, to, channel.app_name)
    : appleMessage(content, to, channel.app_name)
}

const isAmong = (users: ReadonlySet<string>, user: string | null): boolean =>
  user !== null && users.has(user)

/**
 * Seconds for which a provider may still store the message. Zero stays zero: it always means that the
 * device must be online when the provider receives the message.
 */
function ttlLeft({ content, send_at }: ClaimedMessage, now: Date): number | 'over' | undefined {
  const { ttl_seconds } = content
  if (ttl_seconds === undefined || ttl_seconds === 0) return ttl_seconds
  const passed_s = Math.max(0, Math.floor((now.getTime() - send_at.getTime()) / 1000))
  return passed_s >= ttl_seconds ? 'over' : ttl_seconds - passed_s
}
