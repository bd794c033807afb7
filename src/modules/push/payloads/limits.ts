/** Limits of notifications that both providers share. */
import type { PushMessage } from '../providers/port.ts'

/** `message` continues "The field …". */
export type PayloadFault = { readonly field: string; readonly message: string }

export type Built<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: PayloadFault }

/** Sources: https://firebase.google.com/docs/cloud-messaging/concept-options, Apple's "Generating a remote notification". */
export const PAYLOAD_MAX_BYTES = 4096
/** Four weeks, the longest time for which FCM stores a message. */
export const TTL_MAX_SECONDS = 2_419_200

/** Prefix of the data keys that Vigil adds for its SDK. */
export const OWN_PREFIX = 'vigil_'

const INT32_MAX = 2_147_483_647

export const refused = (field: string, message: string): { ok: false; fault: PayloadFault } => ({
  ok: false,
  fault: { field, message },
})

/**
 * Data of a notification. {@link findFault} has excluded customer keys that would collide with the added
 * ones. The customer's data is spread last, because adding members to a spread object is ten times as
 * slow, and this runs for each device.
 */
export function carriedData(message: PushMessage): Record<string, string> {
  const { message_id, recipient_id, deep_link, data } = message
  return deep_link === undefined
    ? { vigil_message_id: message_id, vigil_recipient_id: recipient_id, ...data }
    : {
        vigil_message_id: message_id,
        vigil_recipient_id: recipient_id,
        vigil_deep_link: deep_link,
        ...data,
      }
}

/** Whether the notification is shown to the user or only delivered to the app. */
export const isShown = ({ title, body }: PushMessage): boolean =>
  title !== undefined || body !== undefined

/** @param isReserved whether the provider reserves a key of `data` */
export function findFault(
  message: PushMessage,
  isReserved: (key: string) => boolean,
): PayloadFault | undefined {
  const { ttl_seconds: ttl, badge } = message
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 0 && ttl <= TTL_MAX_SECONDS)) {
    return { field: 'ttl_seconds', message: `must be an integer from 0 to ${TTL_MAX_SECONDS}` }
  }
  if (badge !== undefined && !(Number.isInteger(badge) && badge >= 0 && badge <= INT32_MAX)) {
    return { field: 'badge', message: `must be an integer from 0 to ${INT32_MAX}` }
  }
  const key = Object.keys(message.data).find(
    (each) => each === '' || each.startsWith(OWN_PREFIX) || isReserved(each),
  )
  return key === undefined ? undefined : { field: `data.${key}`, message: 'has a reserved name' }
}

/** Names the longest field, because shortening it saves the most. */
export function findLengthFault(payload: string, message: PushMessage): PayloadFault | undefined {
  const bytes = Buffer.byteLength(payload)
  if (bytes <= PAYLOAD_MAX_BYTES) return undefined
  const parts = [
    ...Object.entries({
      title: message.title,
      body: message.body,
      image: message.image,
      deep_link: message.deep_link,
      sound: message.sound,
      collapse_key: message.collapse_key,
      channel_id: message.channel_id,
    }),
    ...Object.entries(message.data).map(([key, value]) => [`data.${key}`, key + value] as const),
  ]
  const lengths = parts.map(([field, text]) => ({ field, bytes: Buffer.byteLength(text ?? '') }))
  const [longest] = lengths.toSorted((a, b) => b.bytes - a.bytes)
  return {
    field: longest?.field ?? 'data',
    message: `is too long: the notification has ${bytes} bytes, and the limit is ${PAYLOAD_MAX_BYTES}`,
  }
}
