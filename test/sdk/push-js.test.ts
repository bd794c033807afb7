/** The push client for apps in JavaScript against the real service, on phones of the emulated providers. */
import { describe, expect, it } from 'vitest'
import { createHandset } from '../../emulators/push-app/handset.ts'
import { systemEnvironment } from '../../sdk/push-js/src/environment.ts'
import { createPush, type PushOptions, type PushProblem } from '../../sdk/push-js/src/index.ts'
import { lossyFetch } from '../support/lossy-fetch.ts'
import { type Shop, usePushService } from '../support/push-service.ts'

const service = usePushService()
const PLATFORMS = ['android', 'ios'] as const
type Platform = (typeof PLATFORMS)[number]

function createPhone(shop: Shop, platform: Platform) {
  const { fcm, apns, url } = service()
  const handset = createHandset(
    platform === 'android' ? { platform, control: fcm } : { platform, control: apns },
  )
  const storage = createStorage()
  const problems: PushProblem[] = []
  const open = (options: Partial<PushOptions> = {}, environment = systemEnvironment()) =>
    createPush(
      {
        service_url: url,
        api_key: shop.keys.live_public,
        application_id: shop.application_id,
        platform,
        storage,
        identity_token: shop.identityToken,
        on_problem: (problem) => void problems.push(problem),
        ...options,
      },
      environment,
    )
  return { handset, storage, problems, open }
}

function createStorage() {
  const values = new Map<string, string>()
  return {
    getItem: async (key: string) => await Promise.resolve(values.get(key) ?? null),
    setItem: async (key: string, value: string) => await Promise.resolve(values.set(key, value)),
  }
}

const FACTS = {
  permission: 'granted',
  locale: 'de-CH',
  app_version: '2.1.0',
  time_zone: 'Europe/Zurich',
} as const

const sendTo = async (shop: Shop, user: string) => {
  const { message_id } = await shop.send({
    external_user_ids: [user],
    deep_link: 'shop://orders/1',
  })
  return await shop.settled(message_id)
}

describe.each(PLATFORMS)('an app on %s', (platform) => {
  it('gets messages of its user and reports them, until the user logs out', async () => {
    const shop = await service().createShop()
    const { handset, problems, open } = createPhone(shop, platform)
    const push = open()
    await push.update({ token: handset.token(), ...FACTS })
    const { subscription_id } = await push.identify('anna')
    expect(await push.update({ token: handset.token() })).toMatchObject({ is_synced: true })

    const sent = await sendTo(shop, 'anna')
    expect(sent).toMatchObject({ targeted: 1, accepted: 1 })
    const [notification] = handset.takeArrived()
    expect(notification).toMatchObject({ message_id: sent.id, deep_link: 'shop://orders/1' })
    await push.received(notification?.data)
    await push.clicked(notification?.data)
    await push.clicked(notification?.data)
    expect(await shop.message(sent.id)).toMatchObject({ received: 1, clicked: 1 })

    const status = await push.logout()
    expect(status).toMatchObject({ subscription_id, external_user_id: null, is_synced: true })
    expect(await sendTo(shop, 'anna')).toMatchObject({ targeted: 0 })
    const { message_id } = await shop.send({ all: true })
    expect(await shop.settled(message_id)).toMatchObject({ accepted: 1 })
    expect(handset.takeArrived()).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('keeps its user with a new token, and gets nothing without permission', async () => {
    const shop = await service().createShop()
    const { handset, open } = createPhone(shop, platform)
    const push = open()
    await push.update({ token: handset.token() })
    await push.identify('anna')
    handset.renewToken()
    await push.update({ token: handset.token() })
    expect(await sendTo(shop, 'anna')).toMatchObject({ accepted: 1 })
    expect(handset.takeArrived()).toHaveLength(1)
    await push.update({ permission: 'denied' })
    await sendTo(shop, 'anna')
    expect(handset.takeArrived()).toEqual([])
  })
})

it('a phone with lost responses has one subscription, and reports each message once', async () => {
  const shop = await service().createShop()
  const { handset, storage, open } = createPhone(shop, 'android')
  const fetch = lossyFetch(2)
  const lossy = { ...systemEnvironment(), fetch }
  const first = open({}, lossy)
  expect(await first.update({ token: handset.token() })).toMatchObject({ is_synced: false })
  first.close()
  // The app is started again, and finds what it has stored.
  const push = open({ storage }, lossy)
  await push.sync()
  await push.sync()
  expect(await push.identify('anna')).toMatchObject({ is_synced: true })
  const everything = await shop.send({ all: true })
  expect(await shop.settled(everything.message_id)).toMatchObject({ recipients: 1, accepted: 1 })
  const [notification] = handset.takeArrived()
  const offline = open({ service_url: 'http://127.0.0.1:1' })
  expect(await offline.received(notification?.data)).toMatchObject({ receipts_waiting: 1 })
  offline.close()
  expect(await open().sync()).toMatchObject({ receipts_waiting: 0, is_synced: true })
  expect(await shop.message(everything.message_id)).toMatchObject({ received: 1 })
})

it('an app that another installation has replaced registers again', async () => {
  const shop = await service().createShop()
  const former = createPhone(shop, 'android')
  const push = former.open()
  const token = former.handset.token()
  await push.update({ token })
  const identified = await push.identify('anna')
  // After a reinstallation, the token is the same and the storage is empty.
  await createPhone(shop, 'android').open().update({ token })
  const status = await push.update({ locale: 'fr-CH' })
  expect(status).toMatchObject({
    subscription_id: identified.subscription_id,
    external_user_id: 'anna',
    is_synced: true,
  })
  expect(await sendTo(shop, 'anna')).toMatchObject({ accepted: 1 })
})

it('unsubscribing deletes the subscription, and subscribing creates another one', async () => {
  const shop = await service().createShop()
  const { handset, open } = createPhone(shop, 'ios')
  const push = open()
  const { subscription_id } = await push.update({ token: handset.token() })
  expect(await push.unsubscribe()).toMatchObject({ subscription_id: null, is_synced: true })
  const message = await shop.send({ all: true })
  expect(await shop.settled(message.message_id)).toMatchObject({ recipients: 0 })
  const again = await push.subscribe()
  expect(again.subscription_id).toEqual(expect.any(String))
  expect(again.subscription_id).not.toBe(subscription_id)
})

it('refusals are reported to the app', async () => {
  const shop = await service().createShop()
  const wrongToken = createPhone(shop, 'ios')
  await wrongToken.open().update({ token: 'not hexadecimal' })
  expect(wrongToken.problems).toMatchObject([
    { operation: 'register', status: 400, field: 'token' },
  ])
  const wrongKey = createPhone(shop, 'ios')
  await wrongKey.open({ api_key: 'pk_live_wrong' }).update({ token: wrongKey.handset.token() })
  expect(wrongKey.problems).toMatchObject([{ operation: 'register', status: 401 }])
  const wrongUser = createPhone(shop, 'ios')
  const push = wrongUser.open({ identity_token: async () => await Promise.resolve('forged') })
  await push.update({ token: wrongUser.handset.token() })
  expect(await push.identify('anna')).toMatchObject({ external_user_id: null, is_synced: true })
  expect(wrongUser.problems).toMatchObject([{ operation: 'identify', field: 'identity_token' }])
})
