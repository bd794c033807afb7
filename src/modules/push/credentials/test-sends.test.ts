import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  createPushModules,
  type Providers,
  startProviders,
} from '../../../../test/support/push-applications.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import { TEXTS as APNS_TEXTS } from '../providers/apns-outcome.ts'
import { TEXTS as FCM_TEXTS } from '../providers/fcm-outcome.ts'
import { findCredential, recordAcceptances, recordRejections } from './store.ts'
import { createTestSends } from './test-sends.ts'

const db = testDatabase()
const modules = createPushModules(db)
const { credentials } = modules
let providers: Providers
let app: { org_id: string; application_id: string }

beforeAll(async () => {
  providers = await startProviders(db)
})
afterAll(async () => await providers.close())
beforeEach(async () => {
  app = await addApplication(db, { credentials: [] })
  await credentials.set({ ...app, ...providers.uploads.fcm })
  await credentials.set({ ...app, ...providers.uploads.apns })
})

const statusOf = async (provider: 'fcm' | 'apns') => {
  const all = await credentials.list(app.org_id, app.application_id)
  const { status, error } = all?.find((each) => each.provider === provider) ?? {}
  return { status, error }
}
const sendTo = async (provider: 'fcm' | 'apns', token: string, to = app) =>
  await providers.test_sends.send({ ...to, provider, token })
const refusal = async (request: object) =>
  await providers.test_sends
    .send({ ...app, provider: 'fcm', ...request })
    .catch((error: Error) => error.message)

const REQUIRED = { status: 'Stored, test required', error: null }
const ACTIVE = { status: 'Active', error: null }

describe('an accepted test send', () => {
  it('activates a credential of FCM and reaches the phone', async () => {
    const { token } = providers.fcm.makePhone()
    expect(await statusOf('fcm')).toEqual(REQUIRED)
    const result = await sendTo('fcm', token)
    expect(result).toMatchObject({ accepted: true, reason: null, credential: ACTIVE })
    expect(result?.provider_id).toMatch(/^projects\/vigil-emulator\/messages\//)
    expect(await statusOf('fcm')).toEqual(ACTIVE)
    expect(await statusOf('apns')).toEqual(REQUIRED)
    expect(providers.fcm.getPhone(token).last[0]?.body).toMatchObject({
      notification: { title: 'Test notification' },
    })
  })

  it.each([
    ['live', 'production'],
    ['test', 'sandbox'],
  ] as const)('of a %s application reaches phones of %s', async (environment, at) => {
    const to = await addApplication(db, { credentials: [], environment })
    await credentials.set({ ...to, ...providers.uploads.apns })
    const { token } = providers.apns[at].makePhone()
    expect(await sendTo('apns', token, to)).toMatchObject({ accepted: true, credential: ACTIVE })
    expect(providers.apns[at].getPhone(token).received).toBe(1)
  })

  it('goes to a subscription by its id, with its current token', async () => {
    const { token } = providers.fcm.makePhone()
    const id = randomUUID()
    await addSubscription(id, token)
    const request = { ...app, provider: 'fcm', subscription_id: id } as const
    expect(await providers.test_sends.send(request)).toMatchObject({ accepted: true })
    expect(providers.fcm.getPhone(token).received).toBe(1)
  })

  it('reactivates a credential that needed attention', async () => {
    const { token } = providers.fcm.makePhone()
    const stored = await findCredential(db, app.org_id, app.application_id, 'fcm')
    if (!stored) throw new Error('no credential')
    await recordRejections(db, [{ ...stored, error: 'Something.' }])
    expect((await sendTo('fcm', token))?.credential).toMatchObject(ACTIVE)
  })
})

const addSubscription = async (
  id: string,
  token: string | null,
  provider: 'fcm' | 'apns' = 'fcm',
) =>
  await db
    .insertInto('push_subscriptions')
    .values({
      org_id: app.org_id,
      application_id: app.application_id,
      id,
      provider,
      token,
      token_hash: token === null ? null : randomUUID(),
      token_registered_at: new Date(),
      permission: 'granted',
      ...(token === null && { invalidated_at: new Date(), invalid_reason: 'token_moved' }),
      created_at: new Date(),
      updated_at: new Date(),
    })
    .execute()

describe('a test send with a rejected credential', () => {
  const attention = (error: string) => ({ status: 'Needs attention', error })

  it('reports a service account that Google no longer knows', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const service_account = { ...providers.uploads.fcm.service_account, private_key }
    await credentials.set({ ...app, provider: 'fcm', service_account })
    const result = await sendTo('fcm', providers.fcm.makePhone().token)
    const credential = attention(FCM_TEXTS.grant)
    expect(result).toMatchObject({ accepted: false, reason: 'invalid_grant', credential })
    expect(await statusOf('fcm')).toEqual(credential)
  })

  it('reports a service account that may not send for the project', async () => {
    const service_account = { ...providers.uploads.fcm.service_account, project_id: 'other-one' }
    await credentials.set({ ...app, provider: 'fcm', service_account })
    const result = await sendTo('fcm', providers.fcm.makePhone().token)
    const credential = attention(FCM_TEXTS.permission)
    expect(result).toMatchObject({ accepted: false, reason: 'PERMISSION_DENIED', credential })
  })

  it('reports a missing certificate at Firebase', async () => {
    const { token } = providers.fcm.makePhone()
    providers.fcm.changePhone(token, { denial: { code: 'THIRD_PARTY_AUTH_ERROR' } })
    expect((await sendTo('fcm', token))?.credential).toMatchObject(attention(FCM_TEXTS.third_party))
  })

  it.each([
    ['InvalidProviderToken', APNS_TEXTS.credential],
    ['TopicDisallowed', APNS_TEXTS.topic],
    ['BadEnvironmentKeyIdInToken', APNS_TEXTS.environment],
    ['Forbidden', APNS_TEXTS.credential],
  ] as const)('to which Apple says %s', async (code, text) => {
    const { production } = providers.apns
    const { token } = production.makePhone()
    production.changePhone(token, { denial: { code } })
    const result = await sendTo('apns', token)
    expect(result).toMatchObject({ accepted: false, reason: code, credential: attention(text) })
    expect(await statusOf('apns')).toEqual(attention(text))
  })

  it('reports a credential that this server cannot open', async () => {
    const { credentialCache: _, ...rest } = providers
    const credentialCache = { open: () => Promise.resolve(undefined) }
    const deps = {
      db,
      clock: { now: () => new Date() },
      newId: () => randomUUID(),
      credentialCache,
    }
    const sends = createTestSends({ ...rest, ...deps })
    const result = await sends.send({ ...app, provider: 'fcm', token: 'any' })
    expect(result).toMatchObject({
      accepted: false,
      reason: 'unopened_credential',
      credential: {
        status: 'Needs attention',
        error: expect.stringMatching(/^The stored cred/) as string,
      },
    })
  })

  it('does not affect its replacement, which has to be tested itself', async () => {
    const { production } = providers.apns
    const { token } = production.makePhone()
    production.changePhone(token, { denial: { code: 'InvalidProviderToken', times: 1 } })
    await sendTo('apns', token)
    await credentials.set({ ...app, ...providers.uploads.apns })
    expect(await statusOf('apns')).toEqual(REQUIRED)
    expect((await sendTo('apns', token))?.credential).toMatchObject(ACTIVE)
  })
})

