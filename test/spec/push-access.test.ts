/** Specification, "Push" and "Authentication": permissions and isolation (OP-35, OP-38). */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { KEY_TYPES } from '../../src/modules/keys/tables.ts'
import { NOT_FOUND } from '../support/answers.ts'
import { countRows } from '../support/books.ts'
import {
  type ConsoleCall,
  post,
  type Shop,
  uploadOf,
  usePushService,
} from '../support/push-service.ts'
import { routesOf } from '../support/routes.ts'

const service = usePushService({ is_running: false })

/** A shop with a device, a sent message and a scheduled one. */
type PopulatedShop = Shop & { subscription_id: string; message_id: string; waiting_id: string }

async function createPopulatedShop(): Promise<PopulatedShop> {
  const shop = await service().createShop()
  const app = await shop.install('android', 'anna')
  const { message_id } = await shop.send({ all: true })
  const send_at = new Date(Date.now() + 86_400_000).toISOString()
  const { message_id: waiting_id } = await shop.send({ all: true, send_at })
  return { ...shop, subscription_id: app.subscriptionId() ?? '', message_id, waiting_id }
}

let ours: PopulatedShop
let theirs: PopulatedShop
beforeAll(async () => {
  ours = await createPopulatedShop()
  theirs = await createPopulatedShop()
})

type Route = [path: string, given?: (of: PopulatedShop) => Pick<ConsoleCall, 'query' | 'body'>]
type Change = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', ...Route]

type Given = NonNullable<Route[1]>
const inQuery: Given = ({ application_id }) => ({ query: { application_id } })
const inBody =
  (more: () => object): Given =>
  ({ application_id }) => ({ body: { application_id, ...more() } })
const testOf = (subscription_id: string) => ({ provider: 'fcm', subscription_id })
const receiptOf = (
  { message_id, subscription_id }: Pick<PopulatedShop, 'message_id' | 'subscription_id'>,
  kind: string,
) => ({ receipts: [{ message_id, subscription_id, kind }] })

const READS: Route[] = [
  ['/applications'],
  ['/applications/:id'],
  ['/applications/:id/configuration'],
  ['/applications/:id/credentials'],
  ['/applications/:id/messages'],
  ['/applications/:id/registrations'],
  ['/overview'],
  ['/subscriptions', inQuery],
  ['/subscriptions/counts', inQuery],
  ['/subscriptions/:subscription_id', inQuery],
  ['/messages', inQuery],
  ['/messages/:message_id'],
  ['/messages/:message_id/recipients'],
]
/** In an order in which all of them succeed for one shop. */
const CHANGES: Change[] = [
  ['POST', '/applications', () => ({ body: { environment: 'test', name: 'Other' } })],
  ['PATCH', '/applications/:id', () => ({ body: { name: 'Renamed' } })],
  ['PUT', '/applications/:id/configuration', () => ({ body: NAMES })],
  ['PUT', '/applications/:id/credentials/fcm', () => ({ body: uploadOf(service(), 'fcm') })],
  ['PUT', '/applications/:id/credentials/apns', () => ({ body: uploadOf(service(), 'apns') })],
  ['POST', '/applications/:id/test', ({ subscription_id: id }) => ({ body: testOf(id) })],
  [
    'POST',
    '/subscriptions',
    inBody(() => ({ platform: 'ios', token: service().apns.makePhone().token })),
  ],
  [
    'POST',
    '/subscriptions/import',
    inBody(() => ({ subscriptions: [{ platform: 'android', token: randomUUID() }] })),
  ],
  ['PATCH', '/subscriptions/:subscription_id', inBody(() => ({ permission: 'denied' }))],
  ['POST', '/subscriptions/:subscription_id/logout', inBody(() => ({}))],
  [
    'POST',
    '/subscriptions/:subscription_id/identify',
    inBody(() => ({ identity_token: assertion })),
  ],
  ['POST', '/messages', inBody(() => ({ all: true, title: 'T' }))],
  ['POST', '/receipts', (of) => ({ body: receiptOf(of, 'received') })],
  ['POST', '/messages/:waiting_id/schedule', () => ({ body: { send_at: '2026-03-01T00:00:00Z' } })],
  ['POST', '/messages/:waiting_id/cancel'],
  ['DELETE', '/subscriptions/:subscription_id', inQuery],
  ['DELETE', '/applications/:id/credentials/apns'],
  ['DELETE', '/applications/:id'],
]
const NAMES = { android_package_name: 'com.example.app', ios_bundle_id: 'com.example.app' }
/** Identity token for the shop that a test calls. */
let assertion = 'none'

