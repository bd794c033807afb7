/** Settings of mobile push. */
import { integer, optionalUrl, type Setting } from '../platform/settings.ts'

export const PUSH_SETTINGS = {
  fcm_url: optionalUrl(['https'], {
    help: 'Replaces the address of Firebase Cloud Messaging, for the emulator',
  }),
  fcm_token_url: optionalUrl(['https'], {
    help: 'Replaces the address where access tokens for FCM come from',
  }),
  apns_url: optionalUrl(['https'], {
    help: 'Replaces the address of Apple Push Notification service, for live applications',
  }),
  apns_sandbox_url: optionalUrl(['https'], {
    help: 'Replaces the address of its sandbox, for test applications',
  }),
  push_deadline_ms: integer(
    10_000,
    { min: 500, max: 60_000 },
    { help: 'Time in which a provider must have answered one notification' },
  ),
  push_in_flight_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Notifications that a process sends at the same time' },
  ),
  push_connections_max: integer(
    4,
    { min: 1, max: 32 },
    { help: 'Connections of a process to FCM; and to APNs for each key' },
  ),
  push_poll_ms: integer(
    500,
    { min: 50, max: 60_000 },
    { help: 'Each worker looks so often for messages that are due, besides being told' },
  ),
  push_retry_hours: integer(
    24,
    { min: 1, max: 672 },
    { help: 'A notification that no provider accepted within this time has failed' },
  ),
  push_schedule_days: integer(
    90,
    { min: 1, max: 3650 },
    { help: 'Messages can be scheduled so far ahead' },
  ),
  push_targets_max: integer(
    10_000,
    { min: 1, max: 100_000 },
    { help: '`external_user_ids` or `subscription_ids` of one message' },
  ),
  push_applications_max: integer(
    100,
    { min: 1, max: 10_000 },
    { help: 'Applications per organisation' },
  ),
  push_identity_key_days: integer(
    30,
    { min: 1, max: 3650 },
    { help: 'A new key signs identity assertions so often' },
  ),
  push_retention_days: integer(
    90,
    { min: 0, max: 36_500 },
    {
      help: 'Messages that are done for longer are deleted with their recipients, and subscriptions whose tokens are dead for longer; 0 keeps them',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
