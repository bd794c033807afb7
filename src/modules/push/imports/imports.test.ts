import { beforeAll, describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../../test/harness.ts'
import { addPushApplication } from '../../../../test/support/push-examples.ts'
import { newApnsToken, newFcmToken } from '../../../../test/support/push-fixtures.ts'
import type { ImportResult } from './schema.ts'

const harness = useHarness()
let tenant: Tenant
let application_id: string
let token: string
beforeAll(async () => {
  tenant = await harness().createTenant()
  application_id = (await addPushApplication(harness(), tenant.org_id)).application_id
  token = await harness().signIn(tenant.org_id, 'admin')
})

const send = async (subscriptions: unknown, given: object = {}) => {
  const body = { org_id: tenant.org_id, application_id, subscriptions, ...given }
  const path = '/console/api/push/subscriptions/import'
  return await harness().post<ImportResult & { field: string }>(path, body, { token })
}
const listed = async () =>
  await harness().services.push.subscriptions.list(tenant.org_id, { application_id, limit: 100 })

describe('an import of subscriptions', () => {
  it('creates what is new and valid once, with its user, and names the faults of the rest', async () => {
    const android = {
      platform: 'android',
      token: newFcmToken(),
      external_user_id: 'anna',
      permission: 'granted',
      locale: 'de-CH',
      app_version: '1.0',
      time_zone: 'Europe/Zurich',
    }
    const ios = { platform: 'ios', token: newApnsToken().toUpperCase() }
    const entries = [
      android,
      ios,
      { ...ios, token: ios.token.toLowerCase() },
      { platform: 'ios', token: 'no hexadecimal digits' },
      { platform: 'windows', token: newFcmToken() },
      'not an object',
    ]
    const { body } = await send(entries)
    expect(body.content).toMatchObject({ created: 2, existing: 1 })
    expect(body.content.refused.map(({ index, field }) => [index, field])).toEqual([
      [3, 'token'],
      [4, 'platform'],
      [5, 'body'],
    ])
    const { platform, token: _, ...facts } = android
    expect(await listed()).toEqual([
      expect.objectContaining({ platform: 'ios', external_user_id: null, is_reachable: true }),
      expect.objectContaining({ platform, ...facts }),
    ])
    expect((await send(entries)).body.content).toMatchObject({ created: 0, existing: 3 })
  })

  it('names texts of a file that PostgreSQL cannot store', async () => {
    const line = () => ({ platform: 'android', token: newFcmToken() })
    const entries = [
      { ...line(), external_user_id: 'a\0' },
      { ...line(), locale: '\ud800' },
      line(),
    ]
    const { imports } = harness().services.push
    const { created, refused } = await imports.run(tenant.org_id, application_id, entries)
    expect(created).toBe(1)
    expect(refused.map(({ field }) => field)).toEqual(['external_user_id', 'locale'])
  })

  it('gives the subscription to the app that registers its token, which identifies its user again', async () => {
    const imported = { platform: 'android', token: newFcmToken(), external_user_id: 'bert' }
    await send([imported])
    const [{ id } = { id: '' }] = await listed()
    const { body } = await harness().post<{ subscription_id: string; external_user_id: null }>(
      '/sdk/push/subscriptions',
      {
        application_id,
        registration_id: '5b0c9a3e-4f1d-4c27-9e6a-2d7f10b3c845',
        platform: 'android',
        token: imported.token,
      },
      { key: tenant.keys.live_public },
    )
    expect(body.content).toMatchObject({ subscription_id: id, external_user_id: null })
  })

  it.each([
    ['subscriptions', { subscriptions: [] }],
    ['subscriptions', { subscriptions: Array.from({ length: 1001 }, () => ({})) }],
    ['application_id', { application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' }],
  ])('with invalid %s is refused as a whole (%#)', async (field, given) => {
    const { status, body } = await send([{}], given)
    expect([status, body.content.field]).toEqual([400, field])
  })
})
