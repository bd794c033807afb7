import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FcmErrorCode } from '../../../../emulators/fcm/index.ts'
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
import { messageOf, recipientsOf } from '../../../../test/support/push-messages.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import { TEXTS } from '../providers/fcm-outcome.ts'
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
  providers.fcm.setFaults({})
  providers.fcm.setQuotas({ messages_per_minute: null })
  expect(await listMiscounted(db)).toEqual([])
  await clearPush(db)
})

const newApp = async () =>
  await addPushApp(db, { credentials: providers.credentialsOf('production') })
const send = async (token: string, app?: Awaited<ReturnType<typeof newApp>>) =>
  await sendToPhone(db, app ?? (await newApp()), token, { provider: 'fcm', dispatcher })

const CODES: Readonly<Record<FcmErrorCode, Aftermath>> = {
  UNSPECIFIED_ERROR: AFTERMATH.tried_later('UNSPECIFIED_ERROR'),
  INVALID_ARGUMENT: AFTERMATH.message_failed('INVALID_ARGUMENT'),
  UNREGISTERED: AFTERMATH.token_invalidated('UNREGISTERED'),
  SENDER_ID_MISMATCH: AFTERMATH.token_invalidated('SENDER_ID_MISMATCH'),
  QUOTA_EXCEEDED: AFTERMATH.app_paused(),
  UNAVAILABLE: AFTERMATH.provider_unavailable('UNAVAILABLE'),
  INTERNAL: AFTERMATH.tried_later('INTERNAL'),
  THIRD_PARTY_AUTH_ERROR: AFTERMATH.credential_rejected(TEXTS.third_party),
}

describe('error codes documented by FCM', () => {
  it.each(Object.entries(CODES) as [FcmErrorCode, Aftermath][])('%s', async (code, aftermath) => {
    const { token } = providers.fcm.makePhone()
    providers.fcm.changePhone(token, { denial: { code, retry_after_s: 60 } })
    const { becomes } = await send(token)
    await becomes(aftermath)
  })

  const OTHERS = (Object.keys(CODES) as FcmErrorCode[]).filter(
    (code) => code !== 'THIRD_PARTY_AUTH_ERROR',
  )
  it.each(OTHERS)('%s for one of many does not affect the others', async (code) => {
    const app = await newApp()
    const [odd = '', ...others] = providers.fcm.makePhones(4)
    providers.fcm.changePhone(odd, { denial: { code, retry_after_s: 60, times: 1 } })
    await send(odd, app)
    for (const token of others) await send(token, app)
    await vi.waitFor(
      async () => {
        // In case the app was paused.
        await letPushPass(db, 60_000)
        dispatcher.hint()
        const received = others.map((token) => providers.fcm.getPhone(token).received)
        expect(received).toEqual([1, 1, 1])
      },
      { timeout: 15_000, interval: 100 },
    )
  })
})

describe('an Android device', () => {
  it('gets a message under the tag of its recipient, and the id of FCM is stored', async () => {
    const { token, id: phone } = providers.fcm.makePhone()
    const { id, subscription_id, becomes } = await send(token)
    await becomes(AFTERMATH.accepted)
    const [delivery] = providers.fcm.getPhone(phone).last
    expect(delivery?.body).toMatchObject({
      notification: { title: 'Hello', body: 'World' },
      data: { vigil_message_id: id, vigil_recipient_id: recipientIdOf(id, subscription_id) },
      android: { notification: { tag: recipientIdOf(id, subscription_id) } },
    })
    expect(await recipientsOf(db, id)).toMatchObject([
      { provider_id: `projects/vigil-emulator/messages/${delivery?.id}` },
    ])
  })

  it('with a malformed token invalidates the subscription', async () => {
    const { becomes } = await send('this-is-no-registration-token')
    await becomes(AFTERMATH.token_invalidated('INVALID_ARGUMENT'))
  })

  it('that is unknown or of another project invalidates the subscription', async () => {
    const { token } = providers.fcm.makePhone()
    providers.fcm.renewToken(token)
    await (await send(token)).becomes(AFTERMATH.token_invalidated('UNREGISTERED'))
    const other = providers.fcm.makePhone({ project_id: 'another-project' })
    await (await send(other.token)).becomes(AFTERMATH.token_invalidated('SENDER_ID_MISMATCH'))
  })

  it('of another app does not show the message, and keeps its token', async () => {
    const { token } = providers.fcm.makePhone({ package_name: 'com.example.other' })
    await (await send(token)).becomes(AFTERMATH.message_failed('INVALID_ARGUMENT'))
  })
})

