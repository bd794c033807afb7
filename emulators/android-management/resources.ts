/** The resources of the Android Management API, with the members that the emulator uses. */
import type { CommandFailure } from './control-schema.ts'

export type Json = Record<string, unknown>

export type NotificationType = 'ENROLLMENT' | 'STATUS_REPORT' | 'COMMAND'

export type Enterprise = Json & {
  name: string
  enterpriseDisplayName?: string
  pubsubTopic?: string
  enabledNotificationTypes?: string[]
}

/** `version` is the number of changes, as a string. */
export type Policy = Json & { name: string; version: string }

export type EnrollmentToken = {
  name: string
  value: string
  qrCode: string
  expirationTimestamp: string
  /** Full name. */
  policyName: string
  duration: string
  allowPersonalUsage?:
    | 'ALLOW_PERSONAL_USAGE_UNSPECIFIED'
    | 'PERSONAL_USAGE_ALLOWED'
    | 'PERSONAL_USAGE_DISALLOWED'
    | 'PERSONAL_USAGE_DISALLOWED_USERLESS'
  oneTimeOnly?: boolean
  additionalData?: string
}

export type Ownership = 'COMPANY_OWNED' | 'PERSONALLY_OWNED'
export type ManagementMode = 'DEVICE_OWNER' | 'PROFILE_OWNER'
export type DeviceState = 'ACTIVE' | 'DISABLED' | 'DELETED' | 'PROVISIONING' | 'LOST'

export type NonComplianceDetail = {
  settingName: string
  nonComplianceReason: string
  packageName?: string
  fieldPath?: string
  installationFailureReason?: string
}

export type Device = {
  name: string
  userName?: string
  managementMode: ManagementMode
  ownership: Ownership
  state: DeviceState
  appliedState: DeviceState
  policyName: string
  appliedPolicyName?: string
  appliedPolicyVersion?: string
  policyCompliant?: boolean
  nonComplianceDetails?: NonComplianceDetail[]
  disabledReason?: Json
  enrollmentTime: string
  lastStatusReportTime?: string
  lastPolicySyncTime?: string
  enrollmentTokenName: string
  enrollmentTokenData?: string
  previousDeviceNames?: string[]
  apiLevel: number
  hardwareInfo: Json
  securityPosture: Json
  softwareInfo?: Json
  networkInfo?: Json
  deviceSettings?: Json
  memoryInfo?: Json
  applicationReports?: Json[]
  displays?: Json[]
}

export type CommandError = CommandFailure['error_code']

export type Command = Json & {
  type: string
  createTime: string
  duration: string
  errorCode?: CommandError
}

export type Operation = {
  name: string
  metadata: Command & { '@type': string }
  done: boolean
  error?: { code: number; message: string }
  response?: Json
}
