/** A valid request for every route that a signed-in user may call. */
import { HOUR_MS } from '../../src/platform/time-units.ts'
import type { Request } from '../harness.ts'
import { CALLBACK } from './mdm-fleet.ts'
import type { PortalOrganization } from './portal-organization.ts'

type Input = { query?: Record<string, string>; body?: Record<string, unknown> }
type CreateInput = (id: (name: string) => string) => Input

const now = Date.now()
const PERIOD = { from: '2026-03-01', to: '2026-03-31', time_zone: 'Europe/Berlin' }
const window = {
  from: new Date(now - 24 * HOUR_MS).toISOString(),
  to: new Date(now).toISOString(),
}
const condition = { level: 'error', threshold: '5', window_minutes: '10' }
const inApplication: CreateInput = (id) => ({ query: { application_id: id('application_id') } })
const LOCK = { body: { type: 'LOCK' } }

const PORTAL = {
  name: 'Acme',
  events: ['order.fraud.detected'],
  filter: null,
  endpoints_max: 3,
  allowed_origins: [],
}
const passkey = { id: 'AA', rawId: 'AA', type: 'public-key', clientExtensionResults: {} }
const passkeyResponse = { ...passkey, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }
const passkeyAssertion = {
  ...passkey,
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
}

/** Input of each route in addition to the organization. Routes without further input are not listed. */
const REQUESTS: Record<string, CreateInput> = {
  'POST /console/api/checks': () => ({ body: { mode: 'test', email: 'a@example.com' } }),
  'POST /console/api/checks/:id/phone-report': () => ({ body: { outcome: 'fraud' } }),
  'GET /console/api/cashiers/:cashier_id/timeline': () => ({
    query: { start_date: window.from, end_date: window.to },
  }),
  'GET /console/api/cashiers/peers': () => ({
    query: { location: 'Main Street', action_type: 'void' },
  }),
  'GET /console/api/edge/alerts/preview': () => ({ query: condition }),
  'PUT /console/api/edge/alerts/:id': () => ({
    body: { name: 'Errors', condition: {}, threshold: 5, window_minutes: 10 },
  }),
  'POST /console/api/edge/alerts/:id/mute': () => ({ body: { minutes: 60 } }),
  'GET /console/api/edge/device': () => ({ query: { device_id: 'till-1' } }),
  'GET /console/api/edge/device/errors': () => ({ query: { device_id: 'till-1' } }),
  'GET /console/api/edge/query': () => ({ query: { q: 'print* level:error' } }),
  'GET /console/api/edge/suggestions': () => ({ query: { q: 'printer' } }),
  'GET /console/api/edge/values': () => ({ query: { field: 'device_id' } }),
  'GET /console/api/edge/series': () => ({ query: { field: 'level' } }),
  'GET /console/api/edge/errors/states': () => ({ query: { fingerprints: 'ab'.repeat(16) } }),
  'PATCH /console/api/edge/errors/:fingerprint/state': () => ({ body: { state: 'resolved' } }),
  'POST /console/api/edge/errors/:fingerprint/merges': (id) => ({
    body: { into: id('other_fingerprint') },
  }),
  'POST /console/api/edge/panels': () => ({ body: { name: 'Fatal', view: {} } }),
  'POST /console/api/edge/panels/order': () => ({ body: { ids: [] } }),
  'PATCH /console/api/edge/panels/:id': () => ({ body: { name: 'Renamed' } }),
  'GET /console/api/edge/errors/trends': (id) => ({
    query: { fingerprints: id('fingerprint') },
  }),
  'PUT /console/api/configuration': () => ({
    body: { kind: 'alert_rules', name: 'Errors', action: 'adopted', content: {} },
  }),
  'PUT /console/api/credits/low-balance': () => ({ body: { low_balance_credits: 100 } }),
  'GET /console/api/lists': () => ({ query: { list: 'block' } }),
  'POST /console/api/lists': () => ({
    body: { list: 'block', kind: 'device', value: `device-${Math.random()}` },
  }),
  'POST /console/api/lists/import': () => ({
    body: { csv: 'list,kind,value\nblock,country,DE\n' },
  }),
  'POST /console/api/notifications/channels': () => ({
    body: { kind: 'slack', name: 'Shop', url: 'https://hooks.example.com/services/1' },
  }),
  'PATCH /console/api/notifications/channels/:id': () => ({ body: { name: 'Renamed' } }),
  'PUT /console/api/notifications/routes': (id) => ({
    body: { channel_ids: [id('notification_channel_id')], min_severity: 'warning' },
  }),
  'POST /console/api/notifications/routes/:id/mute': () => ({ body: { minutes: 60 } }),
  // Only the page of the person has a key that it is accepted with.
  'POST /console/api/notifications/mine/browsers': () => ({
    body: {
      name: 'Firefox on Android',
      sealed_key: 'v1.unknown',
      endpoint: 'https://push.example.com/send/1',
      p256dh: 'A'.repeat(87),
      auth: 'A'.repeat(22),
    },
  }),
  'PUT /console/api/notifications/mine': () => ({
    body: { subject: 'log_alert', is_on: false, min_severity: 'warning' },
  }),
  'GET /console/api/orders': () => ({ query: { external_id: 'customer-1' } }),
  'POST /console/api/edge/searches': () => ({ body: { name: 'Fatal', filters: {} } }),
  'PATCH /console/api/edge/searches/:id': () => ({ body: { name: 'Renamed' } }),
  'POST /console/api/invitations': () => ({
    body: { email: `${Math.random()}@example.com`, role: 'member' },
  }),
  'POST /console/api/invitations/join': () => ({ body: { token: 'vit_unknown' } }),
  'POST /console/api/keys': () => ({ body: { type: 'test_secret' } }),
  'PATCH /console/api/keys/:key_id': () => ({ body: { name: 'Renamed' } }),
  'POST /console/api/keys/revoke': (id) => ({ body: { key_id: id('other_key_id') } }),
  'POST /console/api/keys/roll': (id) => ({ body: { key_id: id('key_id') } }),
  'POST /console/api/me/device-sign-in/approve': () => ({
    body: { user_code: 'BCDF-GHJK', days: 1 },
  }),
  'POST /console/api/me/passkeys': () => ({ body: { name: 'Phone', response: passkeyResponse } }),
  'POST /console/api/me/passkeys/begin': () => ({ body: { password: 'x' } }),
  'PATCH /console/api/me/passkeys/:id': () => ({ body: { name: 'Renamed' } }),
  'POST /console/api/me/passkeys/prove': () => ({ body: { response: passkeyAssertion } }),
  'POST /console/api/me/password': () => ({ body: { current: 'x', next: 'y'.repeat(20) } }),
  'POST /console/api/search': () => ({ body: { text: 'anna' } }),
  'POST /console/api/me/second-factor/begin': () => ({ body: { password: 'x' } }),
  'POST /console/api/me/second-factor/confirm': () => ({ body: { code: '123456' } }),
  'POST /console/api/me/second-factor/prove': () => ({ body: { code: '123456' } }),
  'POST /console/api/me/second-factor/recovery-codes': () => ({ body: { code: '123456' } }),
  'POST /console/api/me/second-factor/remove': () => ({ body: { code: '123456' } }),
  'PATCH /console/api/members/:user_id': () => ({ body: { role: 'member' } }),
  'PATCH /console/api/organization': () => ({ body: { name: 'Renamed' } }),
  'PUT /console/api/organization/sign-in': () => ({ body: { requires_second_factor: false } }),
  'PUT /console/api/organization/single-sign-on': () => ({
    body: {
      // Not accepted, so that no other test finds a provider.
      issuer: 'http://login.shop.example',
      client_id: 'vigil',
      client_secret: 'a secret of the provider',
      email_domains: [],
      role_claim: null,
      roles: [],
      default_role: null,
      trusts_factor: false,
    },
  }),
  'POST /console/api/organization/single-sign-on/domains': () => ({
    body: { domain: 'shop.example' },
  }),
  'PUT /console/api/organization/single-sign-on/requirement': () => ({
    body: { required_provider: null },
  }),
  'POST /console/api/organizations': () => ({ body: { name: 'Another' } }),
  'PATCH /console/api/mdm/policies/:policy_id': () => ({
    body: { name: 'Renamed', based_on: window.from },
  }),
  'POST /console/api/mdm/policies/check': () => ({ body: { policy_json: {} } }),
  'POST /console/api/push/applications': () => ({
    body: { name: 'App', environment: 'live', type: 'flutter' },
  }),
  'POST /console/api/people/deletion': () => ({
    body: { email: 'someone@example.com', dry_run: true },
  }),
  'PATCH /console/api/push/applications/:id': () => ({ body: { name: 'Renamed' } }),
  'PUT /console/api/push/applications/:id/configuration': () => ({
    body: { android_package_name: 'com.example.app' },
  }),
  'PUT /console/api/push/applications/:id/credentials/:provider': () => ({
    body: { service_account: {} },
  }),
  'POST /console/api/push/applications/:id/test': () => ({
    body: { provider: 'fcm', token: 'x'.repeat(160) },
  }),
  'GET /console/api/push/messages': inApplication,
  'POST /console/api/push/messages': (id) => ({
    body: { application_id: id('application_id'), all: true, title: 'Hello', body: 'World' },
  }),
  'POST /console/api/push/messages/:id/schedule': () => ({
    body: { send_at: new Date(now + 48 * HOUR_MS).toISOString() },
  }),
  'POST /console/api/push/receipts': (id) => ({
    body: {
      receipts: [
        { message_id: id('message_id'), subscription_id: id('subscription_id'), kind: 'received' },
      ],
    },
  }),
  'GET /console/api/push/subscriptions': inApplication,
  'GET /console/api/push/subscriptions/counts': inApplication,
  'POST /console/api/push/subscriptions/import': (id) => ({
    body: {
      application_id: id('application_id'),
      subscriptions: [{ platform: 'android', token: 'cJk3vT0PQ8:APA91bHun4MxP5egoKMwt2KZFBaFUH' }],
    },
  }),
  'POST /console/api/push/subscriptions': (id) => ({
    body: {
      application_id: id('application_id'),
      platform: 'android',
      token: `${Math.random()}:APA91b${'x'.repeat(140)}`,
    },
  }),
  'GET /console/api/push/subscriptions/:subscription_id': inApplication,
  'PATCH /console/api/push/subscriptions/:subscription_id': (id) => ({
    body: { application_id: id('application_id'), permission: 'granted' },
  }),
  'DELETE /console/api/push/subscriptions/:subscription_id': inApplication,
  'POST /console/api/push/subscriptions/:subscription_id/identify': (id) => ({
    body: { application_id: id('application_id'), identity_token: 'none' },
  }),
  'POST /console/api/push/subscriptions/:subscription_id/logout': (id) => ({
    body: { application_id: id('application_id') },
  }),
  'PATCH /console/api/cases/:id': () => ({ body: { version: 0 } }),
  'POST /console/api/cases/:id/close': () => ({
    body: { version: 1_000_000, reason_code: 'not_enough_known' },
  }),
  'POST /console/api/cases/:id/decision': () => ({ body: { decision: 'legitimate' } }),
  'POST /console/api/cases/:id/notes': () => ({ body: { text: 'A note' } }),
  'POST /console/api/cases/:id/reopen': () => ({ body: { version: 1_000_000 } }),
  'PUT /console/api/cases/settings': () => ({
    body: { sla_hours: 24, reason_codes: [{ code: 'other', label: 'Other' }] },
  }),
  'POST /console/api/outcomes': () => ({
    body: { outcomes: [{ external_order_id: 'x', kind: 'fraud', date: '2026-01-01' }] },
  }),
  'POST /console/api/outcomes/import': () => ({
    body: { csv: 'external_order_id,kind,date\nx,fraud,2026-01-01' },
  }),
  'POST /console/api/reviews/:id/decision': () => ({ body: { decision: 'legitimate' } }),
  'POST /console/api/rules/apply': () => ({ body: { overrides: {}, base_version: 1 } }),
  'POST /console/api/rules/check': () => ({ body: { custom_rules: [] } }),
  'POST /console/api/rules/learned/automatic': () => ({ body: { automatic: false } }),
  'POST /console/api/rules/rollback': () => ({ body: { version: 0, base_version: 1 } }),
  'POST /console/api/rules/replays': () => ({ body: { overrides: {}, ...window } }),
  'GET /console/api/costs': () => ({ query: PERIOD }),
  'GET /console/api/costs/export': () => ({ query: PERIOD }),
  'GET /console/api/ledger/export': () => ({ query: PERIOD }),
  'GET /console/api/volume': () => ({ query: { ...window, step: 'hour' } }),
  'POST /console/api/portals': () => ({ body: { mode: 'live', ...PORTAL } }),
  'PATCH /console/api/portals/:id': () => ({ body: { name: 'Renamed' } }),
  'POST /console/api/webhooks/:id/test': () => ({ body: { type: 'order.fraud.detected' } }),
  'POST /console/api/webhooks': () => ({
    body: {
      url: 'https://hooks.example.com/in',
      events: ['order.fraud.detected'],
      description: '',
      mode: 'live',
    },
  }),
  'POST /console/api/webhooks/preview': () => ({
    body: { mode: 'live', events: ['email.check.completed'], filter: null },
  }),
  'POST /console/api/webhooks/:id/mode': () => ({ body: { mode: 'live' } }),
  'POST /v1/edge/alerts': () => ({
    body: { name: 'Errors', condition: { level: 'fatal' }, threshold: 5, window_minutes: 10 },
  }),
  'DELETE /v1/edge/alerts': (id) => ({ query: { id: id('alert_id') } }),
  'GET /v1/edge/logs/search': () => ({ query: { q: 'hello' } }),
  'PATCH /v1/mdm/devices/:device_id': () => ({ body: { name: 'Renamed' } }),
  'POST /v1/mdm/devices/:device_id/commands': () => LOCK,
  'POST /v1/mdm/enrollment-tokens': (id) => ({ body: { policy_id: id('policy_id') } }),
  'POST /v1/mdm/enterprise': () => ({
    body: { signup_url_name: 'signupUrls/C1', enterprise_token: 'EE' },
  }),
  'POST /v1/mdm/enterprise/signup-url': () => ({ body: { callback_url: CALLBACK } }),
  'POST /v1/mdm/groups': () => ({ body: { name: 'Group' } }),
  'PATCH /v1/mdm/groups/:group_id': () => ({ body: { name: 'Renamed' } }),
  'POST /v1/mdm/groups/:group_id/commands': () => LOCK,
  'POST /v1/mdm/groups/:group_id/devices': (id) => ({
    body: { device_ids: [id('other_device_id')] },
  }),
  'POST /v1/mdm/policies': () => ({ body: { name: 'Policy', management_mode: 'work_profile' } }),
  'PATCH /v1/mdm/policies/:policy_id': () => ({ body: { name: 'Renamed' } }),
  'POST /v1/webhooks': () => ({
    body: {
      url: 'https://hooks.example.com/in',
      events: ['order.fraud.detected'],
      description: '',
    },
  }),
  'PATCH /v1/webhooks/:id': () => ({ body: { description: 'Renamed' } }),
}

