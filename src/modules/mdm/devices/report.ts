/**
 * Reads what the provider says of a device. Total: whatever comes, members that are not what they
 * should be count as not said, and texts and lists have a limit.
 */

import { isUuid } from '../../../platform/ids.ts'
import type {
  DeviceState,
  ManagementMode,
  NonComplianceDetail,
  Ownership,
} from '../../../platform/postgres/tables/mdm.ts'
import { DEVICE_STATES, OWNERSHIPS } from '../../../platform/postgres/tables/mdm.ts'

/** A setting that the device does not comply with, as it was reported. */
export type ReportedDetail = Omit<NonComplianceDetail, 'first_seen_at' | 'grace_period_expires_at'>

/** Null: the report does not say. */
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
  /** `lastStatusReportTime`, which orders reports. */
  reported_at: Date | null
  token_id: string | null
  token_name: string | null
  /** Names that the same phone had before, the latest last. */
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
 * @returns undefined when it cannot be told which device it is about
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
    ownership: lowerCased(OWNERSHIPS, device['ownership']),
    policy_name: textOf(device['policyName']),
    applied_policy_name: textOf(device['appliedPolicyName']),
    applied_policy_version: countOf(device['appliedPolicyVersion'], Number.MAX_SAFE_INTEGER),
    // The wire leaves out what is false.
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

/** What a detail is known by from one report to the next. */
export const detailKey = (detail: ReportedDetail): string =>
  JSON.stringify([detail.setting_name, detail.package_name, detail.field_path])

/** The device still works on it by itself. */
export const isInProgress = (detail: ReportedDetail): boolean =>
  detail.reason === 'PENDING' || detail.installation_failure_reason === 'IN_PROGRESS'

/** @returns undefined when the name is not that of a policy of this enterprise under an id of ours */
export function policyIdOf(enterprise: string, policyName: string | null): string | undefined {
  const prefix = `${enterprise}/policies/`
  if (policyName === null || !policyName.startsWith(prefix)) return undefined
  const id = policyName.slice(prefix.length)
  return isUuid(id) ? id.toLowerCase() : undefined
}

/** A device that is being deleted says so in either place. */
function stateOf(device: Members): DeviceState | null {
  const wanted = lowerCased(DEVICE_STATES, device['state'])
  const applied = lowerCased(DEVICE_STATES, device['appliedState'])
  if (wanted === 'deleted' || applied === 'deleted') return 'deleted'
  return wanted ?? applied
}

/**
 * Each once, in an order of their own, whatever the order in the report; of very many those are kept
 * that the device does not work on any more.
 */
function detailsOf(value: unknown): ReportedDetail[] {
  if (!Array.isArray(value)) return []
  const sorted = value
    .flatMap((given) => detailOf(given) ?? [])
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
  const given = membersOf(value)
  const setting_name = textOf(given['settingName'])
  if (setting_name === null) return undefined
  return {
    setting_name,
    field_path: textOf(given['fieldPath']),
    package_name: textOf(given['packageName']),
    reason: textOf(given['nonComplianceReason']) ?? 'NON_COMPLIANCE_REASON_UNSPECIFIED',
    specific_reason: textOf(given['specificNonComplianceReason']),
    installation_failure_reason: textOf(given['installationFailureReason']),
  }
}

/** `additionalData` of our enrolment tokens: `{"token_id": "<uuid>"}`. */
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

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

/** What the database can store: without NUL, and without half characters. Empty is not said. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  const text = value.slice(0, TEXT_MAX_CHARS).replaceAll('\0', '').toWellFormed()
  return text === '' ? null : text
}

function lowerCased<T extends string>(values: readonly T[], value: unknown): T | null {
  if (typeof value !== 'string') return null
  return values.find((known) => known === value.toLowerCase()) ?? null
}

const memberOf = <T>(values: Readonly<Record<string, T>>, value: unknown): T | null =>
  typeof value === 'string' && Object.hasOwn(values, value) ? (values[value] ?? null) : null

/** A number, or one in a text, as 64-bit integers are sent. */
function countOf(value: unknown, max: number): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max
    ? number
    : null
}

const INSTANT = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** RFC 3339. In UTC the year may have five digits, which the database does not take for one. */
function timeOf(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null
  const time = new Date(value)
  return time.getTime() < YEAR_10000_MS ? time : null
}

const YEAR_10000_MS = Date.UTC(10_000, 0)
