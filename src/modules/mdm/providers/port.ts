/**
 * What Vigil needs of whoever manages Android devices. Messages keep the names of the Android
 * Management API (https://developers.google.com/android/management/reference/rest); nothing that they
 * say is taken for granted.
 */
export type ProviderFault = {
  /**
   * `rate_limited`: too many requests. `refused`: the account may not do so. `rejected`: what was sent
   * is wrong and will stay so. `not_found`: the provider has no such thing. `unavailable`: away,
   * broken, too slow, or no provider is connected.
   */
  kind: 'rate_limited' | 'refused' | 'rejected' | 'not_found' | 'unavailable'
  /** One sentence that may be shown; never holds a credential. */
  message: string
  retry_after_s?: number
  /** The request may have been carried out although no good answer came. */
  is_ambiguous: boolean
}

/** Never an exception. */
export type Answer<T> = { ok: true; value: T } | { ok: false; fault: ProviderFault }

export type WireNonComplianceDetail = {
  settingName?: string
  nonComplianceReason?: string
  packageName?: string
  fieldPath?: string
  installationFailureReason?: string
  specificNonComplianceReason?: string
}

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.devices */
export type WireDevice = {
  name?: string
  userName?: string
  managementMode?: string
  ownership?: string
  state?: string
  appliedState?: string
  policyName?: string
  appliedPolicyName?: string
  /** An int64, as text. */
  appliedPolicyVersion?: string
  policyCompliant?: boolean
  nonComplianceDetails?: WireNonComplianceDetail[]
  enrollmentTime?: string
  lastStatusReportTime?: string
  lastPolicySyncTime?: string
  enrollmentTokenName?: string
  enrollmentTokenData?: string
  previousDeviceNames?: string[]
  apiLevel?: number
  hardwareInfo?: {
    brand?: string
    model?: string
    manufacturer?: string
    serialNumber?: string
    enterpriseSpecificId?: string
  }
  softwareInfo?: { androidVersion?: string; securityPatchLevel?: string }
}

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.devices.operations */
export type WireOperation = {
  name?: string
  done?: boolean
  /** The command, with `@type`. */
  metadata?: WireCommand
  error?: { code?: number; message?: string }
  response?: Record<string, unknown>
}

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand */
export type WireCommand = {
  type?: string
  /** `604800s` */
  duration?: string
  createTime?: string
  errorCode?: string
  newPassword?: string
  resetPasswordFlags?: string[]
  clearAppsDataParams?: { packageNames: string[] }
  clearAppsDataStatus?: { results?: Record<string, { clearingResult?: string }> }
  wipeParams?: { wipeDataFlags?: string[] }
}

export type WireMessage = {
  message_id: string
  /** `ENROLLMENT`, `STATUS_REPORT`, `COMMAND`, …; undefined when the message says nothing. */
  notification_type: string | undefined
  /** Parsed JSON; undefined when it is none. */
  data: unknown
}
export type PulledMessage = WireMessage & { ack_id: string }

export type NewEnrollmentToken = {
  policyName: string
  duration: string
  oneTimeOnly: boolean
  allowPersonalUsage: 'PERSONAL_USAGE_ALLOWED' | 'PERSONAL_USAGE_DISALLOWED'
  /** Comes back with the device as `enrollmentTokenData`. */
  additionalData: string
}
export type WireEnrollmentToken = {
  name: string
  value: string
  /** JSON, as text. */
  qrCode: string
  expirationTimestamp: string
}

export type AndroidManagement = {
  /** The Google Cloud project that requests are made for. */
  projectId(): Promise<Answer<string>>
  createSignupUrl(callbackUrl: string): Promise<Answer<{ name: string; url: string }>>
  /** Its notifications go to the topic of this installation. */
  createEnterprise(given: {
    signup_url_name: string
    enterprise_token: string
  }): Promise<Answer<{ name: string; enterpriseDisplayName?: string }>>
  /** The whole policy. @returns the provider's number of its version */
  patchPolicy(name: string, policy: object): Promise<Answer<{ version: number }>>
  createEnrollmentToken(
    enterprise: string,
    token: NewEnrollmentToken,
  ): Promise<Answer<WireEnrollmentToken>>
  getDevice(name: string): Promise<Answer<WireDevice>>
  /** Up to 100 a page. */
  listDevices(
    enterprise: string,
    pageToken: string | undefined,
  ): Promise<Answer<{ devices: WireDevice[]; nextPageToken?: string }>>
  assignPolicy(device: string, policyName: string): Promise<Answer<object>>
  /** Wipes what is managed, and unenrols. */
  deleteDevice(name: string): Promise<Answer<object>>
  issueCommand(device: string, command: WireCommand): Promise<Answer<WireOperation>>
  getOperation(name: string): Promise<Answer<WireOperation>>
  /** The newest first. */
  listOperations(device: string): Promise<Answer<WireOperation[]>>
  /** Waits at the provider's discretion; an empty list when there was nothing. */
  pull(max: number, signal: AbortSignal): Promise<Answer<PulledMessage[]>>
  acknowledge(ackIds: readonly string[]): Promise<Answer<object>>
}
