/**
 * The default document of a new policy. It has only settings that the management mode supports on every
 * Android version since `minimumApiLevel`, because a device reports any other as a violation.
 */
import type { ManagementMode } from '../tables.ts'

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.policies */
export const baselinePolicy = (mode: ManagementMode): Record<string, unknown> =>
  mode === 'fully_managed' ? fullyManaged() : workProfile()

/** Android 9, the first version that supports CLEAR_APP_DATA and had security patches after 2020. */
const MINIMUM_API_LEVEL = 28
const BLOCK_AFTER_DAYS = 1
const WIPE_AFTER_DAYS = 10
const FAILED_PASSWORDS_MAX = 10
const LOCK_AFTER_MS = 300_000
/** 02:00 to 04:00 in the time of the device. */
const UPDATE_WINDOW = { startMinutes: 120, endMinutes: 240 }

/** Devices report only what Vigil reads: no apps, no networks, no subscriber numbers. */
const common = () => ({
  statusReportingSettings: { softwareInfoEnabled: true, deviceSettingsEnabled: true },
  encryptionPolicy: 'ENABLED_WITHOUT_PASSWORD',
  defaultPermissionPolicy: 'PROMPT',
  minimumApiLevel: MINIMUM_API_LEVEL,
})

const fullyManaged = () => ({
  ...common(),
  // The default is WHITELIST, which uninstalls every app that `applications` does not list; that would
  // make the devices of a new customer, who has listed none, useless.
  playStoreMode: 'BLACKLIST',
  advancedSecurityOverrides: {
    untrustedAppsPolicy: 'DISALLOW_INSTALL',
    googlePlayProtectVerifyApps: 'VERIFY_APPS_ENFORCED',
    developerSettings: 'DEVELOPER_SETTINGS_DISABLED',
  },
  passwordPolicies: [
    {
      passwordScope: 'SCOPE_DEVICE',
      passwordQuality: 'NUMERIC_COMPLEX',
      passwordMinimumLength: 6,
      maximumFailedPasswordsForWipe: FAILED_PASSWORDS_MAX,
      requirePasswordUnlock: 'REQUIRE_EVERY_DAY',
    },
  ],
  maximumTimeToLock: String(LOCK_AFTER_MS),
  keyguardDisabledFeatures: ['UNREDACTED_NOTIFICATIONS', 'TRUST_AGENTS'],
  systemUpdate: { type: 'WINDOWED', ...UPDATE_WINDOW },
  appAutoUpdatePolicy: 'WIFI_ONLY',
  autoDateAndTimeZone: 'AUTO_DATE_AND_TIME_ZONE_ENFORCED',
  // Unlike DISALLOW_USB_DATA_TRANSFER, this lets scanners and keyboards work.
  deviceConnectivityManagement: { usbDataAccess: 'DISALLOW_USB_FILE_TRANSFER' },
  factoryResetDisabled: true,
  removeUserDisabled: true,
  networkEscapeHatchEnabled: true,
  policyEnforcementRules: enforcedRules({ preserveFrp: true }),
})

/**
 * On a personally owned phone, only the screen lock is enforced outside of the work profile.
 * `developerSettings` is not set: its default is the same, and such a phone would report it as a
 * violation.
 */
const workProfile = () => ({
  ...common(),
  // Limits the apps of the work profile to `applications`; personal apps are not affected.
  playStoreMode: 'WHITELIST',
  advancedSecurityOverrides: {
    untrustedAppsPolicy: 'ALLOW_INSTALL_IN_PERSONAL_PROFILE_ONLY',
    googlePlayProtectVerifyApps: 'VERIFY_APPS_ENFORCED',
  },
  passwordPolicies: [
    {
      passwordScope: 'SCOPE_PROFILE',
      passwordQuality: 'COMPLEXITY_MEDIUM',
      maximumFailedPasswordsForWipe: FAILED_PASSWORDS_MAX,
    },
    { passwordScope: 'SCOPE_DEVICE', passwordQuality: 'COMPLEXITY_LOW' },
  ],
  keyguardDisabledFeatures: ['UNREDACTED_NOTIFICATIONS'],
  screenCaptureDisabled: true,
  crossProfilePolicies: {
    crossProfileCopyPaste: 'COPY_FROM_WORK_TO_PERSONAL_DISALLOWED',
    crossProfileDataSharing: 'DATA_SHARING_FROM_WORK_TO_PERSONAL_DISALLOWED',
    showWorkContactsInPersonalProfile: 'SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_ALLOWED',
  },
  policyEnforcementRules: enforcedRules({}),
})

/** Without a rule, these two settings block the device immediately, with no time to comply. */
const enforcedRules = (wipe: { preserveFrp?: boolean }) =>
  ['passwordPolicies', 'encryptionPolicy'].map((settingName) => ({
    settingName,
    blockAction: { blockAfterDays: BLOCK_AFTER_DAYS },
    wipeAction: { wipeAfterDays: WIPE_AFTER_DAYS, ...wipe },
  }))
