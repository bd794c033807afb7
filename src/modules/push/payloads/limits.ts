/** What both providers ask of a notification, and which part of it to blame when it is too long. */
import type { PushMessage } from '../providers/port.ts'

/** `message` continues "The field …". */
export type PayloadFault = { readonly field: string; readonly message: string }

export type Built<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: PayloadFault }

/** Of both (https://firebase.google.com/docs/cloud-messaging/concept-options, Apple's "Generating a remote notification"). */
export const PAYLOAD_MAX_BYTES = 4096
/** Four weeks: the longest that FCM keeps a message. */
export const TTL_MAX_SECONDS = 2_419_200

/** Under these our own SDK finds what Vigil adds. */
export const OWN_PREFIX = 'vigil_'

const INT32_MAX = 2_147_483_647

export const refused = (field: string, message: string): { ok: false; fault: PayloadFault } => ({
  ok: false,
  fault: { field, message },
})

/**
 * What a notification carries besides what is shown; {@link findFault} has seen to it that the
 * customer's own data take nothing else's place. They are last, because an object that is spread and
 * grows afterwards takes ten times as long, and this is done for each device.
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

/** Whether it is shown to the user, rather than only handed to the app. */
export const isShown = ({ title, body }: PushMessage): boolean =>
  title !== undefined || body !== undefined

/** @param isReserved by the provider, as a key of `data` */
export function findFault(
  message: PushMessage,
  isReserved: (key: string) => boolean,
): PayloadFault | undefined {
  const { ttl_seconds: ttl, badge } = message
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl >= 0 && ttl <= TTL_MAX_SECONDS)) {
    return { field: 'ttl_seconds', message: `must be whole, from 0 to ${TTL_MAX_SECONDS}` }
  }
  if (badge !== undefined && !(Number.isInteger(badge) && badge >= 0 && badge <= INT32_MAX)) {
    return { field: 'badge', message: 'must be whole and not negative' }
  }
  const key = Object.keys(message.data).find(
    (each) => each === '' || each.startsWith(OWN_PREFIX) || isReserved(each),
  )
  return key === undefined ? undefined : { field: `data.${key}`, message: 'has a reserved name' }
}

/** The longest part is to blame: nothing else can be shortened as much. */
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
    message: `is too long: with it the notification has ${bytes} bytes, of which ${PAYLOAD_MAX_BYTES} are possible`,
  }
}
