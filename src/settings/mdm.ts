/** Settings of the management of Android devices. */
import { integer, optionalFormed, optionalUrl, type Setting } from '../platform/settings.ts'

const perMinute = (fallback: number, what: string) =>
  integer(fallback, { min: 1, max: 100_000 }, { help: `${what} per minute, across all processes` })

export const MDM_SETTINGS = {
  android_management_url: optionalUrl(['http', 'https'], {
    help: 'Replaces the addresses of Google (Android Management API, tokens, Pub/Sub), for use with the emulator',
  }),
  android_topic: optionalFormed(
    {
      accepts: (text) => /^projects\/[^/]+\/topics\/[^/]+$/.test(text),
      what: 'a name such as projects/PROJECT/topics/TOPIC',
    },
    {
      help: 'Pub/Sub topic of device notifications. Default: `vigil-android` in the connected project',
    },
  ),
  android_subscription: optionalFormed(
    {
      accepts: (text) => /^projects\/[^/]+\/subscriptions\/[^/]+$/.test(text),
      what: 'a name such as projects/PROJECT/subscriptions/SUBSCRIPTION',
    },
    {
      help: 'Pub/Sub subscription from which notifications are pulled. Default: `vigil-android` in the connected project',
    },
  ),
  android_push_audience: optionalUrl(['https', 'http'], {
    help: 'Audience of the tokens of pushed notifications, usually the URL that they are sent to. When it is set, notifications are accepted at /hooks/android-management and no longer pulled',
  }),
  android_push_account: optionalFormed(
    { accepts: (text) => /^[^@\s]+@[^@\s]+$/.test(text), what: 'an e-mail address' },
    { help: 'Service account in whose name pushed notifications are signed' },
  ),
  android_requests_per_minute: perMinute(600, 'Requests to Google (the quota of the project)'),
  android_enterprise_requests_per_minute: perMinute(
    60,
    'Of these, requests about sign-ups, enterprises and enrollment tokens',
  ),
  android_policy_requests_per_minute: perMinute(60, 'Of these, requests about policies'),
  android_device_requests_per_minute: perMinute(300, 'Of these, changes and deletions of devices'),
  android_command_requests_per_minute: perMinute(300, 'Of these, commands'),
  android_reading_requests_per_minute: perMinute(
    60,
    'Of these, requests that read devices and commands',
  ),
  android_backoff_seconds: integer(
    60,
    { min: 1, max: 3600 },
    { help: 'Pause after Google answered that there were too many requests (429)' },
  ),
  android_deadline_ms: integer(
    15_000,
    { min: 500, max: 60_000 },
    { help: 'Timeout of a request to Google' },
  ),
  mdm_policy_max_bytes: integer(
    262_144,
    { min: 1024, max: 900_000 },
    { help: 'Maximum size of the `policy_json` of one policy' },
  ),
  mdm_policies_max_bytes: integer(
    8_388_608,
    { min: 1024, max: 268_435_456 },
    { help: 'Maximum size of all `policy_json` of an organization, as stored in the database' },
  ),
  mdm_policies_max: integer(
    500,
    { min: 1, max: 10_000 },
    { help: 'Maximum policies per organization' },
  ),
  mdm_groups_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Maximum device groups per organization' },
  ),
  mdm_assignment_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Maximum devices in one assignment to a group' },
  ),
  mdm_attributes_max_bytes: integer(
    16_384,
    { min: 256, max: 262_144 },
    { help: 'Maximum size of the `custom_attributes` of a managed device, as JSON' },
  ),
  mdm_page_max: integer(
    1000,
    { min: 50, max: 10_000 },
    { help: 'Maximum `limit` of lists of managed devices and of their audit log' },
  ),
  mdm_exports_max: integer(
    2,
    { min: 1, max: 8 },
    {
      help: 'Maximum concurrent CSV exports per organization. Each process runs at most 8 in all',
    },
  ),
  mdm_command_hours: integer(
    168,
    { min: 1, max: 8760 },
    { help: 'Time after which a command that the device has not received expires' },
  ),
  mdm_grace_hours: integer(
    0,
    { min: 0, max: 8760 },
    { help: 'Grace period for policy settings that have no enforcement rule' },
  ),
  mdm_installation_grace_hours: integer(
    24,
    { min: 0, max: 8760 },
    {
      help: 'Minimum grace period for settings that the device is still applying, such as an installation',
    },
  ),
  mdm_retention_days: integer(
    365,
    { min: 0, max: 36_500 },
    { help: 'Age at which finished commands and deleted devices are removed. 0 keeps them' },
  ),
  mdm_reconcile_minutes: integer(
    60,
    { min: 1, max: 10_080 },
    { help: 'Interval at which all devices are read from Google, in case a notification was lost' },
  ),
  mdm_command_check_minutes: integer(
    60,
    { min: 1, max: 10_080 },
    { help: 'Time without news after which the state of a command is read from Google' },
  ),
} as const satisfies Record<string, Setting<unknown>>
