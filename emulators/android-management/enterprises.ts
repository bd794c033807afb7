/**
 * Sign-up and enterprises: an administrator completes the page of a sign-up URL and returns with a
 * token, which creates one enterprise
 * (https://developers.google.com/android/management/create-enterprise).
 */

import { ApiError, found, invalid } from '../google-errors.ts'
import {
  type Core,
  DIGITS,
  getEnterprise,
  HEX,
  LOWER_CASE_AND_DIGITS,
  randomText,
  wakePhone,
} from './core.ts'
import { applyUpdate } from './masks.ts'
import type { Call, Method } from './method.ts'
import { mayPublish } from './pubsub.ts'
import type { Enterprise, Json } from './resources.ts'
import { PROJECT, type Signup } from './state.ts'

const MAX_DISPLAY_NAME = 100
/** Members that only the server sets. */
const OUTPUT_ONLY = ['name', 'enterpriseType', 'managedGooglePlayAccountsEnterpriseType']

export const ENTERPRISE_METHODS: Readonly<Record<string, Method>> = {
  'signupUrls.create': createSignup,
  'enterprises.create': createEnterprise,
  'enterprises.get': (core, { ids }) => getEnterprise(core, ids[0] ?? '').resource,
  'enterprises.patch': patchEnterprise,
  'enterprises.delete': deleteEnterprise,
}

function createSignup(core: Core, { query }: Call): Json {
  requireProject(query.get('projectId'))
  const callback_url = query.get('callbackUrl') ?? ''
  if (!URL.canParse(callback_url) || !/^https?:/.test(callback_url)) {
    throw invalid('Request contains an invalid argument. callback_url must be an absolute URL')
  }
  const id = `C${randomText(HEX, 16)}`
  core.state.signups.set(id, {
    id,
    callback_url,
    display_name: null,
    enterprise_token: null,
    is_used: false,
  })
  return { name: `signupUrls/${id}`, url: `${core.url()}/signup/${id}` }
}

export const getSignup = ({ state }: Core, id: string): Signup => found(state.signups.get(id))

/** Records the consent of the administrator. @returns the callback URL with the enterprise token */
export function completeSignup(core: Core, id: string, displayName: string | undefined): string {
  const signup = getSignup(core, id)
  signup.enterprise_token ??= `EE${randomText(LOWER_CASE_AND_DIGITS, 40)}`
  signup.display_name = displayName?.trim() || signup.display_name
  core.touch()
  const url = new URL(signup.callback_url)
  url.searchParams.set('enterpriseToken', signup.enterprise_token)
  return url.href
}

function createEnterprise(core: Core, { query, body }: Call): Json {
  requireProject(query.get('projectId'))
  const [, id = ''] = /^signupUrls\/(.+)$/.exec(query.get('signupUrlName') ?? '') ?? []
  const signup = core.state.signups.get(id)
  const token = query.get('enterpriseToken')
  if (signup === undefined || token === null || signup.enterprise_token !== token) {
    throw invalid('Request contains an invalid argument. The enterprise token is not valid')
  }
  if (signup.is_used) {
    throw invalid('Request contains an invalid argument. The enterprise token was used already')
  }
  const enterpriseId = `LC${randomText(DIGITS, 2)}${randomText(LOWER_CASE_AND_DIGITS, 6)}`
  const resource: Enterprise = {
    ...(signup.display_name !== null && { enterpriseDisplayName: signup.display_name }),
    ...body,
    name: `enterprises/${enterpriseId}`,
    enterpriseType: 'MANAGED_GOOGLE_PLAY_ACCOUNTS_ENTERPRISE',
    managedGooglePlayAccountsEnterpriseType: 'CUSTOMER_MANAGED',
  }
  checkEnterprise(core, resource)
  signup.is_used = true
  const enterprise = {
    id: enterpriseId,
    resource,
    policies: new Map(),
    tokens: new Map(),
    devices: new Map(),
    deleted: new Map(),
  }
  core.state.enterprises.set(enterpriseId, enterprise)
  if (resource.pubsubTopic !== undefined) core.notify(enterprise, 'test', undefined)
  return resource
}

function patchEnterprise(core: Core, { ids, query, body }: Call): Json {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  const before = enterprise.resource
  const after = applyUpdate(before, body, query.get('updateMask'), OUTPUT_ONLY) as Enterprise
  checkEnterprise(core, after)
  enterprise.resource = after
  const isNewTopic = after.pubsubTopic !== before.pubsubTopic
  if (isNewTopic && after.pubsubTopic !== undefined) core.notify(enterprise, 'test', undefined)
  return after
}

/** Deletes the devices too; their phones notice at their next check-in. */
function deleteEnterprise(core: Core, { ids }: Call): Json {
  const enterprise = getEnterprise(core, ids[0] ?? '')
  core.state.enterprises.delete(enterprise.id)
  for (const { token } of enterprise.tokens.values()) core.state.token_values.delete(token.value)
  for (const { phone_id } of enterprise.devices.values()) wakePhone(core, phone_id)
  return {}
}

function checkEnterprise(core: Core, { enterpriseDisplayName, pubsubTopic }: Enterprise): void {
  if ((enterpriseDisplayName ?? '').length > MAX_DISPLAY_NAME) {
    throw invalid('Request contains an invalid argument. enterprise_display_name is too long')
  }
  if (pubsubTopic === undefined || pubsubTopic === '') return
  if (!mayPublish(core, pubsubTopic)) {
    throw invalid(
      `Request contains an invalid argument. The topic ${pubsubTopic} does not exist, or android-cloud-policy@system.gserviceaccount.com may not publish to it`,
    )
  }
}

function requireProject(project: string | null): void {
  if (project === PROJECT) return
  throw new ApiError(
    'PERMISSION_DENIED',
    `The caller does not have permission for the project ${project ?? ''}`,
  )
}
