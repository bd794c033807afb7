/**
 * Parses the provider's report of a device. Parsing never fails: malformed members count as missing, and
 * texts and lists are truncated.
 */
import { isUuid } from '../../../platform/ids.ts'
import { membersOf } from '../providers/messages.ts'
import {
  DEVICE_STATES,
  type DeviceState,
  type ManagementMode,
  type NonComplianceDetail,
  OWNERSHIPS,
  type Ownership,
} from '../tables.ts'

/** A reported setting that the device does not comply with. */
export type ReportedDetail = Omit<NonComplianceDetail, 'first_seen_at' | 'grace_period_expires_at'>

/** A member is null when the report does not contain it. */
export type DeviceReport = {
  /** `enterprises/…/devices/…` */
  name: string
  enterprise: string
  state: DeviceState | null
  management_mode: ManagementMode | null
  ownership: Ownership | null
  policy_name: string | null
  applied_policy_name: string | null
  applied_policy_version: number | null
  policy_compliant: boolean
  details: ReportedDetail[]
  enrolled_at: Date | null
  /** The member `lastStatusReportTime`, by which reports are ordered. */
  reported_at: Date | null
  token_id: string | null
  token_name: string | null
  /** Previous names of the same phone, latest last. */
  previous_names: string[]
  api_level: number | null
  brand: string | null
  model: string | null
  manufacturer: string | null
  serial_number: string | null
  enterprise_specific_id: string | null
  os_version: string | null
  security_patch_level: string | null
}

const TEXT_MAX_CHARS = 512
const DETAILS_MAX = 200
const PREVIOUS_NAMES_MAX = 20
const API_LEVEL_MAX = 10_000

const DEVICE_NAME = /^(enterprises\/[^/\s]{1,128})\/devices\/[^/\s]{1,128}$/

const MODES: Readonly<Record<string, ManagementMode>> = {
  DEVICE_OWNER: 'fully_managed',
  PROFILE_OWNER: 'work_profile',
}

/**
 * https://developers.google.com/android/management/reference/rest/v1/enterprises.devices
 *
 * @returns undefined without a valid name of a device
 */
export function readReport(wire: unknown): DeviceReport | undefined {
  const device = membersOf(wire)
  const name = textOf(device['name'])
  const enterprise = name === null ? undefined : DEVICE_NAME.exec(name)?.[1]
  if (name === null || enterprise === undefined) return undefined
  const hardware = membersOf(device['hardwareInfo'])
  const software = membersOf(device['softwareInfo'])
  return {
    name,
    enterprise,
    state: stateOf(device),
    management_mode: memberOf(MODES, device['managementMode']),
    ownership: lowerCaseOf(OWNERSHIPS, device['ownership']),
    policy_name: textOf(device['policyName']),
    applied_policy_name: textOf(device['appliedPolicyName']),
    applied_policy_version: countOf(device['appliedPolicyVersion'], Number.MAX_SAFE_INTEGER),
    // The wire format omits members that are false.
    policy_compliant: device['policyCompliant'] === true,
    details: detailsOf(device['nonComplianceDetails']),
    enrolled_at: timeOf(device['enrollmentTime']),
    reported_at: timeOf(device['lastStatusReportTime']),
    token_id: tokenIdOf(device['enrollmentTokenData']),
    token_name: textOf(device['enrollmentTokenName']),
    previous_names: namesOf(device['previousDeviceNames'], enterprise, name),
    api_level: countOf(device['apiLevel'], API_LEVEL_MAX),
    brand: textOf(hardware['brand']),
    model: textOf(hardware['model']),
    manufacturer: textOf(hardware['manufacturer']),
    serial_number: textOf(hardware['serialNumber']),
    enterprise_specific_id: textOf(hardware['enterpriseSpecificId']),
    os_version: textOf(software['androidVersion']),
    security_patch_level: textOf(software['securityPatchLevel']),
  }
}

/** Identifies a detail across reports. */
export const detailKey = (detail: ReportedDetail): string =>
  JSON.stringify([detail.setting_name, detail.package_name, detail.field_path])

