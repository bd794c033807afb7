/** Specification, "Push" and "Authentication": who may do what, and who sees what (OP-35, OP-38). */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { KEY_TYPES } from '../../src/platform/postgres/tables/accounts.ts'
import { countRows } from '../support/books.ts'
import { type ConsoleCall, type Shop, uploadOf, usePushService } from '../support/push-service.ts'
import { routesOf } from '../support/routes.ts'

const service = usePushService({ is_running: false })

/** A shop with a device, a message that went out and one that waits. */
type Whole = Shop & { subscription_id: string; message_id: string; waiting_id: string }

async function createWhole(): Promise<Whole> {
  const shop = await service().createShop()
  const app = await shop.install('android', 'anna')
  const { message_id } = await shop.send({ all: true })
  const send_at = new Date(Date.now() + 86_400_000).toISOString()
  const { message_id: waiting_id } = await shop.send({ all: true, send_at })
  return { ...shop, subscription_id: app.subscriptionId() ?? '', message_id, waiting_id }
}

let ours: Whole
let theirs: Whole
beforeAll(async () => {
  ours = await createWhole()
  theirs = await createWhole()
})

type Route = [path: string, given?: (of: Whole) => Pick<ConsoleCall, 'query' | 'body'>]
type Deed = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', ...Route]

const READINGS: Route[] = [
  ['/applications'],
  ['/applications/:id'],
  ['/applications/:id/configuration'],
  ['/applications/:id/credentials'],
  ['/applications/:id/messages'],
  ['/overview'],
  ['/subscriptions', ({ application_id }) => ({ query: { application_id } })],
  ['/subscriptions/counts', ({ application_id }) => ({ query: { application_id } })],
  ['/subscriptions/:subscription_id', ({ application_id }) => ({ query: { application_id } })],
  ['/messages', ({ application_id }) => ({ query: { application_id } })],
  ['/messages/:message_id'],
  ['/messages/:message_id/recipients'],
]
/** In an order in which all of them succeed. */
const DEEDS: Deed[] = [
  ['POST', '/applications', () => ({ body: { environment: 'test', name: 'Other' } })],
  ['PATCH', '/applications/:id', () => ({ body: { name: 'Renamed' } })],
  ['PUT', '/applications/:id/configuration', () => ({ body: NAMES })],
  ['PUT', '/applications/:id/credentials/fcm', () => ({ body: uploadOf(service(), 'fcm') })],
  ['PUT', '/applications/:id/credentials/apns', () => ({ body: uploadOf(service(), 'apns') })],
  [
    'POST',
    '/applications/:id/test',
    ({ subscription_id }) => ({ body: { provider: 'fcm', subscription_id } }),
  ],
  [
    'POST',
    '/subscriptions',
    ({ application_id }) => ({
      body: { application_id, platform: 'ios', token: service().apns.makePhone().token },
    }),
  ],
  [
    'PATCH',
    '/subscriptions/:subscription_id',
    ({ application_id }) => ({ body: { application_id, permission: 'denied' } }),
  ],
  [
    'POST',
    '/subscriptions/:subscription_id/logout',
    ({ application_id }) => ({ body: { application_id } }),
  ],
  [
    'POST',
    '/subscriptions/:subscription_id/identify',
    ({ application_id }) => ({ body: { application_id, identity_token: assertion } }),
  ],
  [
    'POST',
    '/messages',
    ({ application_id }) => ({ body: { application_id, all: true, title: 'T' } }),
  ],
  [
    'POST',
    '/receipts',
    ({ message_id, subscription_id }) => ({
      body: { receipts: [{ message_id, subscription_id, kind: 'received' }] },
    }),
  ],
  ['POST', '/messages/:waiting_id/schedule', () => ({ body: { send_at: '2026-03-01T00:00:00Z' } })],
  ['POST', '/messages/:waiting_id/cancel'],
  [
    'DELETE',
    '/subscriptions/:subscription_id',
    ({ application_id }) => ({ query: { application_id } }),
  ],
  ['DELETE', '/applications/:id/credentials/apns'],
  ['DELETE', '/applications/:id'],
]
const NAMES = { android_package_name: 'com.example.app', ios_bundle_id: 'com.example.app' }
/** Of {@link ours}, until a shop gets one of its own. */
let assertion = 'none'

