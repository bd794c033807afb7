import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  addApplication,
  createPushNode,
  createTestClock,
  newApnsToken,
  newFcmToken,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import type { RegisterRequest } from './service.ts'
import { invalidate } from './store.ts'
import { tokenHashOf } from './token.ts'

const db = testDatabase()
const clock = createTestClock()
const { subscriptions, identity } = createPushNode(db, clock)

let shop: TestApplication
beforeEach(async () => {
  shop = await addApplication(db)
})

const register = async (request: Partial<RegisterRequest> = {}, application = shop) =>
  await subscriptions.register(application.org_id, {
    application_id: application.application_id,
    platform: 'android',
    token: newFcmToken(),
    ...request,
  })
const assert = async (external_user_id: string, application = shop) => {
  const { org_id, application_id, environment: mode } = application
  const { identity_token } = await identity.issue(
    { org_id, mode },
    { application_id, external_user_id },
  )
  return identity_token
}
const identify = async (id: string, token: string, application = shop) =>
  await subscriptions.identify(
    application.org_id,
    { application_id: application.application_id, id },
    token,
  )
const find = async (id: string) =>
  await subscriptions.find(shop.org_id, { application_id: shop.application_id, id })
const refusal = (field: string) => ({ status: 400, body: { content: { field } } })
const storedToken = async (id: string) =>
  (
    await db
      .selectFrom('push_subscriptions')
      .select('token')
      .where('application_id', '=', shop.application_id)
      .where('id', '=', id)
      .executeTakeFirst()
  )?.token

