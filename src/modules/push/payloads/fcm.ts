/**
 * Builds request bodies for FCM
 * (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
 */
import type { AndroidMessage } from '../providers/port.ts'
import { type Built, carriedData, findFault, findLengthFault, isShown, refused } from './limits.ts'

type AndroidNotification = {
  tag: string
  channelId?: string
  sound?: string
  notificationCount?: number
}

export type FcmBody = {
  message: {
    token: string
    notification?: { title?: string; body?: string; image?: string }
    data: Record<string, string>
    android: {
      priority: 'HIGH' | 'NORMAL'
      restrictedPackageName: string
      ttl?: string
      collapseKey?: string
      notification?: AndroidNotification
    }
  }
}

type FcmContent = Omit<FcmBody['message'], 'token'>
type ShownPart = NonNullable<FcmContent['notification']>

/**
 * Body of `projects.messages.send`. The tag makes a repeated notification, or one with the same collapse
 * key, replace the previous one on the device. FCM's collapse key is set only if the customer gave one,
 * because FCM stores at most four of them per device.
 */
export function buildFcmBody(message: AndroidMessage): Built<FcmBody> {
  const built = contentOf(message)
  if (!built.ok) return built
  return { ok: true, value: { message: { token: message.token, ...built.value.content } } }
}

/** Like {@link buildFcmBody}, as JSON. The length check serializes the content, and this reuses the text. */
export function writeFcmBody(message: AndroidMessage): Built<string> {
  const built = contentOf(message)
  if (!built.ok) return built
  const token = JSON.stringify(message.token)
  return { ok: true, value: `{"message":{"token":${token},${built.value.text.slice(1)}}` }
}

/** The message without its token, as object and as JSON. */
function contentOf(message: AndroidMessage): Built<{ content: FcmContent; text: string }> {
  const fault = findFault(message, isReserved)
  if (fault) return { ok: false, fault }
  if (!PACKAGE_NAME.test(message.package_name)) {
    return refused('package_name', 'is not the name of an Android package')
  }
  const content: FcmContent = { data: carriedData(message), android: androidPart(message) }
  if (isShown(message)) content.notification = shownPart(message)
  const text = JSON.stringify(content)
  // Google does not document what counts toward its limit; everything but the token is an upper bound.
  const tooLong = findLengthFault(text, message)
  return tooLong ? { ok: false, fault: tooLong } : { ok: true, value: { content, text } }
}

const PACKAGE_NAME = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/

const isReserved = (key: string): boolean => /^(?:from|message_type)$|^(?:google|gcm)/.test(key)

// Members are assigned one by one, because this runs for each device and spreading is far slower.

function shownPart({ title, body, image }: AndroidMessage): ShownPart {
  const shown: ShownPart = {}
  if (title !== undefined) shown.title = title
  if (body !== undefined) shown.body = body
  if (image !== undefined) shown.image = image
  return shown
}

function androidPart(message: AndroidMessage): FcmContent['android'] {
  const { priority, package_name, ttl_seconds, collapse_key } = message
  const android: FcmContent['android'] = {
    priority: priority === 'high' ? 'HIGH' : 'NORMAL',
    restrictedPackageName: package_name,
  }
  if (ttl_seconds !== undefined) android.ttl = `${ttl_seconds}s`
  if (collapse_key !== undefined) android.collapseKey = collapse_key
  if (isShown(message)) android.notification = displayPart(message)
  return android
}

function displayPart(message: AndroidMessage): AndroidNotification {
  const display: AndroidNotification = { tag: message.collapse_key ?? message.recipient_id }
  if (message.channel_id !== undefined) display.channelId = message.channel_id
  if (message.sound !== undefined) display.sound = message.sound
  if (message.badge !== undefined) display.notificationCount = message.badge
  return display
}