/** The record of a path's last parameter, for parameters whose name does not determine it. */
const RECORDS: [prefix: string, id: string][] = [
  ['/console/api/cashiers/actions/:id', 'action_id'],
  ['/console/api/cases/:id', 'case_id'],
  ['/console/api/checks/:id', 'check_id'],
  ['/console/api/edge/alerts/:id', 'alert_id'],
  ['/console/api/edge/panels/:id', 'panel_id'],
  ['/console/api/edge/searches/:id', 'search_id'],
  ['/console/api/invitations/:id', 'invitation_id'],
  ['/console/api/lists/:id', 'list_entry_id'],
  ['/console/api/me/sessions/:id', 'session_id'],
  // The users of these tests have no passkeys, so any id is unknown.
  ['/console/api/me/passkeys/:id', 'session_id'],
  // Neither do they have browsers that are notified.
  ['/console/api/notifications/mine/browsers/:id', 'session_id'],
  ['/console/api/notifications/channels/:id', 'notification_channel_id'],
  ['/console/api/notifications/routes/:id', 'notification_route_id'],
  ['/console/api/notifications/messages/:id', 'notification_message_id'],
  ['/console/api/notifications/:id', 'notification_id'],
  ['/console/api/orders/:id', 'order_id'],
  ['/console/api/portals/:id', 'portal_id'],
  ['/console/api/portals/:id/links/:link_id', 'portal_link_id'],
  ['/console/api/profiles/:id', 'profile_id'],
  ['/console/api/push/applications/:id', 'application_id'],
  ['/console/api/push/messages/:id', 'message_id'],
  ['/console/api/reviews/:id', 'review_id'],
  ['/console/api/rum/errors/:fingerprint', 'rum_fingerprint'],
  ['/console/api/rum/sessions/:session_id', 'rum_session_id'],
  ['/console/api/rules/replays/:id', 'replay_id'],
  ['/console/api/webhooks/:id', 'endpoint_id'],
  ['/v1/webhooks/:id', 'endpoint_id'],
]
const BY_NAME: Record<string, string> = {
  ':user_id': 'guest_id',
  ':deliveryId': 'delivery_id',
}
const FIXED: Record<string, string> = {
  ':version': '1',
  ':provider': 'fcm',
  ':domain': 'shop.example',
}

