/** An organization with at least one record of every kind that a portal route reads or changes. */

import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Plan } from '../../src/modules/accounts/tables.ts'
import type { ClickHouse } from '../../src/platform/clickhouse/client.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import type { Answer, Harness, Tenant } from '../harness.ts'
import { addStore } from './cashiers.ts'
import { addEdgeLogs, edgeLog } from './edge-logs.ts'
import { addMdmRecords } from './mdm-examples.ts'
import { addNotifications } from './notifications.ts'
import { createPeople, type People } from './people.ts'
import { addPushApplication } from './push-examples.ts'
import { addSubscriptions } from './push-messages.ts'
import { addReview } from './reviews.ts'
import { addFailedDelivery } from './webhooks.ts'

export type PortalOrganization = People & {
  org_id: string
  /** Ids of its records, by the names that `test/support/portal-requests.ts` uses. */
  ids: Record<string, string>
}

export type Installation = {
  harness: Harness
  clickhouse: ClickHouse
  emulator: AndroidEmulator
}

export async function createPortalOrganization(
  installation: Installation,
  plan: Plan = 'business',
): Promise<PortalOrganization> {
  const { harness } = installation
  const tenant = await harness.createTenant(plan)
  const people = await createPeople(harness, tenant.org_id)
  const calls = callsOf(harness, tenant.org_id, people.tokens.owner)
  const ids = {
    ...(await addFraudRecords(harness, tenant, calls)),
    ...(await addLogs(installation, tenant, calls)),
    ...(await addDevices(installation, tenant, people.tokens.owner)),
    ...(await addPush(harness, tenant, calls)),
    ...(await addAccountRecords(harness, tenant, calls)),
    ...(await addFailedDelivery(harness.stores.db, tenant.org_id)),
    ...(await addCustomerPortal(harness, tenant.org_id)),
    ...(await addNotifications(harness.stores.db, tenant.org_id, people.user_ids.owner)),
  }
  return { org_id: tenant.org_id, ...people, ids }
}

/** Makes calls that must succeed. The fields go into the query of a GET, or into the body of a POST. */
function callsOf(harness: Harness, org_id: string, token: string) {
  const content = <C>(path: string, { status, body }: Answer<C>): C => {
    if (status !== 200) throw new Error(`${path}: ${body.message}`)
    return body.content
  }
  return {
    get: async <C>(path: string): Promise<C> =>
      content(path, await harness.get<C>(`${path}?org_id=${org_id}`, { token })),
    post: async <C>(path: string, fields: object): Promise<C> =>
      content(path, await harness.post<C>(path, { org_id, ...fields }, { token })),
  }
}

type Calls = ReturnType<typeof callsOf>

async function addFraudRecords(harness: Harness, { org_id, keys }: Tenant, calls: Calls) {
  const send = async <C>(path: string, body: object): Promise<C> =>
    (await harness.call<C>({ method: 'POST', path, key: keys.live_secret, body })).body.content
  await addStore(harness, keys.live_secret, { until: new Date(), days: 1 })
  const { check_id } = await send<{ check_id: string }>('/v1/check', {
    email: 'jane@mailinator.com',
    phone: '+14155550100',
  })
  const { order } = await send<{ order: { id: string } }>('/v1/orders', {
    external_order_id: 'order-1',
    external_id: 'customer-1',
    amount_cents: 4990,
  })
  const { profiles } = await calls.get<{ profiles: { id: string; external_id: string }[] }>(
    '/console/api/profiles',
  )
  const { actions } = await calls.get<{ actions: { id: string; cashier_id: string }[] }>(
    '/console/api/cashiers/actions',
  )
  const review = await addReview(harness.stores.db, org_id, { subject_id: order.id })
  const { cases } = await calls.get<{ cases: { id: string }[] }>('/console/api/cases')
  const window = { from: new Date(Date.now() - DAY_MS).toISOString(), to: new Date().toISOString() }
  await calls.post('/console/api/rules/apply', {
    overrides: { weights: { velocity: 0.5 } },
    base_version: 0,
  })
  const replay = await calls.post<{ id: string }>('/console/api/rules/replays', {
    overrides: {},
    ...window,
  })
  return {
    check_id,
    order_id: order.id,
    review_id: review.id,
    case_id: cases[0]?.id ?? '',
    profile_id: profiles.find(({ external_id }) => external_id === 'customer-1')?.id ?? '',
    cashier_id: actions[0]?.cashier_id ?? '',
    action_id: actions[0]?.id ?? '',
    replay_id: replay.id,
  }
}

export async function addCustomerPortal({ services }: Harness, org_id: string) {
  const { portals, portal_links } = services
  const events: ['order.fraud.detected'] = ['order.fraud.detected']
  const limits = { filter: null, endpoints_max: 3, allowed_origins: [] }
  const portal = await portals.create(org_id, { mode: 'live', name: 'Acme', events, ...limits })
  const link = await portal_links.create(org_id, portal, {})
  return { portal_id: portal.id, portal_link_id: link.id }
}

