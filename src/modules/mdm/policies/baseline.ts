/**
 * The policy that a new policy begins with when none is given. Only settings that the management mode
 * knows on every Android version from `minimumApiLevel` on: a device reports any other as a violation.
 */
import type { ManagementMode } from '../../../platform/postgres/tables/mdm.ts'

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.policies */
export const baselinePolicy = (mode: ManagementMode): Record<string, unknown> =>
  mode === 'fully_managed' ? fullyManaged() : workProfile()

/** Android 9: the first that clears the data of apps, and of which patches were made after 2020. */
const MINIMUM_API_LEVEL = 28
const BLOCK_AFTER_DAYS = 1
const WIPE_AFTER_DAYS = 10
const FAILED_PASSWORDS_MAX = 10
const LOCK_AFTER_MS = 300_000
/** From two to four in the night, by the clock of the device. */
const UPDATE_WINDOW = { startMinutes: 120, endMinutes: 240 }

/** Nothing is asked of phones that nobody reads here: no apps, no networks, no subscriber numbers. */
const common = () => ({
  statusReportingSettings: { softwareInfoEnabled: true, deviceSettingsEnabled: true },
  encryptionPolicy: 'ENABLED_WITHOUT_PASSWORD',
  defaultPermissionPolicy: 'PROMPT',
  minimumApiLevel: MINIMUM_API_LEVEL,
})

const fullyManaged = () => ({
  ...common(),
  // Left out it would be WHITELIST: whatever is not in `applications` would be uninstalled, and a
  // device of a new customer, who has listed none, would be of no use.
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
  // Scanners and keyboards go on to work.
  deviceConnectivityManagement: { usbDataAccess: 'DISALLOW_USB_FILE_TRANSFER' },
  factoryResetDisabled: true,
  removeUserDisabled: true,
  networkEscapeHatchEnabled: true,
  policyEnforcementRules: enforcedRules({ preserveFrp: true }),
})

/**
 * On a phone of its owner: nothing outside of the work profile but a screen lock. `developerSettings` is
 * left at its default, which is the same; set, such a phone would report it as a violation.
 */
const workProfile = () => ({
  ...common(),
  // In the profile there is what `applications` lists; the phone of the owner keeps what it has.
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

/** Without a rule these two block at once, and there is no time to comply. */
const enforcedRules = (wipe: { preserveFrp?: boolean }) =>
  ['passwordPolicies', 'encryptionPolicy'].map((settingName) => ({
    settingName,
    blockAction: { blockAfterDays: BLOCK_AFTER_DAYS },
    wipeAction: { wipeAfterDays: WIPE_AFTER_DAYS, ...wipe },
  }))
