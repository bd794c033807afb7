/** Specification, "Push": from the sign-in of a user to the receipts of a message (OP-32 to OP-35). */
import { describe, expect, it } from 'vitest'
import { post, usePushService } from '../support/push-service.ts'

const service = usePushService()

const NOTIFICATION = {
  title: 'Your order is on its way',
  body: 'It will be there between 14:00 and 15:00.',
  data: { order_id: '8841' },
  deep_link: 'shop://orders/8841',
}

describe('a message to a user with a phone of each kind', () => {
  it('reaches both with all fields, and counts receipts separately from acceptance', async () => {
    const { fcm, apns, sandbox, createShop } = service()
    const shop = await createShop()
    const android = await shop.install('android', 'anna')
    const apple = await shop.install('ios', 'anna')
    const others = await shop.install('android', 'ben')

    const sent = await shop.send({ external_user_ids: ['anna'], ...NOTIFICATION })
    expect(sent).toMatchObject({ status: 'queued', targeted: 2 })
    const { message_id } = sent
    const accepted = await shop.settled(message_id)
    expect(accepted).toMatchObject({
      status: 'sent',
      targeted: 2,
      recipients: 2,
      accepted: 2,
      failed: 0,
      received: 0,
      clicked: 0,
    })

    const { last: atGoogle } = fcm.getPhone(android.phoneId() ?? '')
    expect(atGoogle.map(({ body }) => body)).toMatchObject([
      {
        notification: { title: NOTIFICATION.title, body: NOTIFICATION.body },
        data: {
          ...NOTIFICATION.data,
          vigil_message_id: message_id,
          vigil_deep_link: NOTIFICATION.deep_link,
        },
      },
    ])
    const { last: atApple } = apns.getPhone(apple.phoneId() ?? '')
    expect(atApple.map(({ body }) => body)).toMatchObject([
      {
        aps: { alert: { title: NOTIFICATION.title, body: NOTIFICATION.body } },
        ...NOTIFICATION.data,
        vigil_message_id: message_id,
        vigil_deep_link: NOTIFICATION.deep_link,
      },
    ])
    expect(fcm.getPhone(others.phoneId() ?? '').received).toBe(0)
    expect(sandbox.truth().accepted).toBe(0)

    const { title, body, data, deep_link } = NOTIFICATION
    const seen = { message_id, title, body, deep_link, is_shown: true }
    expect(await android.open()).toMatchObject([{ ...seen, data }])
    expect(await shop.message(message_id)).toMatchObject({ accepted: 2, received: 1, clicked: 1 })
    expect(await apple.open(() => false)).toMatchObject([{ ...seen, data }])
    expect(await shop.message(message_id)).toMatchObject({ accepted: 2, received: 2, clicked: 1 })
    expect(await others.open()).toEqual([])

    const page = await shop.content<{ recipients: object[] }>({
      path: `/messages/${message_id}/recipients`,
    })
    const recipient = { status: 'accepted', external_user_id: 'anna', clicked_at: null }
    expect(page.recipients).toMatchObject([
      { ...recipient, provider: 'apns', subscription_id: apple.subscriptionId() },
      {
        ...recipient,
        provider: 'fcm',
        subscription_id: android.subscriptionId(),
        clicked_at: expect.any(String) as string,
      },
    ])
  })

  it('was sent to each exactly once', () => {
    const { fcm, apns } = service()
    expect([fcm.truth().repeated, apns.truth().repeated]).toEqual([0, 0])
  })
})

describe('receipts', () => {
  it('count once each, and only for recipients', async () => {
    const shop = await service().createShop()
    const app = await shop.install('android')
    const stranger = await shop.install('android')
    const { message_id } = await shop.send({ subscription_ids: [app.subscriptionId()] })
    await shop.settled(message_id)
    const report = async (subscription_id: string | null, kind: string) =>
      await shop.content(post('/receipts', { receipts: [{ message_id, subscription_id, kind }] }))
    for (const kind of ['clicked', 'received', 'received', 'clicked']) {
      expect(await report(app.subscriptionId(), kind)).toEqual({ received: 1, known: 1 })
      expect(await report(stranger.subscriptionId(), kind)).toEqual({ received: 1, known: 0 })
    }
    expect(await shop.message(message_id)).toMatchObject({ accepted: 1, received: 1, clicked: 1 })
  })

  it('neither require nor cause acceptance by a provider', async () => {
    const shop = await service().createShop()
    const app = await shop.install('android')
    service().fcm.changePhone(app.phoneId() ?? '', { denial: { code: 'INVALID_ARGUMENT' } })
    const { message_id } = await shop.send({ subscription_ids: [app.subscriptionId()] })
    const failed = await shop.settled(message_id)
    expect(failed).toMatchObject({ status: 'failed', accepted: 0, failed: 1, received: 0 })
    const receipts = [{ message_id, subscription_id: app.subscriptionId(), kind: 'received' }]
    await shop.content(post('/receipts', { receipts }))
    expect(await shop.message(message_id)).toMatchObject({ accepted: 0, failed: 1, received: 1 })
  })
})

describe('the status of a message', () => {
  it('is one word, with the reasons of failures', async () => {
    const { createShop, fcm } = service()
    const shop = await createShop()
    const [good, gone] = [await shop.install('android'), await shop.install('android')]
    fcm.changePhone(gone.phoneId() ?? '', { is_registered: false })
    const { message_id } = await shop.send({ all: true })
    expect(await shop.settled(message_id)).toMatchObject({
      status: 'partially_failed',
      accepted: 1,
      failed: 1,
      pending: 0,
      failures: [{ provider: 'fcm', reason: 'UNREGISTERED', count: 1 }],
    })
    // From now on, the device is unregistered.
    expect(await shop.send({ all: true })).toMatchObject({ targeted: 1 })
    expect(await good.open()).toHaveLength(1)
    await gone.newToken()
    expect(await shop.send({ all: true })).toMatchObject({ targeted: 2 })
  })

  it('to no subscriptions is sent', async () => {
    const shop = await service().createShop()
    const { message_id, targeted } = await shop.send({ external_user_ids: ['nobody'] })
    expect(targeted).toBe(0)
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', recipients: 0 })
  })

  it('to a user who has signed out is failed, and it does not reach the next user', async () => {
    const { createShop, fcm } = service()
    const shop = await createShop()
    const app = await shop.install('android', 'anna')
    const send_at = new Date(Date.now() + 60_000).toISOString()
    const { message_id } = await shop.send({ external_user_ids: ['anna'], send_at })
    await app.signOut()
    await app.signIn(await shop.identityToken('ben'))
    const past = new Date(Date.now() - 1000).toISOString()
    const path = `/messages/${message_id}/schedule`
    await shop.content(post(path, { send_at: past }))
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', recipients: 0 })
    expect(fcm.getPhone(app.phoneId() ?? '').received).toBe(0)
  })
})