const callOf = (
  of: PopulatedShop,
  [path, given]: Route,
  method: ConsoleCall['method'] = 'GET',
) => ({
  method,
  path: path
    .replace(':id', of.application_id)
    .replace(':subscription_id', of.subscription_id)
    .replace(':message_id', of.message_id)
    .replace(':waiting_id', of.waiting_id),
  headers: { 'idempotency-key': randomUUID() },
  ...given?.(of),
})
const readsOf = (of: PopulatedShop): ConsoleCall[] => READS.map((route) => callOf(of, route))
const changesOf = (of: PopulatedShop): ConsoleCall[] =>
  CHANGES.map(([method, ...route]) => callOf(of, route, method))
const nameOf = ({ method = 'GET', path }: ConsoleCall) => `${method} ${path}`
const rowsOf = async ({ org_id }: Shop) => await countRows(service().harness.stores.db, org_id)

/** Calls with any organization and credential. */
async function callAs(
  { method = 'GET', path, query, body }: ConsoleCall,
  org_id: string,
  credential: { token?: string; key?: string },
) {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const search = new URLSearchParams({ ...(!hasBody && { org_id }), ...query }).toString()
  return await service().harness.call<unknown>({
    method,
    path: `/console/api/push${path}?${search}`,
    headers: { 'idempotency-key': randomUUID() },
    ...credential,
    ...(hasBody && { body: { org_id, ...body } }),
  })
}

describe('the console operations', () => {
  it('are all covered here', () => {
    const served = routesOf(service().harness.app)
      .filter((route) => route.includes(' /console/api/push/'))
      .map((route) => route.replace('/console/api/push', '').replaceAll(/:\w+/g, '*'))
    const covered = [
      ...READS.map(([path]) => `GET ${path}`),
      ...CHANGES.map(([method, path]) => `${method} ${path}`),
    ].map((name) => name.replaceAll(/:\w+/g, '*').replace(/credentials\/\w+$/, 'credentials/*'))
    expect(served.length).toBeGreaterThan(20)
    expect(served.toSorted()).toEqual([...new Set(covered)].toSorted())
  })
})

describe('a member', () => {
  it('can read everything', async () => {
    for (const call of readsOf(ours)) {
      for (const as of ['member', 'admin', 'owner'] as const) {
        expect((await ours.console({ ...call, as })).status, nameOf(call)).toBe(200)
      }
    }
  })

  it('can change nothing: 403, and nothing is stored', async () => {
    const before = await rowsOf(ours)
    for (const call of changesOf(ours)) {
      const { status, body } = await ours.console({ ...call, as: 'member' })
      expect({ status, body }, nameOf(call)).toEqual({
        status: 403,
        body: { success: false, message: 'Owners and admins only' },
      })
    }
    expect(await rowsOf(ours)).toEqual(before)
  })
})

describe('an admin', () => {
  it('can do everything that the owner can', async () => {
    for (const as of ['admin', 'owner'] as const) {
      const populated = await createPopulatedShop()
      assertion = await populated.identityToken('anna')
      for (const call of changesOf(populated)) {
        const { status, body } = await populated.console({ ...call, as })
        expect({ call: nameOf(call), status, message: body.message }).toMatchObject({ status: 200 })
      }
    }
  })
})

describe('anyone else', () => {
  it('finds nothing, whether or not the organization exists: 404', async () => {
    const before = await rowsOf(theirs)
    for (const call of [...readsOf(theirs), ...changesOf(theirs)]) {
      for (const org of [theirs.org_id, randomUUID(), 'no-organization', '']) {
        const answer = await callAs(call, org, { token: ours.tokens.owner })
        expect({ status: answer.status, body: answer.body }, `${nameOf(call)} ${org}`).toEqual(
          NOT_FOUND,
        )
      }
    }
    expect(await rowsOf(theirs)).toEqual(before)
  })

  it('is rejected without a token, and with any kind of API key: 401', async () => {
    for (const call of [...readsOf(ours), ...changesOf(ours)]) {
      expect((await callAs(call, ours.org_id, {})).status, nameOf(call)).toBe(401)
      for (const type of KEY_TYPES) {
        const answer = await callAs(call, ours.org_id, { key: ours.keys[type] })
        expect(answer.status, `${nameOf(call)} ${type}`).toBe(401)
      }
    }
  })
})

