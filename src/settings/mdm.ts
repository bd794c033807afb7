/** Settings of the management of Android devices. */
import { integer, optionalFormed, optionalUrl, type Setting } from '../platform/settings.ts'

const perMinute = (fallback: number, what: string) =>
  integer(
    fallback,
    { min: 1, max: 100_000 },
    { help: `${what} per minute, of all processes together` },
  )

export const MDM_SETTINGS = {
  android_management_url: optionalUrl(['http', 'https'], {
    help: 'Replaces the addresses of Google (Android Management API, tokens, Pub/Sub), for the emulator',
  }),
  android_topic: optionalFormed(
    {
      accepts: (text) => /^projects\/[^/]+\/topics\/[^/]+$/.test(text),
      what: 'a name such as projects/PROJECT/topics/TOPIC',
    },
    { help: 'Pub/Sub topic of notifications about devices; topic `vigil-android` when left out' },
  ),
  android_subscription: optionalFormed(
    {
      accepts: (text) => /^projects\/[^/]+\/subscriptions\/[^/]+$/.test(text),
      what: 'a name such as projects/PROJECT/subscriptions/SUBSCRIPTION',
    },
    {
      help: 'Pub/Sub subscription that notifications are pulled from; `vigil-android` when left out',
    },
  ),
  android_push_audience: optionalUrl(['https', 'http'], {
    help: 'Audience of the tokens on pushed notifications, by default the URL that they are sent to; they are taken at /hooks/android-management once this is set, and no longer pulled',
  }),
  android_push_account: optionalFormed(
    { accepts: (text) => /^[^@\s]+@[^@\s]+$/.test(text), what: 'an e-mail address' },
    { help: 'Service account that pushed notifications are signed for' },
  ),
  android_requests_per_minute: perMinute(600, 'Requests to Google (its quota per project)'),
  android_enterprise_requests_per_minute: perMinute(
    60,
    'Of these, sign-ups, enterprises and enrolment tokens',
  ),
  android_policy_requests_per_minute: perMinute(60, 'Of these, policies'),
  android_device_requests_per_minute: perMinute(300, 'Of these, changes and deletions of devices'),
  android_command_requests_per_minute: perMinute(300, 'Of these, commands'),
  android_reading_requests_per_minute: perMinute(
    60,
    'Of these, reading devices and commands again',
  ),
  android_backoff_seconds: integer(
    60,
    { min: 1, max: 3600 },
    { help: 'Pause after Google said that there were too many requests (429)' },
  ),
  android_deadline_ms: integer(
    15_000,
    { min: 500, max: 60_000 },
    { help: 'Time in which Google must have answered a request' },
  ),
  mdm_policy_max_bytes: integer(
    262_144,
    { min: 1024, max: 900_000 },
    { help: 'Largest `policy_json` of a policy' },
  ),
  mdm_policies_max_bytes: integer(
    8_388_608,
    { min: 1024, max: 268_435_456 },
    { help: 'All `policy_json` of an organisation together, as the database writes them' },
  ),
  mdm_policies_max: integer(
    500,
    { min: 1, max: 10_000 },
    { help: 'Device policies per organisation' },
  ),
  mdm_groups_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Device groups per organisation' },
  ),
  mdm_assignment_max: integer(
    1000,
    { min: 1, max: 10_000 },
    { help: 'Devices in one assignment to a group' },
  ),
  mdm_attributes_max_bytes: integer(
    16_384,
    { min: 256, max: 262_144 },
    { help: 'Largest `custom_attributes` of a managed device, as JSON' },
  ),
  mdm_page_max: integer(
    1000,
    { min: 50, max: 10_000 },
    { help: 'Largest `limit` of lists of managed devices and of the audit log' },
  ),
  mdm_exports_max: integer(
    2,
    { min: 1, max: 8 },
    {
      help: 'CSV exports of an organisation at the same time; each process runs 8 of all together',
    },
  ),
  mdm_command_hours: integer(
    168,
    { min: 1, max: 8760 },
    { help: 'A command that a device has not taken within this time expires' },
  ),
  mdm_grace_hours: integer(
    0,
    { min: 0, max: 8760 },
    { help: 'Time to comply with settings for which the policy has no enforcement rule' },
  ),
  mdm_installation_grace_hours: integer(
    24,
    { min: 0, max: 8760 },
    { help: 'Least time to comply while the device still works on it, such as an installation' },
  ),
  mdm_retention_days: integer(
    365,
    { min: 0, max: 36_500 },
    { help: 'Commands that ended and devices that are gone for longer are deleted; 0 keeps them' },
  ),
  mdm_reconcile_minutes: integer(
    60,
    { min: 1, max: 10_080 },
    { help: 'All devices are read again so often, in case a notification was lost' },
  ),
  mdm_command_check_minutes: integer(
    60,
    { min: 1, max: 10_080 },
    { help: 'A command without news for so long is looked up' },
  ),
} as const satisfies Record<string, Setting<unknown>>
