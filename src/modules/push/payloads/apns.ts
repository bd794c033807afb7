/**
 * Builds requests for APNs (Apple, "Sending notification requests to APNs" and "Generating a remote
 * notification").
 */
import { createHash } from 'node:crypto'
import { isUuid } from '../../../platform/ids.ts'
import type { AppleMessage } from '../providers/port.ts'
import {
  type Built,
  carriedData,
  findFault,
  findLengthFault,
  isShown,
  OWN_PREFIX,
  refused,
} from './limits.ts'

export type ApnsRequest = {
  /** All headers except `authorization`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const COLLAPSE_ID_MAX_BYTES = 64

/**
 * Headers and body of `POST /3/device/{token}`. The collapse id makes a repeated notification, or one
 * with the same collapse key, replace the previous one on the device.
 */
export function buildApnsRequest(message: AppleMessage, now: Date): Built<ApnsRequest> {
  const fault = findFault(message, (key) => key === 'aps')
  if (fault) return { ok: false, fault }
  if (!BUNDLE_ID.test(message.bundle_id)) return refused('bundle_id', 'is not a bundle id')
  if (!isUuid(message.recipient_id)) return refused('recipient_id', 'is not a UUID')
  const isAlert = alertsUser(message)
  const body = JSON.stringify({
    aps: isAlert ? alertPart(message) : { 'content-available': 1 },
    ...carriedData(message),
    ...(message.image !== undefined && { [`${OWN_PREFIX}image`]: message.image }),
  })
  const tooLong = findLengthFault(body, message)
  if (tooLong) return { ok: false, fault: tooLong }
  return { ok: true, value: { headers: headersOf(message, isAlert, now), body } }
}

const BUNDLE_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,154}$/

/** A badge or a sound alone is an alert, too: Apple accepts neither in background notifications. */
const alertsUser = (message: AppleMessage): boolean =>
  isShown(message) || message.badge !== undefined || message.sound !== undefined

function alertPart(message: AppleMessage): Record<string, unknown> {
  const { title, body, badge, sound, image } = message
  const alert = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
  }
  return {
    ...(isShown(message) && { alert }),
    ...(badge !== undefined && { badge }),
    ...(sound !== undefined && { sound }),
    // Lets the app's extension fetch the image before the notification is shown.
    ...(image !== undefined && isShown(message) && { 'mutable-content': 1 }),
  }
}

function headersOf(message: AppleMessage, isAlert: boolean, now: Date): Record<string, string> {
  const { ttl_seconds, collapse_key, recipient_id } = message
  const collapse = collapse_key ?? (isAlert ? recipient_id : undefined)
  return {
    'apns-topic': message.bundle_id,
    'apns-push-type': isAlert ? 'alert' : 'background',
    'apns-id': recipient_id,
    // Apple requires priority 5 for background notifications.
    'apns-priority': isAlert && message.priority === 'high' ? '10' : '5',
    ...(ttl_seconds !== undefined && { 'apns-expiration': expirationOf(ttl_seconds, now) }),
    ...(collapse !== undefined && { 'apns-collapse-id': collapseId(collapse) }),
  }
}

const expirationOf = (ttlSeconds: number, now: Date): string =>
  ttlSeconds === 0 ? '0' : String(Math.floor(now.getTime() / 1000) + ttlSeconds)

const HEADER_TEXT = /^[\x21-\x7e]+$/

/** A key that does not fit into the header is replaced by its hash. */
function collapseId(key: string): string {
  const fits = HEADER_TEXT.test(key) && key.length <= COLLAPSE_ID_MAX_BYTES
  return fits ? key : createHash('sha256').update(key).digest('base64url')
}
