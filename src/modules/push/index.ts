/** Mobile push: notifications for Android devices through FCM and for Apple's through APNs. */

export { buildApnsRequest } from './payloads/apns.ts'
export { buildFcmBody } from './payloads/fcm.ts'
export { PAYLOAD_MAX_BYTES, type PayloadFault, TTL_MAX_SECONDS } from './payloads/limits.ts'
export { APNS_URLS, type ApnsSenderOptions, createApnsSender } from './providers/apns.ts'
export { type ApnsCredential, findKeyFault } from './providers/apns-token.ts'
export { createFcmSender, FCM_URL, type FcmSenderOptions } from './providers/fcm.ts'
export type {
  AndroidMessage,
  AppleMessage,
  PushMessage,
  PushSender,
  SendResult,
} from './providers/port.ts'
