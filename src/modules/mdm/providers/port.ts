/**
 * The interface to a provider that manages Android devices. Messages have the member names of the Android
 * Management API (https://developers.google.com/android/management/reference/rest) and are untrusted:
 * any member can be missing or have another type.
 */
export type ProviderFault = {
  /**
   * `rate_limited`: too many requests. `refused`: the account lacks the permission. `rejected`: the
   * request is invalid. `not_found`: the provider does not have the resource. `unavailable`: the
   * provider is down, broken, too slow, or not connected.
   */
  kind: 'rate_limited' | 'refused' | 'rejected' | 'not_found' | 'unavailable'
  /** One sentence for users; it never contains a credential. */
  message: string
  retry_after_s?: number
  /** The request may have been carried out although it failed. */
  is_ambiguous: boolean
}

/** The methods of the port return faults and never throw. */
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
  /** An int64 in decimal digits. */
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
  /** The command, with a member `@type`. */
  metadata?: WireCommand
  error?: { code?: number; message?: string }
  response?: Record<string, unknown>
}

/** https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand */
export type WireCommand = {
  type?: string
  /** For example `604800s`. */
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
  /** `ENROLLMENT`, `STATUS_REPORT`, `COMMAND`, …; undefined when the message does not have it. */
  notification_type: string | undefined
  /** The parsed JSON; undefined when it is invalid. */
  data: unknown
}
export type PulledMessage = WireMessage & { ack_id: string }

export type NewEnrollmentToken = {
  policyName: string
  duration: string
  oneTimeOnly: boolean
  allowPersonalUsage: 'PERSONAL_USAGE_ALLOWED' | 'PERSONAL_USAGE_DISALLOWED'
  /** Returned with the device as `enrollmentTokenData`. */
  additionalData: string
}
export type WireEnrollmentToken = {
  name: string
  value: string
  /** A JSON text. */
  qrCode: string
  expirationTimestamp: string
}

export type AndroidManagement = {
  /** The Google Cloud project that requests are made for. */
  projectId(): Promise<Answer<string>>
  createSignupUrl(callbackUrl: string): Promise<Answer<{ name: string; url: string }>>
  /** The notifications of the enterprise go to the topic of this installation. */
  createEnterprise(request: {
    signup_url_name: string
    enterprise_token: string
  }): Promise<Answer<{ name: string; enterpriseDisplayName?: string }>>
  /** Replaces the whole policy. @returns the provider's version number of it */
  patchPolicy(name: string, policy: object): Promise<Answer<{ version: number }>>
  createEnrollmentToken(
    enterprise: string,
    token: NewEnrollmentToken,
  ): Promise<Answer<WireEnrollmentToken>>
  /** Devices that enrolled with the token stay enrolled. A token that no longer works is `not_found`. */
  deleteEnrollmentToken(name: string): Promise<Answer<object>>
  getDevice(name: string): Promise<Answer<WireDevice>>
  /** Returns up to 100 devices per page. */
  listDevices(
    enterprise: string,
    pageToken: string | undefined,
  ): Promise<Answer<{ devices: WireDevice[]; nextPageToken?: string }>>
  assignPolicy(device: string, policyName: string): Promise<Answer<object>>
  /** Wipes the managed data and unenrolls the device. */
  deleteDevice(name: string): Promise<Answer<object>>
  issueCommand(device: string, command: WireCommand): Promise<Answer<WireOperation>>
  getOperation(name: string): Promise<Answer<WireOperation>>
  /** Newest first. */
  listOperations(device: string): Promise<Answer<WireOperation[]>>
  /** Waits for messages for as long as the provider chooses; the list may be empty. */
  pull(max: number, signal: AbortSignal): Promise<Answer<PulledMessage[]>>
  acknowledge(ackIds: readonly string[]): Promise<Answer<object>>
  /** Delivers the messages again unless they are acknowledged within this time; 0: immediately. */
  modifyAckDeadline(ackIds: readonly string[], seconds: number): Promise<Answer<object>>
}
