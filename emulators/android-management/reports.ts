/** The status report of a phone, with the sections that its policy requests. */
import { createHash } from 'node:crypto'
import { isObject } from '../../src/platform/is-object.ts'
import type { Device, Json, Policy } from './resources.ts'
import type { Phone } from './state.ts'

/** Returns the device resource of the server, updated by a report. */
export function reportOf(
  phone: Phone,
  before: Device,
  policy: Policy | undefined,
  now: Date,
): Device {
  const { applied_policy: applied, applied_state: appliedState } = phone
  const isProvisioned = appliedState !== 'PROVISIONING'
  const isCompliant = isProvisioned && phone.violations.length === 0
  const {
    policyCompliant: _compliant,
    nonComplianceDetails: _details,
    softwareInfo: _software,
    networkInfo: _network,
    deviceSettings: _settings,
    memoryInfo: _memory,
    applicationReports: _applications,
    displays: _displays,
    ...rest
  } = before
  return {
    ...rest,
    state: before.state === 'PROVISIONING' && isProvisioned ? 'ACTIVE' : before.state,
    appliedState,
    ...(applied && { appliedPolicyName: applied.name, appliedPolicyVersion: applied.version }),
    // The JSON of Google's APIs omits members that are false or empty.
    ...(isCompliant && { policyCompliant: true }),
    ...(phone.violations.length > 0 && { nonComplianceDetails: phone.violations }),
    lastStatusReportTime: laterThan(before.lastStatusReportTime, now),
    ...requestedSections(phone, policy),
  }
}

/** Reports have different times, because two reports of the same millisecond would have no order. */
const laterThan = (before: string | undefined, now: Date): string =>
  new Date(
    before === undefined ? now : Math.max(now.getTime(), Date.parse(before) + 1),
  ).toISOString()

export function hardwareOf(phone: Phone, enterpriseId: string): Json {
  const { brand, model } = phone
  const isPersonal = phone.ownership === 'PERSONALLY_OWNED'
  const enterpriseSpecificId = createHash('sha256')
    .update(`${enterpriseId} ${phone.serial_number}`)
    .digest('base64url')
    .slice(0, 16)
    .toUpperCase()
  const hidesSerial = isPersonal && phone.api_level >= 31
  return {
    brand,
    model,
    manufacturer: brand,
    hardware: model.toLowerCase().replaceAll(/\W+/g, ''),
    serialNumber: hidesSerial ? enterpriseSpecificId : phone.serial_number,
    ...(hidesSerial && { enterpriseSpecificId }),
    deviceBasebandVersion: 'g5300q-240308-1',
  }
}

function requestedSections(phone: Phone, policy: Policy | undefined): Partial<Device> {
  const settings = policy?.['statusReportingSettings']
  const isRequested = (name: string): boolean => isObject(settings) && settings[name] === true
  const isFullyManaged = phone.management_mode === 'DEVICE_OWNER'
  return {
    ...(isRequested('softwareInfoEnabled') && { softwareInfo: softwareOf(phone) }),
    ...(isRequested('networkInfoEnabled') && {
      networkInfo: {
        ...(isFullyManaged && { imei: phone.imei }),
        wifiMacAddress: phone.wifi_mac_address,
      },
    }),
    ...(isRequested('deviceSettingsEnabled') && { deviceSettings: SETTINGS }),
    ...(isRequested('memoryInfoEnabled') && {
      memoryInfo: { totalRam: '8000000000', totalInternalStorage: '128000000000' },
    }),
    ...(isRequested('displayInfoEnabled') && { displays: [DISPLAY] }),
    ...(isRequested('applicationReportsEnabled') && { applicationReports: applicationsOf(policy) }),
  }
}

const softwareOf = (phone: Phone): Json => ({
  androidVersion: phone.android_version,
  androidBuildNumber: `AP${phone.api_level}.${phone.security_patch_level.replaceAll('-', '')}`,
  androidDevicePolicyVersionCode: 11_470_000,
  androidDevicePolicyVersionName: '114.7.0',
  securityPatchLevel: phone.security_patch_level,
  deviceKernelVersion: '6.1.75-android14-11',
  bootloaderVersion: 'ripcurrent-14.5',
  primaryLanguageCode: 'en-US',
  systemUpdateInfo: { updateStatus: 'UP_TO_DATE' },
})

const SETTINGS = { isDeviceSecure: true, isEncrypted: true, encryptionStatus: 'ACTIVE_PER_USER' }
const DISPLAY = {
  name: 'Built-in screen',
  state: 'ON',
  width: 1_080,
  height: 2_400,
  density: 420,
  refreshRate: 120,
}

/** Returns the apps that the policy installs. Preinstalled apps are not emulated. */
function applicationsOf(policy: Policy | undefined): Json[] {
  const applications = policy?.['applications']
  if (!Array.isArray(applications)) return []
  return applications
    .filter(isObject)
    .filter(({ installType }) => installType !== 'BLOCKED' && installType !== 'AVAILABLE')
    .map(({ packageName }) => ({
      packageName,
      versionName: '1.0',
      versionCode: 1,
      state: 'INSTALLED',
      applicationSource: 'INSTALLED_FROM_PLAY_STORE',
      installerPackageName: 'com.android.vending',
    }))
}