describe('a failure of FCM', () => {
  it('that is transient delays a message, which arrives once', async () => {
    const { token } = providers.fcm.makePhone()
    providers.fcm.setFaults({ errors: [{ code: 'UNAVAILABLE', rate: 1 }] })
    const { id, becomes } = await send(token)
    await becomes(AFTERMATH.provider_unavailable('UNAVAILABLE'))
    providers.fcm.setFaults({})
    await letPushPass(db, 15_000)
    dispatcher.hint()
    await becomes({
      ...AFTERMATH.accepted,
      recipient: { ...AFTERMATH.accepted.recipient, attempts: 2 },
    })
    expect(providers.fcm.getPhone(token).received).toBe(1)
    expect(await messageOf(db, id)).toMatchObject({ accepted: 1 })
  })

  it('that loses an answer causes one more attempt, under the same tag, and no third', async () => {
    const lost = providers.fcm.makePhone()
    providers.fcm.changePhone(lost.id, { denial: { code: 'lost_answer', times: 1 } })
    const first = await send(lost.token)
    await first.becomes(AFTERMATH.in_doubt('broken'))
    await letPushPass(db, 15_000)
    dispatcher.hint()
    await first.becomes({
      ...AFTERMATH.accepted,
      recipient: { status: 'accepted', reason: null, attempts: 2, is_unsure: true },
    })
    const never = providers.fcm.makePhone()
    providers.fcm.changePhone(never.id, { denial: { code: 'lost_answer' } })
    const second = await send(never.token)
    await second.becomes(AFTERMATH.in_doubt('broken'))
    await letPushPass(db, 15_000)
    dispatcher.hint()
    const recipient = { status: 'failed', reason: 'no_answer', attempts: 2, is_unsure: true }
    await second.becomes({ ...AFTERMATH.message_failed('no_answer'), recipient })
    const { messages } = providers.fcm.truth()
    const countOf = (token: string) => messages.find((each) => each.token === token)?.count
    expect([countOf(lost.token), countOf(never.token)]).toEqual([2, 2])
  })

  it('to answer before the deadline pauses the app', async () => {
    const { token } = providers.fcm.makePhone()
    providers.fcm.changePhone(token, { denial: { code: 'hang' } })
    const { becomes } = await send(token)
    const { recipient } = AFTERMATH.in_doubt('timeout')
    await becomes({ ...AFTERMATH.provider_unavailable('timeout'), recipient })
  })

  it('by an exceeded quota pauses for as long as FCM asks', async () => {
    providers.fcm.setQuotas({ messages_per_minute: 0 })
    const { becomes } = await send(providers.fcm.makePhone().token)
    await becomes(AFTERMATH.app_paused())
    const { paused_until } = await db
      .selectFrom('push_credentials')
      .select('paused_until')
      .where('provider', '=', 'fcm')
      .executeTakeFirstOrThrow()
    expect(paused_until?.getTime()).toBeGreaterThan(Date.now() + 20_000)
  })
})

describe('a service account', () => {
  it.each([
    ['invalid_grant', AFTERMATH.credential_rejected(TEXTS.grant)],
    ['unavailable', AFTERMATH.provider_unavailable('token_server_error')],
  ] as const)('that gets no access token (%s)', async (token_error, aftermath) => {
    providers.fcm.setFaults({ token_error })
    const { fcm, apns } = providers.credentialsOf('production')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const account = { ...fcm.account, private_key }
    const app = await addPushApp(db, { credentials: { fcm: { ...fcm, account }, apns } })
    const { becomes } = await send(providers.fcm.makePhone().token, app)
    await becomes(aftermath)
  })

  it('gets a new access token when the old one has expired', async () => {
    const app = await newApp()
    await (await send(providers.fcm.makePhone().token, app)).becomes(AFTERMATH.accepted)
    providers.fcm.expireTokens()
    await (await send(providers.fcm.makePhone().token, app)).becomes(AFTERMATH.accepted)
  })

  it('that may not send for its project needs attention', async () => {
    const { fcm, apns } = providers.credentialsOf('production')
    const account = { ...fcm.account, project_id: 'another-project' }
    const app = await addPushApp(db, { credentials: { fcm: { ...fcm, account }, apns } })
    const { becomes } = await send(providers.fcm.makePhone().token, app)
    await becomes(AFTERMATH.credential_rejected(TEXTS.permission))
  })
})
