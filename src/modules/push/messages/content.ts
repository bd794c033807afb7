/** Converts the content of a message for the providers, and checks whether they would accept it. */

import { buildApnsRequest } from '../payloads/apns.ts'
import { buildFcmBody } from '../payloads/fcm.ts'
import type { PayloadFault } from '../payloads/limits.ts'
import type { AndroidMessage, AppleMessage } from '../providers/port.ts'
import type { PushContent } from '../tables.ts'

/** Ids and device token of one notification. */
export type Addressed = { message_id: string; recipient_id: string; token: string }

/** Names of the app at the providers; null where it is not configured. */
export type AppNames = { android_package_name: string | null; ios_bundle_id: string | null }

/** By default, visible notifications arrive immediately and data for the app waits for an awake device. */
const priorityOf = ({ title, body, priority }: PushContent): 'high' | 'normal' =>
  priority ?? (title !== undefined || body !== undefined ? 'high' : 'normal')

// The content is spread last, because adding members to a spread object is fifty times as slow, and this
// runs for each device.

export const androidMessage = (
  content: PushContent,
  { message_id, recipient_id, token }: Addressed,
  package_name: string,
): AndroidMessage => ({
  message_id,
  recipient_id,
  token,
  package_name,
  data: NO_DATA,
  priority: priorityOf(content),
  ...content,
})

export const appleMessage = (
  content: PushContent,
  { message_id, recipient_id, token }: Addressed,
  bundle_id: string,
): AppleMessage => ({
  message_id,
  recipient_id,
  token,
  bundle_id,
  data: NO_DATA,
  priority: priorityOf(content),
  ...content,
})

const NO_DATA: Readonly<Record<string, string>> = {}
const NIL = '00000000-0000-0000-0000-000000000000'
/** Stands for any device: all ids have this length, and neither provider counts the token. */
const ANY_DEVICE: Addressed = { message_id: NIL, recipient_id: NIL, token: '' }

/** Returns the first fault for which a configured provider would reject the content on any device. */
export function findContentFault(
  content: PushContent,
  names: AppNames,
  now: Date,
): PayloadFault | undefined {
  const { android_package_name, ios_bundle_id } = names
  const built = [
    android_package_name !== null &&
      buildFcmBody(androidMessage(content, ANY_DEVICE, android_package_name)),
    ios_bundle_id !== null &&
      buildApnsRequest(appleMessage(content, ANY_DEVICE, ios_bundle_id), now),
  ]
  return built.flatMap((each) => (each && !each.ok ? [each.fault] : []))[0]
}
