/** Validates requests to send a message, as far as possible without the database. */

import { readTime } from '../../../platform/date-time.ts'
import { type AppError, invalidRequest } from '../../../platform/http/errors.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import type { PushContent, PushTarget } from '../tables.ts'
import type { MessageRequest } from './schema.ts'

export type ParsedMessage = {
  target: PushTarget
  /** Without duplicates. */
  target_ids: string[]
  content: PushContent
  /** Undefined sends immediately. */
  send_at: Date | undefined
}

const TARGETS = ['all', 'external_user_ids', 'subscription_ids'] as const

/** @throws AppError 400 naming the field */
export function readRequest(
  request: MessageRequest,
  now: Date,
  scheduleDays: number,
): ParsedMessage {
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
 * @returns undefined for a time in the past
 * @throws AppError 400 naming `send_at`
 */
export function readSendAt(
  text: string | undefined,
  now: Date,
  scheduleDays: number,
): Date | undefined {
  if (text === undefined) return undefined
  const sendAt = readTime(text, 'send_at')
  if (sendAt.getTime() > now.getTime() + scheduleDays * DAY_MS) {
    throw invalidRequest('send_at', `send_at must be at most ${scheduleDays} days ahead`)
  }
  return sendAt > now ? sendAt : undefined
}

function refuseTwoNames({ application_id, push_configuration_id }: MessageRequest): void {
  if (application_id === undefined && push_configuration_id === undefined) {
    throw invalidRequest('application_id', 'application_id or push_configuration_id is required')
  }
  if (application_id !== undefined && push_configuration_id !== undefined) {
    throw mutuallyExclusive('push_configuration_id', 'application_id')
  }
}

function targetOf(request: MessageRequest): PushTarget {
  const [target, other] = TARGETS.filter((name) => request[name] !== undefined)
  if (target === undefined) {
    throw invalidRequest('all', `one of ${TARGETS.join(', ')} is required`)
  }
  if (other !== undefined) throw mutuallyExclusive(other, target)
  return target
}

function targetIds(request: MessageRequest, target: PushTarget): string[] {
  if (target === 'all') return []
  const requested = request[target] ?? []
  // UUIDs are case-insensitive.
  const ids = target === 'subscription_ids' ? requested.map((id) => id.toLowerCase()) : requested
  return [...new Set(ids)]
}

/** Content of the request, without fields that are absent. */
function contentOf(request: MessageRequest): PushContent {
  const { title, body, data, image, deep_link, ttl_seconds, collapse_key } = request
  const { priority, badge, sound, channel_id } = request
  const hasData = data !== undefined && Object.keys(data).length > 0
  if (title === undefined && body === undefined && !hasData) {
    throw invalidRequest('title', 'at least one of title, body and data is required')
  }
  if (image !== undefined && !isWebAddress(image)) {
    throw invalidRequest('image', 'image must be an https:// URL')
  }
  const content = { title, body, data, image, deep_link, ttl_seconds, collapse_key }
  const all = { ...content, priority, badge, sound, channel_id }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && new URL(text).protocol === 'https:'

const mutuallyExclusive = (field: string, other: string): AppError =>
  invalidRequest(field, `${field} and ${other} are mutually exclusive`)
