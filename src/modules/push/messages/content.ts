/** What is sent of a message, as the providers' payloads are built of it; and whether it can be sent. */
import type { PushContent } from '../../../platform/postgres/tables/push.ts'
import { buildApnsRequest } from '../payloads/apns.ts'
import { buildFcmBody } from '../payloads/fcm.ts'
import type { PayloadFault } from '../payloads/limits.ts'
import type { AndroidMessage, AppleMessage } from '../providers/port.ts'

/** Of one notification. */
export type Addressed = { message_id: string; recipient_id: string; token: string }

/** Names of the app at the providers, as far as it is on their devices. */
export type AppNames = { android_package_name: string | null; ios_bundle_id: string | null }

/** What is shown should come at once, what is only for the app when the device is awake anyway. */
const priorityOf = ({ title, body, priority }: PushContent): 'high' | 'normal' =>
  priority ?? (title !== undefined || body !== undefined ? 'high' : 'normal')

// The content is spread last, because this is done for each device and an object that is spread and
// grows afterwards takes fifty times as long.

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
/** All ids are as long as these; a token is counted by neither provider. */
const ANYBODY: Addressed = { message_id: NIL, recipient_id: NIL, token: '' }

/** The first thing for which a provider of the app would refuse it from everybody. */
export function findContentFault(
  content: PushContent,
  names: AppNames,
  now: Date,
): PayloadFault | undefined {
  const { android_package_name, ios_bundle_id } = names
  const built = [
    ...(android_package_name === null
      ? []
      : [buildFcmBody(androidMessage(content, ANYBODY, android_package_name))]),
    ...(ios_bundle_id === null
      ? []
      : [buildApnsRequest(appleMessage(content, ANYBODY, ios_bundle_id), now)]),
  ]
  return built.flatMap((each) => (each.ok ? [] : [each.fault]))[0]
}