describe('registering', () => {
  it('creates an anonymous subscription that shows only the end of its token', async () => {
    const token = newFcmToken()
    const created = await register({ token, locale: 'de-AT', app_version: '3.1' })
    expect(created).toMatchObject({
      application_id: shop.application_id,
      platform: 'android',
      token_tail: token.slice(-6),
      permission: 'granted',
      is_reachable: true,
      external_user_id: null,
      identified_at: null,
      invalidated_at: null,
      locale: 'de-AT',
      app_version: '3.1',
    })
    expect(await find(created.id)).toEqual(created)
    expect(JSON.stringify(created)).not.toContain(token.slice(-20))
    expect(JSON.stringify(created)).not.toContain(tokenHashOf(token))
  })

  it('the same token again returns the same subscription with its user', async () => {
    const token = newFcmToken()
    const { id } = await register({ token, locale: 'de', permission: 'provisional' })
    await identify(id, await assert('anna'))
    const again = await register({ token, app_version: '2' })
    expect(again).toMatchObject({
      id,
      external_user_id: 'anna',
      locale: 'de',
      permission: 'provisional',
      app_version: '2',
    })
  })

  it('an Apple token in either case is the same subscription', async () => {
    const token = newApnsToken()
    const one = await register({ platform: 'ios', token })
    const two = await register({ platform: 'ios', token: token.toUpperCase() })
    expect(two.id).toBe(one.id)
    expect(await storedToken(one.id)).toBe(token)
  })

  it('a changed token keeps the subscription and its user', async () => {
    const first = await register()
    await identify(first.id, await assert('anna'))
    const token = newFcmToken()
    const second = await register({ token, subscription_id: first.id.toUpperCase() })
    expect(second).toMatchObject({
      id: first.id,
      token_tail: token.slice(-6),
      external_user_id: 'anna',
    })
    const updated = newFcmToken()
    const key = { application_id: shop.application_id, id: first.id }
    expect(await subscriptions.update(shop.org_id, key, { token: updated })).toMatchObject({
      id: first.id,
      token_tail: updated.slice(-6),
      external_user_id: 'anna',
    })
  })

  it('a token of another subscription moves, and the other becomes unreachable', async () => {
    const [old, fresh] = [await register(), await register()]
    await identify(old.id, await assert('anna'))
    const token = await storedToken(old.id)
    const moved = await register({ token: token ?? '', subscription_id: fresh.id })
    expect(moved).toMatchObject({ id: fresh.id, external_user_id: null, is_reachable: true })
    expect(await storedToken(fresh.id)).toBe(token)
    expect(await find(old.id)).toMatchObject({
      token_tail: null,
      is_reachable: false,
      invalid_reason: 'token_moved',
      external_user_id: 'anna',
    })
    expect(await register({ subscription_id: old.id })).toMatchObject({
      id: old.id,
      is_reachable: true,
      invalid_reason: null,
      external_user_id: 'anna',
    })
  })

  it('an invalid token that moves is valid at its new subscription, and moved at the old one', async () => {
    const [old, fresh] = [await register(), await register()]
    const token = (await storedToken(old.id)) ?? ''
    const { org_id, application_id } = shop
    const key = { org_id, application_id, id: old.id }
    await invalidate(db, [{ ...key, token_hash: tokenHashOf(token), reason: 'UNREGISTERED' }])
    const moved = await register({ token, subscription_id: fresh.id })
    expect(moved).toMatchObject({ id: fresh.id, is_reachable: true })
    expect(await find(old.id)).toMatchObject({ token_tail: null, invalid_reason: 'token_moved' })
  })

  it('makes an invalid subscription reachable again', async () => {
    const token = newFcmToken()
    const { id } = await register({ token })
    const { org_id, application_id } = shop
    const reason = 'UNREGISTERED'
    await invalidate(db, [{ org_id, application_id, id, token_hash: tokenHashOf(token), reason }])
    expect(await find(id)).toMatchObject({ is_reachable: false, invalid_reason: 'UNREGISTERED' })
    expect(await register({ token })).toMatchObject({ id, is_reachable: true })
  })

  it('one token for two applications or providers creates two subscriptions', async () => {
    const token = newApnsToken()
    const other = await addApplication(db, { org_id: shop.org_id, environment: 'test' })
    const ids = [
      (await register({ platform: 'ios', token })).id,
      (await register({ platform: 'android', token })).id,
      (await register({ platform: 'ios', token }, other)).id,
    ]
    expect(new Set(ids).size).toBe(3)
  })

  it.each<[string, Partial<RegisterRequest>]>([
    ['token', { token: 'short' }],
    ['token', { token: `${'x'.repeat(20)} ${'x'.repeat(20)}` }],
    ['token', { token: 'ü'.repeat(32) }],
    ['token', { token: 'x'.repeat(4097) }],
    ['token', { platform: 'ios', token: 'xyz'.repeat(20) }],
    ['token', { platform: 'ios', token: 'abc'.repeat(21) }],
    ['application_id', { application_id: randomUUID() }],
    ['application_id', { application_id: 'shop' }],
    ['subscription_id', { subscription_id: randomUUID() }],
    ['subscription_id', { subscription_id: 'mine' }],
    ['identity_token', { identity_token: 'anna' }],
  ])('rejects an invalid %s by name, and registers nothing (%#)', async (field, given) => {
    await expect(register(given)).rejects.toMatchObject(refusal(field))
    const counts = await subscriptions.count(shop.org_id, shop.application_id)
    expect(counts.map(({ total }) => total)).toEqual([0, 0])
  })

  it('does not assign an Android token to an iOS subscription', async () => {
    const { id } = await register({ platform: 'ios', token: newApnsToken() })
    await expect(register({ subscription_id: id })).rejects.toMatchObject(refusal('platform'))
  })

  it('neither reaches nor reveals subscriptions of others', async () => {
    const other = await addApplication(db)
    const sibling = await addApplication(db, { org_id: shop.org_id })
    const token = newFcmToken()
    const { id } = await register({ token }, other)
    for (const application of [shop, sibling]) {
      await expect(register({ subscription_id: id }, application)).rejects.toMatchObject(
        refusal('subscription_id'),
      )
    }
    expect((await register({ token })).id).not.toBe(id)
    const key = { application_id: other.application_id, id }
    expect(await subscriptions.find(shop.org_id, key)).toBeUndefined()
    expect(await subscriptions.update(shop.org_id, key, { permission: 'denied' })).toBeUndefined()
    expect(await subscriptions.logout(shop.org_id, key)).toBeUndefined()
    const mine = await assert('anna')
    expect(await subscriptions.identify(shop.org_id, key, mine)).toBeUndefined()
    expect(await subscriptions.find(other.org_id, key)).toMatchObject({
      permission: 'granted',
      external_user_id: null,
      token_tail: token.slice(-6),
    })
  })
})

