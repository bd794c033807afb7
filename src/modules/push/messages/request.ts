/** What a request for a message means, as far as it can be told without looking anything up. */
import { type AppError, invalidRequest } from '../../../platform/http/errors.ts'
import type { PushContent, PushTarget } from '../../../platform/postgres/tables/push.ts'
import { readTime } from '../../../platform/time-text.ts'
import type { MessageRequest } from './schema.ts'

export type Asked = {
  target: PushTarget
  /** Each once. */
  target_ids: string[]
  content: PushContent
  /** undefined: now */
  send_at: Date | undefined
}

const DAY_MS = 86_400_000
const TARGETS = ['all', 'external_user_ids', 'subscription_ids'] as const

/** @throws AppError 400 naming the field */
export function readRequest(request: MessageRequest, now: Date, scheduleDays: number): Asked {
  refuseTwoNames(request)
  const target = targetOf(request)
  return {
    target,
    target_ids: targetIds(request, target),
    content: contentOf(request),
    send_at: readSendAt(request.send_at, now, scheduleDays),
  }
}

/**
 * @returns undefined for a time that is over
 * @throws AppError 400 naming `send_at`
 */
export function readSendAt(
  given: string | undefined,
  now: Date,
  scheduleDays: number,
): Date | undefined {
  if (given === undefined) return undefined
  const sendAt = readTime(given, 'send_at')
  if (sendAt.getTime() > now.getTime() + scheduleDays * DAY_MS) {
    throw invalidRequest('send_at', `send_at is more than ${scheduleDays} days ahead`)
  }
  return sendAt > now ? sendAt : undefined
}

function refuseTwoNames({ application_id, push_configuration_id }: MessageRequest): void {
  if (application_id === undefined && push_configuration_id === undefined) {
    throw invalidRequest('application_id', 'application_id or push_configuration_id is required')
  }
  if (application_id !== undefined && push_configuration_id !== undefined) {
    throw tooMany('push_configuration_id', 'application_id')
  }
}

function targetOf(request: MessageRequest): PushTarget {
  const [target, other] = TARGETS.filter((name) => request[name] !== undefined)
  if (target === undefined) {
    throw invalidRequest('all', `one of ${TARGETS.join(', ')} is required`)
  }
  if (other !== undefined) throw tooMany(other, target)
  return target
}

function targetIds(request: MessageRequest, target: PushTarget): string[] {
  if (target === 'all') return []
  const given = request[target] ?? []
  // The same UUID can be written in two ways.
  const ids = target === 'subscription_ids' ? given.map((id) => id.toLowerCase()) : given
  return [...new Set(ids)]
}

/** Without the members that are not there. */
function contentOf(request: MessageRequest): PushContent {
  const { title, body, data, image, deep_link, ttl_seconds, collapse_key } = request
  const { priority, badge, sound, channel_id } = request
  const hasData = data !== undefined && Object.keys(data).length > 0
  if (title === undefined && body === undefined && !hasData) {
    throw invalidRequest('title', 'one of title, body and data is required')
  }
  if (image !== undefined && !isWebAddress(image)) {
    throw invalidRequest('image', 'image is not a URL that begins with https://')
  }
  const content = { title, body, data, image, deep_link, ttl_seconds, collapse_key }
  const given = { ...content, priority, badge, sound, channel_id }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && new URL(text).protocol === 'https:'

const tooMany = (field: string, other: string): AppError =>
  invalidRequest(field, `${field} and ${other} exclude each other`)
