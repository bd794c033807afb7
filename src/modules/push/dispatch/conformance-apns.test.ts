import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApnsReason, REASONS } from '../../../../emulators/apns/index.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { AFTERMATH, type Aftermath, sendToPhone } from '../../../../test/support/push-aftermath.ts'
import {
  addPushApp,
  clearPush,
  letPushPass,
  listMiscounted,
  startPushDispatcher,
  startPushProviders,
} from '../../../../test/support/push-dispatch.ts'
import { recipientsOf } from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import { TEXTS } from '../providers/apns-outcome.ts'
import { recipientIdOf } from '../recipient-id.ts'

const db = ownDatabase()
let providers: Awaited<ReturnType<typeof startPushProviders>>
let dispatcher: Dispatcher
beforeAll(async () => {
  providers = await startPushProviders(db, { deadline_ms: 1500 })
})
afterAll(async () => await providers.close())
beforeEach(() => {
  const { senders, credentialCache } = providers
  dispatcher = startPushDispatcher(db, { senders, credentialCache, deadline_ms: 1500 })
})
afterEach(async () => {
  await dispatcher.stop(0)
  providers.apns.setFaults({})
  expect(await listMiscounted(db)).toEqual([])
  await clearPush(db)
})

type App = Awaited<ReturnType<typeof newApp>>
const newApp = async (environment: 'production' | 'sandbox' = 'production') =>
  await addPushApp(db, { credentials: providers.credentialsOf(environment) })
const send = async (token: string, app?: App) =>
  await sendToPhone(db, app ?? (await newApp()), token, { provider: 'apns', dispatcher })

const failed = AFTERMATH.message_failed
const rejected = AFTERMATH.credential_rejected

const CODES: Readonly<Record<ApnsReason, Aftermath>> = {
  BadDeviceToken: AFTERMATH.token_invalidated('wrong_environment'),
  DeviceTokenNotForTopic: AFTERMATH.token_invalidated('DeviceTokenNotForTopic'),
  Unregistered: AFTERMATH.token_invalidated('Unregistered'),
  ExpiredToken: AFTERMATH.token_invalidated('ExpiredToken'),
  BadCollapseId: failed('BadCollapseId'),
  BadExpirationDate: failed('BadExpirationDate'),
  BadMessageId: failed('BadMessageId'),
  BadPriority: failed('BadPriority'),
  DuplicateHeaders: failed('DuplicateHeaders'),
  InvalidPushType: failed('InvalidPushType'),
  MissingDeviceToken: failed('MissingDeviceToken'),
  PayloadEmpty: failed('PayloadEmpty'),
  PayloadTooLarge: failed('PayloadTooLarge'),
  BadPath: failed('BadPath'),
  MethodNotAllowed: failed('MethodNotAllowed'),
  BadTopic: rejected(TEXTS.topic),
  MissingTopic: rejected(TEXTS.topic),
  TopicDisallowed: rejected(TEXTS.topic),
  BadCertificate: rejected(TEXTS.credential),
  Forbidden: rejected(TEXTS.credential),
  InvalidProviderToken: rejected(TEXTS.credential),
  InvalidSigningKey: rejected(TEXTS.credential),
  MissingProviderToken: rejected(TEXTS.credential),
  UnrelatedKeyIdInToken: rejected(TEXTS.credential),
  BadCertificateEnvironment: rejected(TEXTS.environment),
  BadEnvironmentKeyIdInToken: rejected(TEXTS.environment),
  ExpiredProviderToken: rejected(TEXTS.expired),
  TooManyRequests: AFTERMATH.tried_later('device_throttled'),
  TooManyProviderTokenUpdates: AFTERMATH.app_paused(),
  IdleTimeout: AFTERMATH.tried_later('IdleTimeout'),
  InternalServerError: AFTERMATH.tried_later('InternalServerError'),
  ServiceUnavailable: AFTERMATH.provider_unavailable('ServiceUnavailable'),
  Shutdown: AFTERMATH.provider_unavailable('Shutdown'),
}

describe('reasons documented by Apple', () => {
  it('are all covered', () => {
    expect(Object.keys(CODES).toSorted()).toEqual(Object.keys(REASONS).toSorted())
  })

  it.each(Object.entries(CODES) as [ApnsReason, Aftermath][])('%s', async (code, aftermath) => {
    const { token } = providers.apns.makePhone()
    providers.apns.changePhone(token, { denial: { code } })
    const { becomes } = await send(token)
    await becomes(aftermath)
  })
})

