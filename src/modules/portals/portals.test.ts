/**
 * Customer portals: what the holder of a link can do, and that it reaches nothing outside of its portal. The tests of
 * isolation are generated from the declarations of the routes, so that a new route is tested, too.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { addEvents, deliveriesOf, newEvent } from '../../../test/support/webhooks.ts'
import { type EventType, emitEvents } from '../events/index.ts'
import type { ListedPortal, NewPortalLink, Portal } from './schema.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_CONSOLE: '100000/60' } })
const db = () => harness().stores.db

type Admin = { org_id: string; token: string }
type Opened = { portal: Portal; link: NewPortalLink; token: string }
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const SCOPE: EventType[] = ['order.fraud.detected', 'email.check.completed']
const newAdmin = async (): Promise<Admin & { keys: Record<string, string> }> => {
  const { org_id, keys } = await harness().createTenant()
  return { org_id, keys, token: await harness().signIn(org_id, 'admin') }
}
const asAdmin = async <T>(admin: Admin, method: Method, path: string, body: object = {}) => {
  const { org_id, token } = admin
  const isRead = method === 'GET' || method === 'DELETE'
  return await harness().call<T>({
    method,
    path: `/console/api/portals${path}${isRead ? `?org_id=${org_id}` : ''}`,
    token,
    ...(!isRead && { body: { org_id, ...body } }),
  })
}
async function openPortal(admin: Admin, given: object = {}): Promise<Opened> {
  const request = { mode: 'live', name: 'Acme', events: SCOPE, filter: null, endpoints_max: 3 }
  const made = await asAdmin<Portal>(admin, 'POST', '', {
    ...request,
    allowed_origins: ['https://shop.example.com'],
    ...given,
  })
  expect(made.status, made.body.message).toBe(200)
  const portal = made.body.content
  const link = (await asAdmin<NewPortalLink>(admin, 'POST', `/${portal.id}/links`)).body.content
  return { portal, link, token: link.url.split('#')[1] ?? '' }
}
const asCustomer = async <T = { id: string; secret: string; field: string }>(
  token: string,
  method: Method,
  path = '',
  body?: object,
) => {
  const request = { method, path: `/console/api/portal${path}`, token }
  return await harness().call<T>({ ...request, ...(body && { body }) })
}
const addOwn = async (token: string, given: object = {}) =>
  (
    await asCustomer(token, 'POST', '/webhooks', {
      url: 'https://acme.example.com/hook',
      events: ['order.fraud.detected'],
      ...given,
    })
  ).body.content
const emit = async (org_id: string, type: EventType, data: object = {}) =>
  await emitEvents(db(), [newEvent(org_id, { type, data })])

let admin: Admin & { keys: Record<string, string> }
beforeEach(async () => {
  admin = await newAdmin()
})

describe('the holder of a link', () => {
  it('manages the endpoints of the portal, within its events and its number', async () => {
    const { token, portal } = await openPortal(admin)
    const shown = await asCustomer<object>(token, 'GET')
    expect(shown.body.content).toMatchObject({ id: portal.id, name: 'Acme', events: SCOPE })
    const other = { url: 'https://acme.example.com/', events: ['mdm.device.enrolled'] }
    const refused = await asCustomer(token, 'POST', '/webhooks', other)
    expect([refused.status, refused.body.content.field]).toEqual([400, 'events'])
    const inside = { url: 'https://127.0.0.1/', events: SCOPE }
    const guarded = await asCustomer(token, 'POST', '/webhooks', inside)
    expect([guarded.status, guarded.body.content.field]).toEqual([400, 'url'])

    const { id, secret } = await addOwn(token)
    expect(secret).toMatch(/^whsec_/)
    const path = `/webhooks/${id}`
    const widened = await asCustomer(token, 'PATCH', path, { events: ['mdm.command.completed'] })
    expect([widened.status, widened.body.content.field]).toEqual([400, 'events'])
    const changes = { description: 'Ours', status: 'paused', rate_per_second: 5 }
    const changed = await asCustomer<object>(token, 'PATCH', path, changes)
    expect(changed.body.content).toMatchObject({ ...changes, portal_id: portal.id })
    const rolled = await asCustomer(token, 'POST', `${path}/roll-secret`, { overlap_hours: 1 })
    expect(rolled.body.content.secret).not.toBe(secret)

    await addOwn(token)
    await addOwn(token)
    const fourth = await asCustomer(token, 'POST', '/webhooks', { ...inside, url: other.url })
    expect([fourth.status, fourth.body.content.field]).toEqual([400, 'url'])
    expect((await asCustomer(token, 'DELETE', path)).status).toBe(200)
    const list = await asCustomer<{ id: string }[]>(token, 'GET', '/webhooks')
    expect(list.body.content.map((each) => each.id)).not.toContain(id)
    expect(list.body.content).toHaveLength(2)
  })

  it('receives what the portal allows, independent of the settings of the endpoint', async () => {
    const filter = {
      match: 'all',
      conditions: [{ field: 'data.customer', operator: 'eq', value: 'acme' }],
    }
    const { token, portal } = await openPortal(admin, { filter })
    const { id } = await addOwn(token, { events: SCOPE })
    const received = async () => (await deliveriesOf(db(), id)).map(({ event_type }) => event_type)
    await emit(admin.org_id, 'order.fraud.detected', { customer: 'acme' })
    await emit(admin.org_id, 'order.fraud.detected', { customer: 'other' })
    expect(await received()).toEqual(['order.fraud.detected'])

    // Members of the organization can change the endpoint, but not beyond the portal.
    const all = { org_id: admin.org_id, events: ['mdm.device.enrolled', ...SCOPE] }
    const path = `/v1/webhooks/${id}`
    await harness().call({ method: 'PATCH', path, token: admin.token, body: all })
    await emit(admin.org_id, 'mdm.device.enrolled', { customer: 'acme' })
    expect(await received()).toHaveLength(1)
    const mode = { org_id: admin.org_id, mode: 'test' }
    const moved = await harness().post(`/console/api/webhooks/${id}/mode`, mode, admin)
    expect([moved.status, moved.body.content.field]).toEqual([400, 'mode'])

    await asAdmin(admin, 'PATCH', `/${portal.id}`, { events: ['email.check.completed'] })
    await emit(admin.org_id, 'order.fraud.detected', { customer: 'acme' })
    expect(await received()).toHaveLength(1)
    const tested = { type: 'order.fraud.detected' }
    const test = await asCustomer(token, 'POST', `/webhooks/${id}/test`, tested)
    expect([test.status, test.body.content.field]).toEqual([400, 'type'])
  })

  it('leaves an entry in the audit log that names the link', async () => {
    const { token, link, portal } = await openPortal(admin)
    const { id } = await addOwn(token)
    await asCustomer(token, 'PATCH', `/webhooks/${id}`, {
      headers: [{ name: 'x-api-key', value: 'a secret of the customer' }],
    })
    await asCustomer(token, 'DELETE', `/webhooks/${id}`)
    await harness().applyChanges()
    const { rows } = await sql<{ action: string; details: object }>`
      select action, details from audit_log where org_id = ${admin.org_id}
        and action ~ '^(portal|webhook)' order by id`.execute(harness().stores.directory)
    expect(rows.map(({ action }) => action)).toEqual([
      'portal.created',
      'portal_link.created',
      'webhook.created',
      'webhook.changed',
      'webhook.deleted',
    ])
    expect(rows[3]?.details).toEqual({
      headers: ['x-api-key'],
      portal: portal.name,
      portal_link: link.id,
    })
  })

  it('sees the catalog of the events of the portal, and sends their samples', async () => {
    const { token } = await openPortal(admin)
    const events = await asCustomer<{ type: string }[]>(token, 'GET', '/webhooks/events')
    expect(events.body.content.map(({ type }) => type)).toEqual(SCOPE)
    const { id } = await addOwn(token)
    const body = { type: 'order.fraud.detected' }
    expect((await asCustomer(token, 'POST', `/webhooks/${id}/test`, body)).status).toBe(200)
    const [delivery] = await deliveriesOf(db(), id)
    expect(JSON.parse(delivery?.body ?? '{}')).toMatchObject({
      type: 'order.fraud.detected',
      data: { risk: expect.any(Object) as object },
    })
  })
})

describe('a link', () => {
  const statusOf = async (token: string) => (await asCustomer(token, 'GET')).status

  it('works until it expires, is ended, or its portal is deleted', async () => {
    const { portal, link, token } = await openPortal(admin)
    expect(await statusOf(token)).toBe(200)
    const directory = harness().stores.directory
    // The clock of the service has milliseconds, so it can be behind the database's.
    await sql`update portal_links set expires_at = now() - interval '1 second'
      where id = ${link.id}`.execute(directory)
    expect(await statusOf(token)).toBe(401)

    const again = (await asAdmin<NewPortalLink>(admin, 'POST', `/${portal.id}/links`)).body.content
    const next = again.url.split('#')[1] ?? ''
    expect(await statusOf(next)).toBe(200)
    expect((await asAdmin(admin, 'DELETE', `/${portal.id}/links/${again.id}`)).status).toBe(200)
    expect(await statusOf(next)).toBe(401)

    const other = await openPortal(admin)
    const { id } = await addOwn(other.token)
    expect((await asAdmin(admin, 'DELETE', `/${other.portal.id}`)).status).toBe(200)
    expect(await statusOf(other.token)).toBe(401)
    const path = `/v1/webhooks/${id}?org_id=${admin.org_id}`
    expect((await harness().call({ method: 'GET', path, token: admin.token })).status).toBe(404)
  })

  it('is refused while the portal is gone, also where the link has stayed', async () => {
    const { portal, token } = await openPortal(admin)
    await sql`delete from portals where id = ${portal.id}`.execute(db())
    expect(await statusOf(token)).toBe(401)
  })

  it('is stored as a hash, shown with its last use, and never again as a token', async () => {
    const { portal, link, token } = await openPortal(admin)
    await statusOf(token)
    const listed = await asAdmin<object[]>(admin, 'GET', `/${portal.id}/links`)
    expect(listed.body.content).toMatchObject([
      { id: link.id, ended_at: null, last_used_at: expect.stringMatching(/Z$/) as string },
    ])
    const { rows } = await sql`select l::text from portal_links l where id = ${link.id}`.execute(
      harness().stores.directory,
    )
    expect(JSON.stringify([listed.body, rows])).not.toContain(token)
    const portals = await asAdmin<ListedPortal[]>(admin, 'GET', '')
    expect(portals.body.content).toMatchObject([{ active_links: 1, endpoints: 0 }])
  })

  it.each([0, 90 * 24 + 1, 1.5])('cannot be valid for %s hours', async (hours) => {
    const { portal } = await openPortal(admin)
    const { status, body } = await asAdmin<{ field: string }>(
      admin,
      'POST',
      `/${portal.id}/links`,
      { hours },
    )
    expect([status, body.content.field]).toEqual([400, 'hours'])
  })

  it('is created by a backend with a secret key of the mode of the portal', async () => {
    const { portal } = await openPortal(admin)
    const create = async (key: string | undefined) =>
      await harness().post<NewPortalLink>(
        `/sdk/portals/${portal.id}/links`,
        { hours: 1 },
        { key: key ?? '' },
      )
    const made = await create(admin.keys['live_secret'])
    expect(await statusOf(made.body.content.url.split('#')[1] ?? '')).toBe(200)
    expect((await create(admin.keys['test_secret'])).status).toBe(404)
    expect((await create((await newAdmin()).keys['live_secret'])).status).toBe(404)
    expect((await create(admin.keys['live_public'])).status).toBe(403)
  })
})

describe('the origins of a portal', () => {
  it.each([
    'shop.example.com',
    'http://shop.example.com',
    'https://shop.example.com/path',
    'https://*.example.com',
    "https://a.example; script-src 'unsafe-inline'",
    'https://user@shop.example.com',
    'null',
    '*',
  ])('cannot be %s', async (origin) => {
    const { portal } = await openPortal(admin)
    const changes = { allowed_origins: [origin] }
    const { status, body } = await asAdmin<{ field: string }>(
      admin,
      'PATCH',
      `/${portal.id}`,
      changes,
    )
    expect([status, body.content.field]).toEqual([400, 'allowed_origins.0'])
  })
})

/** Requests of each route of the page with the ids of an endpoint and a delivery. */
const BODIES: Record<string, object> = {
  'POST /console/api/portal/webhooks': { url: 'https://a.example.com/', events: SCOPE },
  'PATCH /console/api/portal/webhooks/:id': { description: 'Changed' },
  'POST /console/api/portal/webhooks/:id/test': { type: 'order.fraud.detected' },
}
const routesOfPortals = () =>
  harness()
    .app.declaredRoutes.filter(
      ({ config, method }) => config?.access === 'portal_link' && method !== 'HEAD',
    )
    .map(({ method, url }) => `${String(method)} ${url}`)
