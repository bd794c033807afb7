/** The enrollment of a phone: it is set up with an enrollment token and becomes a device. */
import { randomUUID } from 'node:crypto'
import { ApiError, invalid } from '../google-errors.ts'
import type { EnrollRequest } from './control-schema.ts'
import { type Core, DIGITS, HEX, nextSeq, randomText, UPPER_CASE } from './core.ts'
import { findPolicy } from './policies.ts'
import { hardwareOf, reportOf } from './reports.ts'
import type { Device, EnrollmentToken, ManagementMode, Ownership } from './resources.ts'
import type { Phone } from './state.ts'
import { findActiveToken, valueInQrCode } from './tokens.ts'

const DEFAULT_REACTION_MS = 500
const DEFAULT_ANDROID = '15'
const OLDEST_API_LEVEL = 23
/** From this version on, the API level rises by one with each version of Android. */
const FIRST_REGULAR = { version: 13, api_level: 33 }
const EARLIER_API_LEVELS: Readonly<Record<string, number>> = {
  '6': 23,
  '7': 24,
  '8': 26,
  '9': 28,
  '10': 29,
  '11': 30,
  '12': 31,
}

/** Enrolls a phone and publishes an ENROLLMENT notification. */
export function enroll(core: Core, request: EnrollRequest): Phone {
  const value = request.token_value ?? valueInQrCode(request.qr_content ?? '')
  if (value === undefined) throw invalid('token_value or the qr_content of a token is required')
  const found = findActiveToken(core, value)
  if (found === undefined) {
    throw new ApiError('FAILED_PRECONDITION', 'The token is unknown, used or expired.')
  }
  const { enterprise, stored } = found
  const managed = setupOf(stored.token, request.ownership)
  const phone = phoneFor(core, request, managed)
  const id = randomText(HEX, 16)
  phone.enterprise_id = enterprise.id
  phone.device_id = id
  core.state.phones_of_devices.set(id, phone.id)
  stored.is_used = true
  const first = firstResource(
    phone,
    `${enterprise.resource.name}/devices/${id}`,
    stored.token,
    core,
  )
  const policy = findPolicy(enterprise, first.policyName)
  const { lastStatusReportTime: _none, ...resource } = reportOf(phone, first, policy, core.now())
  enterprise.devices.set(id, {
    seq: nextSeq(core.state),
    phone_id: phone.id,
    resource,
    pending: [],
    operations: [],
  })
  core.touch()
  core.notify(enterprise, 'ENROLLMENT', resource)
  core.wake(phone)
  return phone
}

type Managed = { ownership: Ownership; management_mode: ManagementMode }

/** https://developers.google.com/android/management/provision-device */
function setupOf(
  { allowPersonalUsage }: EnrollmentToken,
  requested: Ownership | undefined,
): Managed {
  const isAllowed = allowPersonalUsage === 'PERSONAL_USAGE_ALLOWED'
  const isDisallowed = !isAllowed && allowPersonalUsage?.startsWith('PERSONAL_USAGE_DISALLOWED')
  const ownership = requested ?? (isAllowed ? 'PERSONALLY_OWNED' : 'COMPANY_OWNED')
  if (isDisallowed && ownership === 'PERSONALLY_OWNED') {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'The token disallows personal usage: a personally owned phone cannot be set up with it.',
    )
  }
  const hasProfile = isAllowed || ownership === 'PERSONALLY_OWNED'
  return { ownership, management_mode: hasProfile ? 'PROFILE_OWNER' : 'DEVICE_OWNER' }
}

/** Returns the phone with the serial number, which must not be managed, or a new one. */
function phoneFor(core: Core, request: EnrollRequest, managed: Managed): Phone {
  const serial_number =
    request.serial_number ?? `${randomText(DIGITS, 5)}${randomText(UPPER_CASE, 5)}`
  const known = core.state.phones.get(core.state.phones_of_serials.get(serial_number) ?? '')
  if (known?.device_id) {
    throw new ApiError(
      'FAILED_PRECONDITION',
      `The phone ${serial_number} is managed already; reset it first.`,
    )
  }
  const initial = {
    ...managed,
    is_silent: request.is_silent ?? false,
    is_automatic: request.is_automatic ?? true,
    reaction_ms: request.reaction_ms ?? DEFAULT_REACTION_MS,
    applied_state: 'PROVISIONING' as const,
    applied_policy: null,
    violations: [],
  }
  if (known) return Object.assign(known, initial)
  const android_version = request.android_version ?? DEFAULT_ANDROID
  const phone: Phone = {
    id: randomUUID(),
    enterprise_id: null,
    device_id: null,
    brand: request.brand ?? 'Google',
    model: request.model ?? 'Pixel 9',
    serial_number,
    imei: randomText(DIGITS, 15),
    wifi_mac_address: `02:${Array.from({ length: 5 }, () => randomText(HEX, 2)).join(':')}`,
    android_version,
    api_level: apiLevelOf(android_version),
    security_patch_level: request.security_patch_level ?? '2026-01-05',
    previous_device_names: [],
    ...initial,
  }
  core.state.phones.set(phone.id, phone)
  core.state.phones_of_serials.set(serial_number, phone.id)
  return phone
}

function apiLevelOf(version: string): number {
  const [major = ''] = version.split('.')
  const regular = FIRST_REGULAR.api_level + Number(major) - FIRST_REGULAR.version
  const isRegular = regular >= FIRST_REGULAR.api_level
  return EARLIER_API_LEVELS[major] ?? (isRegular ? regular : OLDEST_API_LEVEL)
}

function firstResource(phone: Phone, name: string, token: EnrollmentToken, core: Core): Device {
  const [, enterpriseId = ''] = name.split('/')
  const before = phone.previous_device_names.filter((each) =>
    each.startsWith(`enterprises/${enterpriseId}/`),
  )
  const hasUser = token.allowPersonalUsage !== 'PERSONAL_USAGE_DISALLOWED_USERLESS'
  return {
    name,
    ...(hasUser && { userName: `enterprises/${enterpriseId}/users/1${randomText(DIGITS, 20)}` }),
    managementMode: phone.management_mode,
    ownership: phone.ownership,
    state: 'PROVISIONING',
    appliedState: 'PROVISIONING',
    policyName: token.policyName,
    enrollmentTime: core.now().toISOString(),
    enrollmentTokenName: token.name,
    ...(token.additionalData && { enrollmentTokenData: token.additionalData }),
    ...(before.length > 0 && { previousDeviceNames: before }),
    apiLevel: phone.api_level,
    hardwareInfo: hardwareOf(phone, enterpriseId),
    securityPosture: { devicePosture: 'SECURE' },
  }
}
