import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import {
  addApplication,
  createPushNode,
  newApnsToken,
  newFcmToken,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import { pushSubscriptionRoutes } from './console.ts'

const db = testDatabase()
const node = createPushNode(db)
const portal = createPortal((app) => {
  pushSubscriptionRoutes(app, { subscriptions: node.subscriptions })
})
const { org_id } = portal

let shop: TestApplication
let foreign: TestApplication
beforeAll(async () => {
  shop = await addApplication(db, { org_id })
  foreign = await addApplication(db)
})

const PATH = '/console/api/push/subscriptions'
type Call = Partial<Parameters<typeof portal.call>[0]>
const ask = async (rest: string, call: Call = {}) =>
  await portal.call({ as: 'owner', path: `${PATH}${rest}`, ...call })
const send = async (rest: string, body: object, call: Call = {}) =>
  await ask(rest, {
    method: 'POST',
    body: { org_id, application_id: shop.application_id, ...body },
    ...call,
  })
const read = async (rest: string, query: object = {}, call: Call = {}) =>
  await ask(
    `${rest}?${new URLSearchParams({ org_id, application_id: shop.application_id, ...query }).toString()}`,
    call,
  )
const register = async (body: object = {}) => {
  const answer = await send('', { platform: 'android', token: newFcmToken(), ...body })
  return { ...answer, id: String(answer.body?.content['id']) }
}
const assert = async (external_user_id: string) => {
  const request = { application_id: shop.application_id, external_user_id }
  return (await node.identity.issue({ org_id, mode: 'live' }, request)).identity_token
}

describe('subscriptions over HTTP', () => {
  it('are registered, read, changed, identified and logged out', async () => {
    const token = newFcmToken()
    const { status, id, body } = await register({ token, locale: 'de' })
    expect([status, body?.message]).toEqual([200, 'Registered'])
    expect(body?.content).toEqual({
      id,
      application_id: shop.application_id,
      platform: 'android',
      token_tail: token.slice(-6),
      token_registered_at: expect.any(String) as string,
      external_user_id: null,
      identified_at: null,
      permission: 'granted',
      is_reachable: true,
      invalidated_at: null,
      invalid_reason: null,
      locale: 'de',
      app_version: null,
      time_zone: null,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    })
    const changes = { permission: 'denied', app_version: '2.0' }
    const changed = await send(`/${id}`, changes, { method: 'PATCH' })
    expect(changed.body?.content).toMatchObject({ ...changes, is_reachable: false, locale: 'de' })
    const identified = await send(`/${id}/identify`, { identity_token: await assert('anna') })
    expect(identified.body?.content).toMatchObject({ id, external_user_id: 'anna' })
    const found = await read(`/${id}`, {}, { as: 'member' })
    expect(found.body?.content).toMatchObject({ id, external_user_id: 'anna' })
    const out = await send(`/${id}/logout`, {})
    expect(out.body?.content).toMatchObject({ id, external_user_id: null })
    for (const { text } of [changed, identified, found, out]) expect(text).not.toContain(token)
  })

  it('are deleted, and start over when their token is registered again', async () => {
    const token = newFcmToken()
    const { id } = await register({ token, identity_token: await assert('anna') })
    const deleted = await read(`/${id}`, {}, { method: 'DELETE' })
    expect([deleted.status, deleted.body?.message]).toEqual([200, 'Subscription deleted'])
    expect((await read(`/${id}`)).status).toBe(404)
    expect((await read(`/${id}`, {}, { method: 'DELETE' })).status).toBe(404)
    expect((await register({ token, subscription_id: id })).body?.content).toEqual({
      field: 'subscription_id',
    })
    const again = await register({ token })
    expect(again.body?.content).toMatchObject({ external_user_id: null, is_reachable: true })
    expect(again.id).not.toBe(id)
  })

  it('are listed and counted', async () => {
    const application_id = (await addApplication(db, { org_id })).application_id
    const ids = [
      (await register({ application_id, permission: 'denied' })).id,
      (await register({ application_id, platform: 'ios', token: newApnsToken() })).id,
    ]
    const list = async (query: object) => {
      const { body } = await read('', { application_id, ...query }, { as: 'member' })
      const listed = (body?.content ?? []) as unknown as { id: string }[]
      return listed.map(({ id }) => ids.indexOf(id))
    }
    expect(await list({})).toEqual([1, 0])
    expect(await list({ limit: '1' })).toEqual([1])
    expect(await list({ before: ids[1] })).toEqual([0])
    expect(await list({ is_reachable: 'true' })).toEqual([1])
    expect(await list({ is_reachable: 'false', platform: 'android' })).toEqual([0])
    const { body } = await read('/counts', { application_id }, { as: 'member' })
    expect(body?.content).toEqual([
      { platform: 'android', total: 1, reachable: 0, identified: 0 },
      { platform: 'ios', total: 1, reachable: 1, identified: 0 },
    ])
  })

  it('accept no user without an assertion', async () => {
    const raw = { external_user_id: 'victim', identified_at: '2026-01-01T00:00:00Z' }
    const { id, body } = await register(raw)
    expect(body?.content).toMatchObject({ external_user_id: null, identified_at: null })
    const changed = await send(`/${id}`, { ...raw, locale: 'de' }, { method: 'PATCH' })
    expect(changed.body?.content).toMatchObject({ external_user_id: null })
    const identified = await send(`/${id}/identify`, { ...raw, identity_token: 'victim' })
    expect(identified.status).toBe(400)
    expect((await send(`/${id}/identify`, raw)).body?.content).toEqual({ field: 'identity_token' })
    expect((await read(`/${id}`)).body?.content).toMatchObject({ external_user_id: null })
    const put = await register({ ...raw, subscription_id: id })
    expect(put.body?.content).toMatchObject({ id, external_user_id: null })
  })

  it.each([
    ['platform', { platform: 'windows' }],
    ['token', { token: '' }],
    ['token', { token: 'x'.repeat(4097) }],
    ['token', { token: 'no token' }],
    ['permission', { permission: 'maybe' }],
    ['locale', { locale: 'x'.repeat(36) }],
    ['app_version', { app_version: 1 }],
    ['subscription_id', { subscription_id: 'mine' }],
    ['application_id', { application_id: 'shop' }],
    ['application_id', { application_id: undefined }],
    ['identity_token', { identity_token: 'x' }],
  ])('reject an invalid %s by name (%#)', async (field, given) => {
    const { status, body } = await register(given)
    expect({ status, field: body?.content['field'] }).toEqual({ status: 400, field })
  })

  it.each([
    ['before', { before: 'x' }],
    ['before', { before: `urn:uuid:${randomUUID()}` }],
    ['limit', { limit: '201' }],
    ['limit', { limit: '0' }],
    ['platform', { platform: 'fcm' }],
    ['is_reachable', { is_reachable: 'maybe' }],
    ['application_id', { application_id: randomUUID() }],
  ])('reject a list with an invalid %s by name (%#)', async (field, query) => {
    const { status, body } = await read('', query)
    expect({ status, field: body?.content['field'] }).toEqual({ status: 400, field })
  })
})

describe('subscriptions', () => {
  it('can be changed by owners, read by members, and are not found for others', async () => {
    const { id } = await register()
    const body = { org_id, application_id: shop.application_id }
    const calls: [rest: string, method: 'POST' | 'PATCH', body: object][] = [
      ['', 'POST', { ...body, platform: 'android', token: newFcmToken() }],
      [`/${id}`, 'PATCH', body],
      [`/${id}/identify`, 'POST', { ...body, identity_token: await assert('anna') }],
      [`/${id}/logout`, 'POST', body],
    ]
    for (const [as, status] of [
      ['member', 403],
      ['stranger', 404],
    ] as const) {
      expect((await read(`/${id}`, {}, { as, method: 'DELETE' })).status).toBe(status)
    }
    const elsewhere = { org_id: foreign.org_id }
    expect((await read(`/${id}`, elsewhere, { method: 'DELETE' })).status).toBe(404)
    for (const [rest, method, sent] of calls) {
      expect((await ask(rest, { as: 'member', method, body: sent })).status).toBe(403)
      expect((await ask(rest, { as: 'stranger', method, body: sent })).status).toBe(404)
      const other = { ...sent, org_id: foreign.org_id }
      expect((await ask(rest, { method, body: other })).status).toBe(404)
    }
    for (const rest of ['', '/counts', `/${id}`]) {
      expect((await read(rest, {}, { as: 'member' })).status).toBe(200)
      expect((await read(rest, {}, { as: 'stranger' })).status).toBe(404)
      expect((await read(rest, { org_id: foreign.org_id })).status).toBe(404)
    }
    expect((await read(`/${id}`)).body?.content).toMatchObject({ external_user_id: null })
  })

  it('of another organization or application are not found', async () => {
    const theirs = await node.subscriptions.register(foreign.org_id, {
      application_id: foreign.application_id,
      platform: 'android',
      token: newFcmToken(),
    })
    const identity_token = await assert('anna')
    const { id: mine } = await register()
    const sibling = (await addApplication(db, { org_id })).application_id
    const keys = [
      { application_id: foreign.application_id, id: theirs.id },
      { application_id: shop.application_id, id: theirs.id },
      { application_id: sibling, id: mine },
      { application_id: shop.application_id, id: randomUUID() },
      { application_id: shop.application_id, id: 'x' },
      { application_id: 'x', id: mine },
    ]
    for (const { application_id, id } of keys) {
      const answers = [
        await read(`/${id}`, { application_id }),
        await send(`/${id}`, { application_id, permission: 'denied' }, { method: 'PATCH' }),
        await send(`/${id}/identify`, { application_id, identity_token }),
        await send(`/${id}/logout`, { application_id }),
        await read(`/${id}`, { application_id }, { method: 'DELETE' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    }
    const key = { application_id: foreign.application_id, id: theirs.id }
    expect(await node.subscriptions.find(foreign.org_id, key)).toEqual(theirs)
  })
})