describe('an Apple device', () => {
  it('gets a message under the id of its recipient, which Apple returns', async () => {
    const { token, id: phone } = providers.apns.makePhone()
    const { id, subscription_id, becomes } = await send(token)
    await becomes(AFTERMATH.accepted)
    const [delivery] = providers.apns.getPhone(phone).last
    expect(delivery?.id).toBe(recipientIdOf(id, subscription_id))
    expect(await recipientsOf(db, id)).toMatchObject([{ provider_id: delivery?.id }])
  })

  it('of the other environment invalidates the subscription with that reason', async () => {
    const { token } = providers.sandbox.makePhone()
    await (await send(token)).becomes(AFTERMATH.token_invalidated('wrong_environment'))
    await (await send(token, await newApp('sandbox'))).becomes(AFTERMATH.accepted)
  })

  it('that registered its token after the time that Apple reports is retried', async () => {
    const { token, id } = providers.apns.makePhone()
    const beforeThat = Date.now() - 2 * 3_600_000
    providers.apns.changePhone(id, { gone: { reason: 'Unregistered', timestamp_ms: beforeThat } })
    const { becomes } = await send(token)
    await becomes(AFTERMATH.tried_later('Unregistered'))
    providers.apns.changePhone(id, { gone: null })
    await letPushPass(db, 15_000)
    dispatcher.hint()
    const { recipient } = AFTERMATH.accepted
    await becomes({ ...AFTERMATH.accepted, recipient: { ...recipient, attempts: 2 } })
  })

  it('that is repeatedly reported as invalid fails in the end, but keeps its subscription', async () => {
    const { token, id } = providers.apns.makePhone()
    const beforeThat = Date.now() - 48 * 3_600_000
    providers.apns.changePhone(id, { gone: { reason: 'ExpiredToken', timestamp_ms: beforeThat } })
    const { becomes } = await send(token)
    for (let attempts = 1; attempts < 4; attempts += 1) {
      const { recipient, ...rest } = AFTERMATH.tried_later('ExpiredToken')
      await becomes({ ...rest, recipient: { ...recipient, attempts } })
      await letPushPass(db, 120_000)
      dispatcher.hint()
    }
    const { recipient, ...rest } = failed('ExpiredToken')
    await becomes({ ...rest, recipient: { ...recipient, attempts: 4 } })
  })

  it('whose answer was lost gets one more attempt, under the same id', async () => {
    const { token, id: phone } = providers.apns.makePhone()
    providers.apns.changePhone(phone, { denial: { code: 'lost_answer', times: 1 } })
    const { id, subscription_id, becomes } = await send(token)
    await becomes(AFTERMATH.in_doubt('broken'))
    await letPushPass(db, 15_000)
    dispatcher.hint()
    const recipient = { status: 'accepted', reason: null, attempts: 2, is_unsure: true }
    await becomes({ ...AFTERMATH.accepted, recipient })
    expect(providers.apns.truth().messages).toContainEqual(
      expect.objectContaining({ id: recipientIdOf(id, subscription_id), count: 2 }),
    )
  })
})

describe('an Apple key', () => {
  it('that was revoked needs attention, while other apps continue', async () => {
    const revoked = providers.apns.addKey()
    const { fcm, apns } = providers.credentialsOf('production')
    const { key_id, private_key } = revoked
    const app = await addPushApp(db, {
      credentials: { fcm, apns: { ...apns, key: { ...apns.key, key_id, private_key } } },
    })
    await (await send(providers.apns.makePhone().token, app)).becomes(AFTERMATH.accepted)
    providers.apns.changeKey(revoked.key_id, { is_revoked: true })
    const { becomes } = await send(providers.apns.makePhone().token, app)
    await becomes(rejected(TEXTS.credential))
    await (await send(providers.apns.makePhone().token)).becomes(AFTERMATH.accepted)
  })

  it('of the other environment needs attention', async () => {
    const { key_id, private_key } = providers.apns.addKey({ environments: ['sandbox'] })
    const { fcm, apns } = providers.credentialsOf('production')
    const app = await addPushApp(db, {
      credentials: { fcm, apns: { ...apns, key: { ...apns.key, key_id, private_key } } },
    })
    const { becomes } = await send(providers.apns.makePhone().token, app)
    await becomes(rejected(TEXTS.environment))
  })
})