const callOf = (of: Whole, [path, given]: Route, method: ConsoleCall['method'] = 'GET') => ({
  method,
  path: path
    .replace(':id', of.application_id)
    .replace(':subscription_id', of.subscription_id)
    .replace(':message_id', of.message_id)
    .replace(':waiting_id', of.waiting_id),
  headers: { 'idempotency-key': randomUUID() },
  ...given?.(of),
})
const readings = (of: Whole): ConsoleCall[] => READINGS.map((route) => callOf(of, route))
const deeds = (of: Whole): ConsoleCall[] =>
  DEEDS.map(([method, ...route]) => callOf(of, route, method))
const nameOf = ({ method = 'GET', path }: ConsoleCall) => `${method} ${path}`
const rowsOf = async ({ org_id }: Shop) => await countRows(service().harness.stores.db, org_id)

/** With any organisation and any credential. */
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

describe('the operations of the dashboard', () => {
  it('are all walked here', () => {
    const served = routesOf(service().harness.app)
      .filter((route) => route.includes(' /console/api/push/'))
      .map((route) => route.replace('/console/api/push', '').replaceAll(/:\w+/g, '*'))
    const walked = [
      ...READINGS.map(([path]) => `GET ${path}`),
      ...DEEDS.map(([method, path]) => `${method} ${path}`),
    ].map((name) => name.replaceAll(/:\w+/g, '*').replace(/credentials\/\w+$/, 'credentials/*'))
    expect(served.length).toBeGreaterThan(20)
    expect(served.toSorted()).toEqual([...new Set(walked)].toSorted())
  })
})

describe('a member', () => {
  it('reads everything', async () => {
    for (const asked of readings(ours)) {
      for (const as of ['member', 'admin', 'owner'] as const) {
        expect((await ours.console({ ...asked, as })).status, nameOf(asked)).toBe(200)
      }
    }
  })

  it('does nothing: 403, and nothing is stored', async () => {
    const before = await rowsOf(ours)
    for (const asked of deeds(ours)) {
      const { status, body } = await ours.console({ ...asked, as: 'member' })
      expect({ status, body }, nameOf(asked)).toEqual({
        status: 403,
        body: { success: false, message: 'Owners and admins only' },
      })
    }
    expect(await rowsOf(ours)).toEqual(before)
  })
})

describe('an admin', () => {
  it('does everything that the owner does', async () => {
    for (const as of ['admin', 'owner'] as const) {
      const whole = await createWhole()
      assertion = await whole.identityToken('anna')
      for (const asked of deeds(whole)) {
        const { status, body } = await whole.console({ ...asked, as })
        expect({ asked: nameOf(asked), status, said: body.message }).toMatchObject({ status: 200 })
      }
    }
  })
})

describe('everybody else', () => {
  it('finds nothing, whether or not there is such an organisation: 404', async () => {
    const before = await rowsOf(theirs)
    for (const asked of [...readings(theirs), ...deeds(theirs)]) {
      for (const org of [theirs.org_id, randomUUID(), 'no-organisation', '']) {
        const answer = await callAs(asked, org, { token: ours.tokens.owner })
        expect({ status: answer.status, body: answer.body }, `${nameOf(asked)} ${org}`).toEqual({
          status: 404,
          body: { success: false, message: 'Not found' },
        })
      }
    }
    expect(await rowsOf(theirs)).toEqual(before)
  })

  it('is nobody without a token, and keys of no kind open the dashboard', async () => {
    for (const asked of [...readings(ours), ...deeds(ours)]) {
      expect((await callAs(asked, ours.org_id, {})).status, nameOf(asked)).toBe(401)
      for (const type of KEY_TYPES) {
        const answer = await callAs(asked, ours.org_id, { key: ours.keys[type] })
        expect(answer.status, `${nameOf(asked)} ${type}`).toBe(401)
      }
    }
  })
})

