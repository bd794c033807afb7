/** Settings of mobile push. */
import { integer, optionalUrl, type Setting } from '../platform/settings.ts'

export const PUSH_SETTINGS = {
  fcm_url: optionalUrl(['https'], {
    help: 'Replaces the address of Firebase Cloud Messaging, for use with the emulator',
  }),
  fcm_token_url: optionalUrl(['https'], {
    help: 'Replaces the address of the token endpoint for FCM',
  }),
  apns_url: optionalUrl(['https'], {
    help: 'Replaces the address of Apple Push Notification service, for live applications',
  }),
  apns_sandbox_url: optionalUrl(['https'], {
    help: 'Replaces the address of the APNs sandbox, for test applications',
  }),
  push_deadline_ms: integer(
    10_000,
    { min: 500, max: 60_000 },
    { help: 'Timeout of one notification at the provider' },
  ),
  push_in_flight_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Maximum concurrent notifications per process' },
  ),
  push_connections_max: integer(
    4,
    { min: 1, max: 32 },
    { help: 'Connections per process to FCM, and to APNs for each key' },
  ),
  push_poll_ms: integer(
    500,
    { min: 50, max: 60_000 },
    { help: 'Polling interval for messages that another process created' },
  ),
  push_retry_hours: integer(
    24,
    { min: 1, max: 672 },
    { help: 'Time after which a notification that the provider has not accepted fails' },
  ),
  push_schedule_days: integer(
    90,
    { min: 1, max: 3650 },
    { help: 'How far ahead messages can be scheduled' },
  ),
  push_targets_max: integer(
    10_000,
    { min: 1, max: 100_000 },
    { help: 'Maximum `external_user_ids` or `subscription_ids` of one message' },
  ),
  push_applications_max: integer(
    100,
    { min: 1, max: 10_000 },
    { help: 'Maximum applications per organization' },
  ),
  push_registrations_per_day: integer(
    500_000,
    { min: 1, max: 1_000_000_000 },
    {
      help: 'Maximum new subscriptions of an application in a day (UTC) that apps register with public keys. Nodes that register at the same time can exceed it by some hundreds',
    },
  ),
  push_identity_key_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'Interval at which the key that signs identity assertions is replaced' },
  ),
  push_retention_days: integer(
    90,
    { min: 0, max: 36_500 },
    {
      help: 'Age at which finished messages with their recipients, and subscriptions with invalid tokens, are deleted. Messages are deleted by the week below 100 days, otherwise by the month, so they stay for up to this time longer. 0 keeps them',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