async function send(route: string, token: string | undefined, ids: Record<string, string>) {
  const [method = 'GET', pattern = ''] = route.split(' ')
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '')
  const request = { method: method as Method, path, ...(token !== undefined && { token }) }
  const body = BODIES[route] ?? {}
  return await harness().call<unknown>({
    ...request,
    ...(method !== 'GET' && method !== 'DELETE' && { body }),
  })
}

describe('every operation of portals', () => {
  let one: Opened
  /** Endpoints with a failed delivery: of another portal, of the organization, of another organization. */
  const strangers: Record<string, string>[] = []

  const addFailed = async (id: string, orgId: string) => {
    await sql`update webhook_endpoints set events = '{email.check.completed}' where id = ${id}`.execute(
      db(),
    )
    await addEvents(db(), orgId, 1)
    await sql`update webhook_deliveries set status = 'failed' where endpoint_id = ${id}`.execute(
      db(),
    )
    const [delivery] = await deliveriesOf(db(), id)
    strangers.push({ id, delivery_id: delivery?.id ?? '' })
  }
  beforeAll(async () => {
    const own = await newAdmin()
    one = await openPortal(own)
    const second = await openPortal(own)
    await addFailed((await addOwn(second.token)).id, own.org_id)
    const body = { org_id: own.org_id, url: 'https://own.example.com/', events: SCOPE }
    const created = await harness().post<{ id: string }>('/v1/webhooks', body, own)
    await addFailed(created.body.content.id, own.org_id)
    const their = await newAdmin()
    await addFailed((await addOwn((await openPortal(their)).token)).id, their.org_id)
  })
  const snapshot = async () => {
    const { rows } = await sql`
      select w::text, (select string_agg(d::text, ' ' order by d.id) from webhook_deliveries d
        where d.endpoint_id = w.id) from webhook_endpoints w
      where w.id = any (${strangers.map(({ id }) => id)}::uuid[]) order by w.id`.execute(db())
    return rows
  }

  it('refuses a missing, wrong, expired or ended link, and one to a portal that was deleted', async () => {
    const expired = await openPortal(admin)
    const ended = await openPortal(admin)
    const gone = await openPortal(admin)
    const directory = harness().stores.directory
    await sql`update portal_links set expires_at = now() where id = ${expired.link.id}`.execute(
      directory,
    )
    await asAdmin(admin, 'DELETE', `/${ended.portal.id}/links/${ended.link.id}`)
    await asAdmin(admin, 'DELETE', `/${gone.portal.id}`)
    const wrong = `${one.token.slice(0, -1)}${one.token.endsWith('0') ? '1' : '0'}`
    const tokens = [undefined, wrong, expired.token, ended.token, gone.token, admin.token]
    const routes = routesOfPortals()
    expect(routes.length).toBeGreaterThan(14)
    for (const route of routes) {
      for (const token of tokens) {
        const { status } = await send(route, token, { id: randomUUID(), delivery_id: randomUUID() })
        expect({ route, token, status }).toEqual({ route, token, status: 401 })
      }
    }
  })

  it('finds no endpoint or delivery outside of the portal, and changes none', async () => {
    const before = await snapshot()
    expect(before).toHaveLength(3)
    for (const route of routesOfPortals()) {
      for (const ids of strangers) {
        const { status, body } = await send(route, one.token, ids)
        if (/:\w/.test(route)) {
          expect({ route, status }).toEqual({ route, status: 404 })
        }
        expect(JSON.stringify(body)).not.toContain(ids['id'])
      }
    }
    expect(await snapshot()).toEqual(before)
  })

  it('requires the plan that includes webhooks', async () => {
    const { token } = await openPortal(admin)
    await sql`update organizations set plan = 'free' where id = ${admin.org_id}`.execute(
      harness().stores.directory,
    )
    for (const route of routesOfPortals()) {
      const { status } = await send(route, token, { id: randomUUID(), delivery_id: randomUUID() })
      expect({ route, status }).toEqual({ route, status: 403 })
    }
  })

  it('adds no more endpoints than are allowed when requests arrive together', async () => {
    const { token } = await openPortal(admin, { endpoints_max: 2 })
    const body = { url: 'https://acme.example.com/hook', events: SCOPE }
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => await asCustomer(token, 'POST', '/webhooks', body)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  })
})
