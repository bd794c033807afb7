import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApnsRequest } from '../../src/modules/push/payloads/apns.ts'
import { buildFcmBody } from '../../src/modules/push/payloads/fcm.ts'
import { pushReceiptRoutes } from '../../src/modules/push/receipts/console.ts'
import { pushSubscriptionRoutes } from '../../src/modules/push/subscriptions/console.ts'
import type { Subscription } from '../../src/modules/push/subscriptions/schema.ts'
import { testDatabase } from '../../test/database.ts'
import {
  type Sender as AppleSender,
  createSender as createAppleSender,
} from '../../test/support/apns-sender.ts'
import { createSender, type Sender } from '../../test/support/fcm-sender.ts'
import { createPortal } from '../../test/support/mdm-portal.ts'
import {
  addApplication,
  addSentMessage,
  createPushNode,
  receiptsOf,
  type TestApplication,
} from '../../test/support/push-fixtures.ts'
import { type ApnsEmulator, startApns } from '../apns/index.ts'
import { createAuthority } from '../certificate.ts'
import { type FcmEmulator, startFcm } from '../fcm/index.ts'
import { createPushApp, type PushApp, type PushAppOptions } from './index.ts'

const db = testDatabase()
const node = createPushNode(db)
const portal = createPortal((app) => {
  pushSubscriptionRoutes(app, { subscriptions: node.subscriptions })
  pushReceiptRoutes(app, { receipts: node.receipts })
})
const PACKAGE = 'com.example.app'
const PLATFORMS = ['android', 'ios'] as const
type Platform = (typeof PLATFORMS)[number]

let fcm: FcmEmulator
let apns: ApnsEmulator
let google: Sender
let apple: AppleSender
let shop: TestApplication
let service_url = ''
beforeAll(async () => {
  const authority = createAuthority()
  fcm = await startFcm({ port: 0, authority })
  apns = await startApns({ port: 0, authority, environment: 'production' })
  google = await createSender(fcm)
  apple = await createAppleSender(apns)
  service_url = await portal.app.listen({ port: 0, host: '127.0.0.1' })
})
beforeEach(async () => {
  shop = await addApplication(db, { org_id: portal.org_id })
})
afterAll(async () => {
  google.client.close()
  apple.client.close()
  await portal.app.close()
  await fcm.close()
  await apns.close()
})

const createApp = (platform: Platform, more: Partial<PushAppOptions> = {}): PushApp =>
  createPushApp({
    service_url,
    access_token: portal.user_ids.owner,
    org_id: portal.org_id,
    application_id: shop.application_id,
    phone:
      platform === 'android'
        ? { platform, control: fcm.control }
        : { platform, control: apns.control },
    ...more,
  })
const installed = async (platform: Platform, more: Partial<PushAppOptions> = {}) => {
  const app = createApp(platform, more)
  await app.install()
  return app
}
const subscriptionOf = async (app: PushApp): Promise<Subscription | undefined> =>
  await node.subscriptions.find(shop.org_id, {
    application_id: shop.application_id,
    id: app.subscriptionId() ?? '',
  })
const tokenOf = (platform: Platform, app: PushApp) =>
  (platform === 'android' ? fcm : apns).control.getPhone(app.phoneId() ?? '').token
const assert = async (external_user_id: string) => {
  const request = { application_id: shop.application_id, external_user_id }
  const key = { org_id: shop.org_id, mode: shop.environment }
  return (await node.identity.issue(key, request)).identity_token
}

/** Sends a message as the service does. @returns id of the message */
async function push(platform: Platform, app: PushApp, change = {}): Promise<string> {
  const provider = platform === 'android' ? 'fcm' : 'apns'
  const message_id = await addSentMessage(db, shop, [app.subscriptionId() ?? ''], provider)
  const content = {
    message_id,
    recipient_id: randomUUID(),
    token: tokenOf(platform, app),
    priority: 'high' as const,
    title: 'Your order',
    body: 'It is ready',
    data: { order: '7' },
    deep_link: 'app://orders/7',
    ...change,
  }
  const built =
    platform === 'android'
      ? buildFcmBody({ ...content, package_name: PACKAGE })
      : buildApnsRequest({ ...content, bundle_id: PACKAGE }, new Date())
  if (!built.ok) throw new Error(built.fault.message)
  const { value } = built
  const answer =
    'message' in value
      ? await google.send(value.message)
      : await apple.send(content.token, value.headers, value.body)
  expect(answer.status).toBe(200)
  return message_id
}