const RUM_ROWS = [
  { type: 'view', view_url: 'https://a.example/cart' },
  { type: 'vital', vital_name: 'LCP', vital_value: 1000 },
  {
    type: 'error',
    error_message: 'boom',
    event: '{"type":"error","error":{"message":"boom"}}',
  },
]

async function addLogs({ harness, clickhouse }: Installation, tenant: Tenant, calls: Calls) {
  const { org_id, keys } = tenant
  const now = Date.now()
  const [fingerprint, other_fingerprint] = [randomUUID(), randomUUID()].map((id) =>
    id.replaceAll('-', ''),
  ) as [string, string]
  const [rum_fingerprint, rum_session_id] = [randomUUID(), randomUUID()]
  const logs = [fingerprint, other_fingerprint].map((error_fingerprint) =>
    edgeLog({ org_id, received_at_ms: now, level: 'error', error_fingerprint }),
  )
  await addEdgeLogs(clickhouse, logs)
  const lines = RUM_ROWS.map((row) => {
    const filled = { org_id, mode: 'live', id: randomUUID(), received_at: new Date(now), ...row }
    const error_fingerprint = row.type === 'error' ? rum_fingerprint : ''
    const session = { session_id: rum_session_id, page: '/cart', timestamp_ms: now }
    const event = { event: '{}', error_fingerprint, ...session, ...filled }
    return Buffer.from(`${JSON.stringify(event)}\n`)
  })
  await clickhouse.insert('rum_events', lines, randomUUID(), AbortSignal.timeout(15_000))
  await harness.post(
    '/v1/edge/devices/register',
    { device_id: 'till-1', device_type: 'pos', name: 'Till', firmware_version: '1' },
    { key: keys.live_secret },
  )
  const search = await calls.post<{ id: string }>('/console/api/edge/searches', {
    name: 'Errors',
    filters: { level: 'error' },
  })
  const entry = await calls.post<{ id: string }>('/console/api/lists', {
    list: 'watch',
    kind: 'device',
    value: 'till-1',
  })
  const panel = await calls.post<{ id: string }>('/console/api/edge/panels', {
    name: 'Errors by device',
    view: { show: 'table' },
  })
  const alert = await calls.post<{ id: string }>('/v1/edge/alerts', {
    name: 'Errors',
    condition: { level: 'error' },
    threshold: 5,
    window_minutes: 10,
  })
  return {
    list_entry_id: entry.id,
    search_id: search.id,
    panel_id: panel.id,
    alert_id: alert.id,
    fingerprint,
    other_fingerprint,
    rum_fingerprint,
    rum_session_id,
  }
}

async function addDevices(installation: Installation, { org_id }: Tenant, token: string) {
  const { ids, bodies, token_id } = await addMdmRecords(installation, { org_id, token })
  return {
    token_id,
    policy_id: ids['PATCH /mdm/policies/{policy_id}'],
    group_id: ids['PATCH /mdm/groups/{group_id}'],
    device_id: ids['GET /mdm/devices/{device_id}'],
    other_device_id: bodies.DeviceGroupAssignment.device_ids[0] ?? '',
  }
}

async function addPush(harness: Harness, { org_id, keys }: Tenant, calls: Calls) {
  const { db } = harness.stores
  const { application_id, configuration_id } = await addPushApplication(harness, org_id)
  const application = { org_id, application_id, configuration_id, environment: 'live' as const }
  const [subscription_id = ''] = await addSubscriptions(db, application, 1, { user: 'customer-1' })
  const message = await harness.call<{ message_id: string }>({
    method: 'POST',
    path: '/v1/push-sdk/messages',
    key: keys.live_secret,
    headers: { 'idempotency-key': randomUUID() },
    body: {
      application_id,
      all: true,
      title: 'Hello',
      body: 'World',
      send_at: new Date(Date.now() + DAY_MS).toISOString(),
    },
  })
  const { message_id } = message.body.content
  await vi.waitFor(async () => {
    const found = await calls.get<{ id: string }>(`/console/api/push/messages/${message_id}`)
    expect(found).toBeDefined()
  }, 10_000)
  return { application_id, subscription_id, message_id }
}

async function addAccountRecords(harness: Harness, { org_id }: Tenant, calls: Calls) {
  const invitation = await calls.post<{ id: string }>('/console/api/invitations', {
    email: `${randomUUID()}@example.com`,
    role: 'member',
  })
  const createKey = async () =>
    (await calls.post<{ key_id: string }>('/console/api/keys', { type: 'test_secret' })).key_id
  const token = await harness.signIn(org_id, 'member')
  const guest = await harness.services.accounts.verifyAccess(token)
  return {
    invitation_id: invitation.id,
    key_id: await createKey(),
    other_key_id: await createKey(),
    guest_id: guest?.user_id ?? '',
    session_id: randomUUID(),
  }
}
