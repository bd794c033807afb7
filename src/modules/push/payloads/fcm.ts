/**
 * A notification in the words of FCM
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

/**
 * The body of `projects.messages.send`. A tag makes a notification that comes twice, or one with the
 * same collapse key, take the place of the one before. A collapse key of FCM's own is only the
 * customer's, because a device knows four of them at a time.
 */
export function buildFcmBody(message: AndroidMessage): Built<FcmBody> {
  const fault = findFault(message, isReserved)
  if (fault) return { ok: false, fault }
  if (!PACKAGE_NAME.test(message.package_name)) {
    return refused('package_name', 'is not the name of an Android package')
  }
  const { token, ttl_seconds, collapse_key } = message
  const content = {
    ...(isShown(message) && { notification: shownPart(message) }),
    data: carriedData(message),
    android: {
      priority: message.priority === 'high' ? ('HIGH' as const) : ('NORMAL' as const),
      restrictedPackageName: message.package_name,
      ...(ttl_seconds !== undefined && { ttl: `${ttl_seconds}s` }),
      ...(collapse_key !== undefined && { collapseKey: collapse_key }),
      ...(isShown(message) && { notification: androidPart(message) }),
    },
  }
  // What exactly Google counts is not documented: all but the address is never less.
  const tooLong = findLengthFault(JSON.stringify(content), message)
  if (tooLong) return { ok: false, fault: tooLong }
  return { ok: true, value: { message: { token, ...content } } }
}

const PACKAGE_NAME = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/

const isReserved = (key: string): boolean => /^(?:from|message_type)$|^(?:google|gcm)/.test(key)

const shownPart = ({ title, body, image }: AndroidMessage) => ({
  ...(title !== undefined && { title }),
  ...(body !== undefined && { body }),
  ...(image !== undefined && { image }),
})

const androidPart = (message: AndroidMessage): AndroidNotification => ({
  tag: message.collapse_key ?? message.recipient_id,
  ...(message.channel_id !== undefined && { channelId: message.channel_id }),
  ...(message.sound !== undefined && { sound: message.sound }),
  ...(message.badge !== undefined && { notificationCount: message.badge }),
})