describe('the user of a subscription', () => {
  it('is set by an assertion, until the next one or a logout', async () => {
    const { id } = await register()
    expect(await identify(id, await assert('anna'))).toMatchObject({ external_user_id: 'anna' })
    const second = await identify(id, await assert('bert'))
    expect(second).toMatchObject({ external_user_id: 'bert' })
    expect(second?.identified_at).toBeInstanceOf(Date)
    const key = { application_id: shop.application_id, id }
    expect(await subscriptions.logout(shop.org_id, key)).toMatchObject({
      id,
      external_user_id: null,
      identified_at: null,
      is_reachable: true,
    })
    expect(await storedToken(id)).toBeTruthy()
  })

  it('can be set by the registration', async () => {
    const created = await register({ identity_token: await assert('anna') })
    expect(created).toMatchObject({ external_user_id: 'anna' })
  })

  it('cannot be set without an assertion', async () => {
    const raw = { external_user_id: 'victim' } as Partial<RegisterRequest>
    const { id, external_user_id } = await register(raw)
    expect(external_user_id).toBeNull()
    const key = { application_id: shop.application_id, id }
    const changes = { locale: 'de', ...raw }
    expect(await subscriptions.update(shop.org_id, key, changes)).toMatchObject({
      locale: 'de',
      external_user_id: null,
    })
    await expect(identify(id, 'victim')).rejects.toMatchObject(refusal('identity_token'))
  })

  it('cannot be set by an assertion for anything else', async () => {
    const test = await addApplication(db, { org_id: shop.org_id, environment: 'test' })
    const sibling = await addApplication(db, { org_id: shop.org_id })
    const other = await addApplication(db)
    const { id } = await register()
    for (const application of [test, sibling, other]) {
      const foreign = await assert('anna', application)
      await expect(identify(id, foreign)).rejects.toMatchObject(refusal('identity_token'))
      await expect(register({ identity_token: foreign })).rejects.toMatchObject(
        refusal('identity_token'),
      )
    }
    expect(await find(id)).toMatchObject({ external_user_id: null })
  })

  it('cannot be set by an expired assertion', async () => {
    const { id } = await register()
    const assertion = await assert('anna')
    clock.advance(301_000)
    await expect(identify(id, assertion)).rejects.toMatchObject(refusal('identity_token'))
  })

  it('is set for the first subscription that presents an assertion, repeatedly', async () => {
    const [first, second] = [await register(), await register()]
    const assertion = await assert('anna')
    expect(await identify(first.id, assertion)).toMatchObject({ external_user_id: 'anna' })
    await expect(identify(second.id, assertion)).rejects.toMatchObject(refusal('identity_token'))
    expect(await find(second.id)).toMatchObject({ external_user_id: null })
    expect(await identify(first.id, assertion)).toMatchObject({ external_user_id: 'anna' })
    const token = newFcmToken()
    await expect(register({ token, identity_token: assertion })).rejects.toMatchObject(
      refusal('identity_token'),
    )
    const [android] = await subscriptions.count(shop.org_id, shop.application_id)
    expect(android).toMatchObject({ total: 2, identified: 1 })
  })
})

describe('reading', () => {
  it('distinguishes registered from reachable subscriptions', async () => {
    await register()
    await register({ permission: 'provisional', identity_token: await assert('anna') })
    const { id } = await register({ permission: 'denied', identity_token: await assert('anna') })
    await register({ platform: 'ios', token: newApnsToken() })
    expect(await find(id)).toMatchObject({ permission: 'denied', is_reachable: false })
    expect(await subscriptions.count(shop.org_id, shop.application_id)).toEqual([
      { platform: 'android', total: 3, reachable: 2, identified: 1 },
      { platform: 'ios', total: 1, reachable: 1, identified: 0 },
    ])
    const key = { application_id: shop.application_id, id }
    await subscriptions.update(shop.org_id, key, { permission: 'granted' })
    const [android] = await subscriptions.count(shop.org_id, shop.application_id)
    expect(android).toMatchObject({ reachable: 3, identified: 2 })
  })

  it('lists the newest first, page by page, with filters', async () => {
    const created = [
      await register({ identity_token: await assert('anna') }),
      await register({ permission: 'denied' }),
      await register({ platform: 'ios', token: newApnsToken() }),
    ]
    await register({}, await addApplication(db, { org_id: shop.org_id }))
    const list = async (filter: object, limit = 10) =>
      (
        await subscriptions.list(shop.org_id, {
          application_id: shop.application_id,
          limit,
          ...filter,
        })
      ).map(({ id }) => created.findIndex((each) => each.id === id))
    expect(await list({})).toEqual([2, 1, 0])
    expect(await list({}, 2)).toEqual([2, 1])
    expect(await list({ before: created[1]?.id })).toEqual([0])
    expect(await list({ external_user_id: 'anna' })).toEqual([0])
    expect(await list({ external_user_id: 'anna\0' })).toEqual([])
    expect(await list({ external_user_id: 'ann' })).toEqual([])
    expect(await list({ platform: 'ios' })).toEqual([2])
    expect(await list({ is_reachable: true })).toEqual([2, 0])
    expect(await list({ is_reachable: false })).toEqual([1])
  })

  it('finds nothing of a deleted application', async () => {
    const { id } = await register()
    const assertion = await assert('anna')
    await db
      .updateTable('applications')
      .set({ deleted_at: new Date() })
      .where('id', '=', shop.application_id)
      .execute()
    expect(await find(id)).toBeUndefined()
    expect(await identify(id, assertion)).toBeUndefined()
    await expect(register()).rejects.toMatchObject(refusal('application_id'))
    const listing = subscriptions.list(shop.org_id, {
      application_id: shop.application_id,
      limit: 10,
    })
    await expect(listing).rejects.toMatchObject(refusal('application_id'))
  })
})