describe('two organisations', () => {
  it('have identifiers that do not exist for each other: 404, a 400 that names them, or nothing', async () => {
    const before = await rowsOf(theirs)
    assertion = await theirs.identityToken('anna')
    const isTheirs = ({ path, query, body }: ConsoleCall) =>
      /[0-9a-f]{8}-/.test(path + JSON.stringify(query ?? {})) || 'application_id' in (body ?? {})
    const asked = [...readings(theirs), ...deeds(theirs)].filter(isTheirs)
    expect(asked.length).toBeGreaterThan(20)
    for (const one of asked) {
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

  it('cannot use each other’s parts with an application of their own', async () => {
    const { application_id } = ours
    const { subscription_id, message_id } = theirs
    const before = await theirs.message(message_id)
    const cases: [ConsoleCall, object][] = [
      [{ path: `/subscriptions/${subscription_id}`, query: { application_id } }, { status: 404 }],
      [
        {
          method: 'POST',
          path: `/applications/${application_id}/test`,
          body: { provider: 'fcm', subscription_id },
        },
        { status: 400, body: { content: { field: 'subscription_id' } } },
      ],
      [
        {
          method: 'POST',
          path: '/subscriptions',
          body: {
            application_id,
            subscription_id,
            platform: 'android',
            token: service().fcm.makePhone().token,
          },
        },
        { status: 400, body: { content: { field: 'subscription_id' } } },
      ],
      [
        {
          method: 'POST',
          path: '/receipts',
          body: { receipts: [{ message_id, subscription_id, kind: 'clicked' }] },
        },
        { status: 200, body: { content: { received: 1, known: 0 } } },
      ],
    ]
    for (const [asked, answer] of cases) {
      expect(await ours.console(asked), nameOf(asked)).toMatchObject(answer)
    }
    expect(await theirs.message(message_id)).toEqual(before)
  })

  it('may have the same phone: each has a subscription of its own', async () => {
    const { token } = service().fcm.makePhone()
    const register = async (of: Whole) =>
      await of.content<{ id: string }>({
        method: 'POST',
        path: '/subscriptions',
        body: { application_id: of.application_id, platform: 'android', token },
      })
    const [one, other] = [await register(ours), await register(theirs)]
    expect(one.id).not.toBe(other.id)
    expect(await register(ours)).toMatchObject({ id: one.id, is_reachable: true })
  })
})

describe('/v1/push-sdk', () => {
  it.each(['/identity-token', '/messages'])(
    '%s takes a secret key and nothing else',
    async (path) => {
      const { application_id } = ours
      const body = { application_id, external_user_id: 'anna', all: true, title: 'T' }
      const ask = async (credential: { token?: string; key?: string }) =>
        await service().harness.call({
          method: 'POST',
          path: `/v1/push-sdk${path}`,
          body,
          headers: { 'idempotency-key': randomUUID() },
          ...credential,
        })
      const before = await rowsOf(ours)
      expect(await ask({})).toMatchObject({
        status: 401,
        body: { success: false, message: 'Missing X-API-Key header' },
      })
      expect(await ask({ token: ours.tokens.owner })).toMatchObject({ status: 401 })
      expect(await ask({ key: 'sk_live_unknown' })).toMatchObject({
        status: 401,
        body: { success: false, message: 'Invalid API key' },
      })
      expect((await ask({ key: ours.keys.live_public })).status).toBe(403)
      expect((await ask({ key: ours.keys.test_public })).status).toBe(403)
      expect((await ask({ key: theirs.keys.live_secret })).status).toBe(400)
      expect(await rowsOf(ours)).toEqual(before)
      expect((await ask({ key: ours.keys.live_secret })).status).toBe(200)
    },
  )
})
