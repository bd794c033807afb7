/** Enrollment tokens, by which phones are enrolled. */

import { invalid, notFound } from '../google-errors.ts'
import { type Core, getEnterprise, nextSeq, randomText, secondsOf, UPPER_CASE } from './core.ts'
import type { Call, Method } from './method.ts'
import { pageOf } from './paging.ts'
import { policyNameOf } from './policies.ts'
import type { EnrollmentToken, Json } from './resources.ts'
import type { EnterpriseRecord, TokenRecord } from './state.ts'

const DEFAULT_DURATION = '3600s'
const MIN_SECONDS = 60
const MAX_ADDITIONAL_DATA = 1_024
const VALUE_LENGTH = 20
/** The latest time of a timestamp in Google's APIs. */
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59Z')

export const TOKEN_METHODS: Readonly<Record<string, Method>> = {
  'enterprises.enrollmentTokens.create': createToken,
  'enterprises.enrollmentTokens.get': (core, { ids }) =>
    partOf(getToken(core, getEnterprise(core, ids[0] ?? ''), ids[1] ?? '').token),
  'enterprises.enrollmentTokens.list': (core, { ids, query }) => {
    const tokens = [...getEnterprise(core, ids[0] ?? '').tokens.values()]
    const active = tokens.filter((stored) => isActive(stored, core.now()))
    const { page, ...rest } = pageOf(active, query)
    return { enrollmentTokens: page.map(({ token }) => partOf(token)), ...rest }
  },
  'enterprises.enrollmentTokens.delete': (core, { ids }) => {
    const enterprise = getEnterprise(core, ids[0] ?? '')
    const { token } = getToken(core, enterprise, ids[1] ?? '')
    enterprise.tokens.delete(ids[1] ?? '')
    core.state.token_values.delete(token.value)
    return {}
  },
}

function createToken(core: Core, { ids, body }: Call): EnrollmentToken {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const requested = body as Partial<EnrollmentToken>
  const duration = requested.duration ?? DEFAULT_DURATION
  const seconds = secondsOf(duration)
  if (seconds < MIN_SECONDS) {
    throw invalid('Request contains an invalid argument. duration must be at least 1 minute')
  }
  if ((requested.additionalData ?? '').length > MAX_ADDITIONAL_DATA) {
    throw invalid(
      `Request contains an invalid argument. additional_data must be ${MAX_ADDITIONAL_DATA} characters or less`,
    )
  }
  const value = randomText(UPPER_CASE, VALUE_LENGTH)
  const id = randomText(`${UPPER_CASE}${UPPER_CASE.toLowerCase()}`, 22)
  const expiresAtMs = Math.min(core.now().getTime() + seconds * 1_000, LAST_INSTANT_MS)
  const token: EnrollmentToken = {
    name: `${enterprise.resource.name}/enrollmentTokens/${id}`,
    value,
    qrCode: qrCodeOf(value),
    expirationTimestamp: new Date(expiresAtMs).toISOString(),
    policyName: policyNameOf(enterprise, requested.policyName),
    duration,
    ...(requested.allowPersonalUsage && { allowPersonalUsage: requested.allowPersonalUsage }),
    ...(requested.oneTimeOnly && { oneTimeOnly: true }),
    ...(requested.additionalData && { additionalData: requested.additionalData }),
  }
  enterprise.tokens.set(id, { seq: nextSeq(core.state), token, is_used: false })
  core.state.token_values.set(value, { enterprise_id: enterprise.id, token_id: id })
  return token
}

/** @returns the token with which a phone can enroll; undefined when it is unknown, used or expired */
export function findActiveToken(
  core: Core,
  value: string,
): { enterprise: EnterpriseRecord; stored: TokenRecord } | undefined {
  const at = core.state.token_values.get(value)
  const enterprise = at && core.state.enterprises.get(at.enterprise_id)
  const stored = at && enterprise?.tokens.get(at.token_id)
  if (enterprise === undefined || stored === undefined) return undefined
  return isActive(stored, core.now()) ? { enterprise, stored } : undefined
}

/** @returns the token value in a QR code; undefined when the code is not an enrollment code */
export function valueInQrCode(text: string): string | undefined {
  try {
    const extras = JSON.parse(text) as Record<string, Json | undefined>
    const value = extras[`${EXTRA}ADMIN_EXTRAS_BUNDLE`]?.[TOKEN_EXTRA]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function getToken(core: Core, enterprise: EnterpriseRecord, id: string): TokenRecord {
  const stored = enterprise.tokens.get(id)
  if (stored === undefined || !isActive(stored, core.now())) throw notFound()
  return stored
}

const isActive = ({ token, is_used }: TokenRecord, now: Date): boolean =>
  !(is_used && token.oneTimeOnly === true) && Date.parse(token.expirationTimestamp) > now.getTime()

/** The members of a token that `get` and `list` return. */
const partOf = (token: EnrollmentToken) => {
  const { name, expirationTimestamp, allowPersonalUsage, value, qrCode } = token
  const usage = allowPersonalUsage && { allowPersonalUsage }
  return { name, expirationTimestamp, ...usage, value, qrCode }
}

const EXTRA = 'android.app.extra.PROVISIONING_'
const TOKEN_EXTRA = 'com.google.android.apps.work.clouddpc.EXTRA_ENROLLMENT_TOKEN'

/** https://developers.google.com/android/management/provision-device#qr_code_method */
const qrCodeOf = (value: string): string =>
  JSON.stringify({
    [`${EXTRA}DEVICE_ADMIN_COMPONENT_NAME`]:
      'com.google.android.apps.work.clouddpc/.receivers.CloudDeviceAdminReceiver',
    [`${EXTRA}DEVICE_ADMIN_SIGNATURE_CHECKSUM`]: 'I5YvS0O5hXY46mb01BlRjq4oJJGs2kuUcHvVkAPEXlg',
    [`${EXTRA}DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION`]:
      'https://play.google.com/managed/downloadManagingApp?identifier=setup',
    [`${EXTRA}ADMIN_EXTRAS_BUNDLE`]: { [TOKEN_EXTRA]: value },
  })