describe.each(PLATFORMS)('an app on %s', (platform) => {
  test('registers once when it is installed, also if it is installed again', async () => {
    const app = await installed(platform, { locale: 'de', app_version: '1.2' })
    const id = app.subscriptionId()
    await app.install()
    expect(app.subscriptionId()).toBe(id)
    expect(await subscriptionOf(app)).toMatchObject({
      platform,
      token_tail: tokenOf(platform, app).slice(-6),
      external_user_id: null,
      is_reachable: true,
      locale: 'de',
      app_version: '1.2',
    })
    const counts = await node.subscriptions.count(shop.org_id, shop.application_id)
    expect(counts.reduce((sum, { total }) => sum + total, 0)).toBe(1)
  })

  test('on an existing phone uses its token', async () => {
    const first = await installed(platform)
    const phone_id = first.phoneId() ?? ''
    const phone =
      platform === 'android'
        ? { platform, control: fcm.control, phone_id }
        : { platform, control: apns.control, phone_id }
    const again = await installed(platform, { phone })
    expect(again.subscriptionId()).toBe(first.subscriptionId())
  })

  test('belongs to its user from sign-in to sign-out, also with a new token', async () => {
    const app = await installed(platform)
    await app.signIn(await assert('anna'))
    const before = tokenOf(platform, app)
    await app.newToken()
    expect(tokenOf(platform, app)).not.toBe(before)
    expect(await subscriptionOf(app)).toMatchObject({
      external_user_id: 'anna',
      token_tail: tokenOf(platform, app).slice(-6),
    })
    await app.signOut()
    expect(await subscriptionOf(app)).toMatchObject({ external_user_id: null, is_reachable: true })
  })

  test('cannot sign in by a name, nor by an assertion that another app has used', async () => {
    const app = await installed(platform)
    await expect(app.signIn('anna')).rejects.toThrow('400 identity_token')
    const assertion = await assert('anna')
    await (await installed(platform)).signIn(assertion)
    await expect(app.signIn(assertion)).rejects.toThrow('400 identity_token')
    expect(await subscriptionOf(app)).toMatchObject({ external_user_id: null })
  })

  test('is not reachable while its user denies permission', async () => {
    const app = await installed(platform)
    await app.setPermission('denied')
    await app.newToken()
    expect(await subscriptionOf(app)).toMatchObject({ permission: 'denied', is_reachable: false })
    await app.setPermission('granted')
    expect(await subscriptionOf(app)).toMatchObject({ permission: 'granted', is_reachable: true })
  })

  test('reports once for each notification that it was received and clicked', async () => {
    const app = await installed(platform)
    expect(await app.open()).toEqual([])
    const message_id = await push(platform, app)
    expect(await app.open()).toMatchObject([
      {
        message_id,
        title: 'Your order',
        body: 'It is ready',
        deep_link: 'app://orders/7',
        is_shown: true,
        data: { order: '7' },
      },
    ])
    expect(await receiptsOf(db, message_id)).toEqual({ received: 1, clicked: 1 })
    expect(await app.open()).toEqual([])
    const second = await push(platform, app)
    expect(await app.open(() => false)).toMatchObject([{ message_id: second }])
    expect(await receiptsOf(db, second)).toEqual({ received: 1, clicked: 0 })
    expect(await receiptsOf(db, message_id)).toEqual({ received: 1, clicked: 1 })
  })

  test('reports no click on notifications that are not shown', async () => {
    const app = await installed(platform)
    const silent = await push(platform, app, { title: undefined, body: undefined })
    expect(await app.open()).toMatchObject([{ message_id: silent, is_shown: false, title: null }])
    expect(await receiptsOf(db, silent)).toEqual({ received: 1, clicked: 0 })
    const denied = await push(platform, app)
    await app.setPermission('denied')
    expect(await app.open()).toMatchObject([{ message_id: denied, is_shown: false }])
    expect(await receiptsOf(db, denied)).toEqual({ received: 1, clicked: 0 })
  })

  test('that is not installed refuses to be used', async () => {
    const app = createApp(platform)
    await expect(app.signOut()).rejects.toThrow('not installed')
    await expect(app.open()).rejects.toThrow('not installed')
    expect(app.subscriptionId()).toBeNull()
  })
})

test('an app throws the refusal of the service', async () => {
  const app = createApp('android', { access_token: portal.user_ids.member })
  await expect(app.install()).rejects.toThrow('403 Owners and admins only')
})
