import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createPushModules } from '../../../../test/support/push-applications.ts'
import { findPushApplication } from './store.ts'

const db = testDatabase()
const { applications, configurations } = createPushModules(db)
let app: { org_id: string; application_id: string }

beforeEach(async () => {
  const org_id = randomUUID()
  const request = { org_id, type: 'flutter', environment: 'test', name: 'App' } as const
  const { id: application_id } = await applications.create(request)
  app = { org_id, application_id }
})

const ANDROID = { android_package_name: 'com.example.app' }
const APPLE = { ios_bundle_id: 'com.example.App-1' }
const refusal = async (names: object) =>
  await configurations.set({ ...app, ...names }).catch((error: Error) => error.message)

describe('a push configuration', () => {
  it('keeps its own id when its names are replaced', async () => {
    expect(await configurations.find(app.org_id, app.application_id)).toBeNull()
    const first = await configurations.set({ ...app, ...ANDROID })
    expect(first).toMatchObject({ ...app, ...ANDROID, ios_bundle_id: null })
    expect(first?.id).not.toBe(app.application_id)
    const second = await configurations.set({ ...app, ...APPLE })
    expect(second).toMatchObject({ id: first?.id, ...APPLE, android_package_name: null })
    expect(await configurations.find(app.org_id, app.application_id)).toEqual(second)
  })

  it('finds its application by either id, within the organization', async () => {
    const stored = await configurations.set({ ...app, ...ANDROID, ...APPLE })
    const push_configuration_id = stored?.id ?? ''
    const { application_id } = app
    const expected = { ...app, push_configuration_id, environment: 'test' }
    for (const by of [{ application_id }, { push_configuration_id }]) {
      const found = await findPushApplication(db, app.org_id, by)
      expect(found).toEqual({ ...expected, ...ANDROID, ...APPLE })
      expect(await findPushApplication(db, randomUUID(), by)).toBeUndefined()
    }
    const swapped = { push_configuration_id: application_id }
    expect(await findPushApplication(db, app.org_id, swapped)).toBeUndefined()
    expect(await findPushApplication(db, app.org_id, { application_id: 'x' })).toBeUndefined()
    await applications.remove(app.org_id, application_id)
    expect(await findPushApplication(db, app.org_id, { application_id })).toBeUndefined()
  })

  it.each([
    ['nothing', {}, 'android_package_name or ios_bundle_id is required, or both'],
    ['null', { ios_bundle_id: null }, 'android_package_name or ios_bundle_id is required, or both'],
    ['a malformed package name', { android_package_name: 'app' }, 'such as com.example.shop'],
    ['a leading digit', { android_package_name: 'com.1a' }, 'android_package_name must be'],
    ['a malformed bundle id', { ios_bundle_id: 'com.example.*' }, 'such as com.example.shop'],
    ['a line break', { ios_bundle_id: 'com.a\r\nb: c' }, 'ios_bundle_id must be'],
    ['a long name', { ios_bundle_id: `a.${'b'.repeat(154)}` }, 'ios_bundle_id must be'],
  ])('is rejected with %s', async (_, names, about) => {
    expect(await refusal(names)).toContain(about)
    expect(await configurations.find(app.org_id, app.application_id)).toBeNull()
  })

  it('keeps a name while a credential for its provider is stored', async () => {
    await configurations.set({ ...app, ...ANDROID })
    const row = { provider: 'fcm' as const, version: randomUUID(), sealed: '', shown: {} }
    await db
      .insertInto('push_credentials')
      .values({ ...app, ...row, status: 'test_required', stored_at: new Date() })
      .execute()
    expect(await refusal(APPLE)).toContain('android_package_name is required while a cred')
    const after = await configurations.find(app.org_id, app.application_id)
    expect(after).toMatchObject({ ...ANDROID, ios_bundle_id: null })
    expect(await configurations.set({ ...app, ...ANDROID, ...APPLE })).toMatchObject(APPLE)
  })

  it('cannot be set or read for an application of another organization', async () => {
    const other = { org_id: randomUUID(), application_id: app.application_id }
    await configurations.set({ ...app, ...ANDROID })
    expect(await configurations.set({ ...other, ...APPLE })).toBeUndefined()
    expect(await configurations.find(other.org_id, other.application_id)).toBeUndefined()
    expect(await configurations.find(app.org_id, app.application_id)).toMatchObject(ANDROID)
  })
})