export type PortalRequest = Required<Pick<Request, 'method' | 'path'>> & Pick<Request, 'body'>

/**
 * @param route `GET /console/api/orders/:id`
 * @param organization provides the `org_id` of the request
 * @param ids records in the request, by default those of the organization
 */
export function requestFor(
  route: string,
  organization: PortalOrganization,
  ids: Record<string, string> = organization.ids,
): PortalRequest {
  const [method = '', pattern = ''] = route.split(' ')
  const { query = {}, body = {} } = REQUESTS[route]?.((name) => idIn(ids, name, route)) ?? {}
  const { org_id } = organization
  const inBody = method !== 'GET' && method !== 'DELETE' && !pattern.startsWith('/v1/mdm/')
  const search = new URLSearchParams({ ...(!inBody && { org_id }), ...query }).toString()
  const path = pathOf(pattern, ids)
  return {
    method: method as PortalRequest['method'],
    path: search === '' ? path : `${path}?${search}`,
    ...(method !== 'GET' &&
      method !== 'DELETE' && { body: { ...(inBody && { org_id }), ...body } }),
  }
}

function pathOf(pattern: string, ids: Record<string, string>): string {
  return pattern.replaceAll(/:\w+/g, (name) => {
    const fixed = FIXED[name]
    if (fixed !== undefined) return fixed
    const [, record] =
      RECORDS.find(([prefix]) => pattern.startsWith(prefix) && prefix.endsWith(name)) ?? []
    const id = record ?? BY_NAME[name] ?? name.slice(1)
    return encodeURIComponent(idIn(ids, id, pattern))
  })
}

function idIn(ids: Record<string, string>, name: string, route: string): string {
  const id = ids[name]
  if (id === undefined || id === '') throw new Error(`there is no ${name} for ${route}`)
  return id
}