/** The device is still applying the change on its own. */
export const isInProgress = (detail: ReportedDetail): boolean =>
  detail.reason === 'PENDING' || detail.installation_failure_reason === 'IN_PROGRESS'

/** @returns undefined unless the policy belongs to the enterprise and is named after an id of ours */
export function policyIdOf(enterprise: string, policyName: string | null): string | undefined {
  const prefix = `${enterprise}/policies/`
  if (policyName === null || !policyName.startsWith(prefix)) return undefined
  const id = policyName.slice(prefix.length)
  return isUuid(id) ? id.toLowerCase() : undefined
}

/** A device that is being deleted reports it in either member. */
function stateOf(device: Readonly<Record<string, unknown>>): DeviceState | null {
  const desired = lowerCaseOf(DEVICE_STATES, device['state'])
  const applied = lowerCaseOf(DEVICE_STATES, device['appliedState'])
  if (desired === 'deleted' || applied === 'deleted') return 'deleted'
  return desired ?? applied
}

/**
 * Returns each detail once, in an order that does not depend on the report. If there are too many, those
 * that the device is still working on are dropped first.
 */
function detailsOf(value: unknown): ReportedDetail[] {
  if (!Array.isArray(value)) return []
  const sorted = value
    .flatMap((each) => detailOf(each) ?? [])
    .map((detail) => ({ detail, rank: `${isInProgress(detail) ? 1 : 0}${JSON.stringify(detail)}` }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const byKey = new Map<string, ReportedDetail>()
  for (const { detail } of sorted) {
    const key = detailKey(detail)
    if (!byKey.has(key)) byKey.set(key, detail)
    if (byKey.size === DETAILS_MAX) break
  }
  return [...byKey.values()]
}

function detailOf(value: unknown): ReportedDetail | undefined {
  const detail = membersOf(value)
  const setting_name = textOf(detail['settingName'])
  if (setting_name === null) return undefined
  return {
    setting_name,
    field_path: textOf(detail['fieldPath']),
    package_name: textOf(detail['packageName']),
    reason: textOf(detail['nonComplianceReason']) ?? 'NON_COMPLIANCE_REASON_UNSPECIFIED',
    specific_reason: textOf(detail['specificNonComplianceReason']),
    installation_failure_reason: textOf(detail['installationFailureReason']),
  }
}

/** The member `additionalData` of our enrollment tokens is `{"token_id": "<uuid>"}`. */
function tokenIdOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 1024) return null
  try {
    const id = membersOf(JSON.parse(value))['token_id']
    return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null
  } catch {
    return null
  }
}

function namesOf(value: unknown, enterprise: string, ownName: string): string[] {
  if (!Array.isArray(value)) return []
  const names = value.filter(
    (name): name is string =>
      typeof name === 'string' &&
      DEVICE_NAME.exec(name)?.[1] === enterprise &&
      name !== ownName &&
      textOf(name) === name,
  )
  return names.slice(-PREVIOUS_NAMES_MAX)
}

/** PostgreSQL stores neither NUL nor lone surrogates. An empty text counts as missing. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  const text = value.slice(0, TEXT_MAX_CHARS).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

function lowerCaseOf<T extends string>(values: readonly T[], value: unknown): T | null {
  if (typeof value !== 'string') return null
  return values.find((known) => known === value.toLowerCase()) ?? null
}

const memberOf = <T>(values: Readonly<Record<string, T>>, value: unknown): T | null =>
  typeof value === 'string' && Object.hasOwn(values, value) ? (values[value] ?? null) : null

/** Takes a number or a text of digits, because JSON carries 64-bit integers as texts. */
function countOf(value: unknown, max: number): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max
    ? number
    : null
}

const INSTANT = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** RFC 3339. A conversion to UTC can produce a year of five digits, which the database rejects. */
function timeOf(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null
  const time = new Date(value)
  return time.getTime() < YEAR_10000_MS ? time : null
}

const YEAR_10000_MS = Date.UTC(10_000, 0)