describe('a test send that fails otherwise', () => {
  it('reports the reason and does not change the credential', async () => {
    const { token } = providers.fcm.makePhone()
    for (const [code, reason] of [
      ['UNREGISTERED', 'UNREGISTERED'],
      ['UNAVAILABLE', 'UNAVAILABLE'],
      ['QUOTA_EXCEEDED', 'throttled_application'],
    ] as const) {
      providers.fcm.changePhone(token, { denial: { code } })
      const result = await sendTo('fcm', token)
      expect(result).toMatchObject({ accepted: false, reason, provider_id: null })
      expect(result?.credential).toMatchObject(REQUIRED)
    }
    expect(await statusOf('fcm')).toEqual(REQUIRED)
  })

  it('is rejected unless exactly one of subscription_id and token is given', async () => {
    const wanted = 'exactly one of subscription_id and token is required'
    expect(await refusal({})).toBe(wanted)
    expect(await refusal({ token: 'x', subscription_id: randomUUID() })).toBe(wanted)
  })

  it('is rejected for devices that it cannot reach', async () => {
    const [apple, gone] = [randomUUID(), randomUUID()]
    await addSubscription(apple, 'aa'.repeat(32), 'apns')
    await addSubscription(gone, null)
    expect(await refusal({ subscription_id: 'x' })).toMatch(/does not belong to this application/)
    expect(await refusal({ subscription_id: randomUUID() })).toMatch(/does not belong/)
    expect(await refusal({ subscription_id: apple })).toMatch(/belongs to a device of apns/)
    expect(await refusal({ subscription_id: gone })).toMatch(/it has moved to another subscription/)
    const other = await addApplication(db, { credentials: [], org_id: app.org_id })
    await credentials.set({ ...other, ...providers.uploads.apns })
    expect(await refusal({ ...other, provider: 'apns', subscription_id: apple })).toMatch(
      /does not belong/,
    )
  })

  it('is rejected without a credential, and not found for another organization', async () => {
    await credentials.remove(app.org_id, app.application_id, 'fcm')
    expect(await refusal({ token: 'x' })).toBe('provider has no credential for this application')
    expect(await refusal({ token: 'x', org_id: randomUUID() })).toBeUndefined()
    expect(await refusal({ token: 'x', application_id: 'x' })).toBeUndefined()
  })
})

describe('the result of an older version', () => {
  it('does not affect the version that replaced it', async () => {
    const old = await findCredential(db, app.org_id, app.application_id, 'fcm')
    if (!old) throw new Error('no credential')
    await credentials.set({ ...app, ...providers.uploads.fcm })
    await recordAcceptances(db, [old])
    expect(await statusOf('fcm')).toEqual(REQUIRED)
    await recordRejections(db, [{ ...old, error: 'Something.' }])
    expect(await statusOf('fcm')).toEqual(REQUIRED)
  })
})