describe('two organizations', () => {
  it('cannot use each other’s ids: 404, a 400 naming the field, or an empty list', async () => {
    const before = await rowsOf(theirs)
    assertion = await theirs.identityToken('anna')
    const isTheirs = ({ path, query, body }: ConsoleCall) =>
      /[0-9a-f]{8}-/.test(path + JSON.stringify(query ?? {})) || 'application_id' in (body ?? {})
    const calls = [...readsOf(theirs), ...changesOf(theirs)].filter(isTheirs)
    expect(calls.length).toBeGreaterThan(20)
    for (const one of calls) {
      const answer = await callAs(one, ours.org_id, { token: ours.tokens.owner })
      const { status, body } = answer as typeof answer & { body: { content?: unknown } }
      const refusal = JSON.stringify({ status, body })
      const isHidden =
        status === 404 ||
        (status === 400 && refusal.includes('"field":"application_id"')) ||
        (status === 200 && JSON.stringify(body.content) === '[]')
      expect(isHidden, `${nameOf(one)}: ${refusal}`).toBe(true)
    }
    expect(await rowsOf(theirs)).toEqual(before)
  })

  it('cannot combine ids of the other with one of their applications', async () => {
    const { application_id } = ours
    const { subscription_id, message_id } = theirs
    const before = await theirs.message(message_id)
    const phone = { platform: 'android', token: service().fcm.makePhone().token }
    const refused = { status: 400, body: { content: { field: 'subscription_id' } } }
    const cases: [ConsoleCall, object][] = [
      [{ path: `/subscriptions/${subscription_id}`, query: { application_id } }, { status: 404 }],
      [post(`/applications/${application_id}/test`, testOf(subscription_id)), refused],
      [post('/subscriptions', { application_id, subscription_id, ...phone }), refused],
      [
        post('/receipts', receiptOf(theirs, 'clicked')),
        { status: 200, body: { content: { received: 1, known: 0 } } },
      ],
    ]
    for (const [call, answer] of cases) {
      expect(await ours.console(call), nameOf(call)).toMatchObject(answer)
    }
    expect(await theirs.message(message_id)).toEqual(before)
  })

  it('can register the same phone, with a separate subscription each', async () => {
    const { token } = service().fcm.makePhone()
    const register = async (of: PopulatedShop) =>
      await of.content<{ id: string }>(
        post('/subscriptions', { application_id: of.application_id, platform: 'android', token }),
      )
    const [one, other] = [await register(ours), await register(theirs)]
    expect(one.id).not.toBe(other.id)
    expect(await register(ours)).toMatchObject({ id: one.id, is_reachable: true })
  })
})

describe('/v1/push-sdk', () => {
  it.each(['/identity-token', '/messages'])('%s requires a secret key', async (path) => {
    const { application_id } = ours
    const body = { application_id, external_user_id: 'anna', all: true, title: 'T' }
    const call = async (credential: { token?: string; key?: string }) =>
      await service().harness.call({
        method: 'POST',
        path: `/v1/push-sdk${path}`,
        body,
        headers: { 'idempotency-key': randomUUID() },
        ...credential,
      })
    const before = await rowsOf(ours)
    expect(await call({})).toMatchObject({
      status: 401,
      body: { success: false, message: 'Missing X-API-Key header' },
    })
    expect(await call({ token: ours.tokens.owner })).toMatchObject({ status: 401 })
    expect(await call({ key: 'sk_live_unknown' })).toMatchObject({
      status: 401,
      body: { success: false, message: 'Invalid API key' },
    })
    expect((await call({ key: ours.keys.live_public })).status).toBe(403)
    expect((await call({ key: ours.keys.test_public })).status).toBe(403)
    expect((await call({ key: theirs.keys.live_secret })).status).toBe(400)
    expect(await rowsOf(ours)).toEqual(before)
    expect((await call({ key: ours.keys.live_secret })).status).toBe(200)
  })
})
