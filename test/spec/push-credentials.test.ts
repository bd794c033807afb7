/** Specification, "Push resources" and the states of a provider credential (OP-34). */
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { startFcm } from '../../emulators/fcm/index.ts'
import type { ShownCredential } from '../../src/modules/push/index.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../src/modules/push/tables.ts'
import { post, type Shop, uploadOf, usePushService } from '../support/push-service.ts'

const service = usePushService()

const at = (shop: Shop, rest = '') => `/applications/${shop.application_id}${rest}`

async function credentialOf(shop: Shop, provider: PushProvider): Promise<ShownCredential> {
  const all = await shop.content<ShownCredential[]>({ path: at(shop, '/credentials') })
  const found = all.find((each) => each.provider === provider)
  if (!found) throw new Error(`no credential of ${provider}`)
  return found
}

const store = async (shop: Shop, provider: PushProvider, body?: object): Promise<ShownCredential> =>
  await shop.content({
    method: 'PUT',
    path: at(shop, `/credentials/${provider}`),
    body: body ?? uploadOf(service(), provider),
  })

type Tested = { accepted: boolean; reason: string | null; credential: ShownCredential }
const test = async (shop: Shop, provider: PushProvider): Promise<Tested> => {
  const { token } = service()[provider].makePhone()
  return await shop.content(post(at(shop, '/test'), { provider, token }))
}

/** A key of another team, which the provider does not know. */
async function strangers(provider: PushProvider): Promise<object> {
  const authority = createAuthority()
  if (provider === 'apns') return { ...uploadOf(service(), 'apns'), key_id: 'UNKNOWNKEY' }
  const other = await startFcm({ port: 0, authority })
  const service_account = other.control.serviceAccount()
  await other.close()
  return { service_account: { ...service_account, client_email: 'nobody@example.test' } }
}

describe.each(PUSH_PROVIDERS)('a credential of %s', (provider) => {
  it('has to be tested after it is stored; an accepted notification activates it', async () => {
    const shop = await service().createShop({ credentials: [] })
    expect(await store(shop, provider)).toMatchObject({
      status: 'Stored, test required',
      error: null,
      accepted_at: null,
    })
    const app = await shop.install(provider === 'fcm' ? 'android' : 'ios')
    const { message_id } = await shop.send({ all: true })
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await app.open()).toHaveLength(1)
    expect(await credentialOf(shop, provider)).toMatchObject({ status: 'Active', error: null })
  })

  it('is activated by a test send, too', async () => {
    const shop = await service().createShop()
    const tested = await test(shop, provider)
    expect(tested).toMatchObject({ accepted: true, credential: { status: 'Active' } })
    expect(await credentialOf(shop, provider)).toMatchObject({ status: 'Active' })
  })

  it('needs attention when the provider rejects it, with a safe error text', async () => {
    const shop = await service().createShop({ credentials: [] })
    await store(shop, provider, await strangers(provider))
    const { accepted, credential } = await test(shop, provider)
    expect({ accepted, status: credential.status }).toEqual({
      accepted: false,
      status: 'Needs attention',
    })
    expect(credential.error).toMatch(/^[A-Z][^{}<>]{20,300}\.$/)
    expect(await credentialOf(shop, provider)).toMatchObject({ status: 'Needs attention' })
  })

  it('that needs attention sends nothing until it is replaced, and then sends what is pending', async () => {
    const shop = await service().createShop({ credentials: [] })
    await store(shop, provider, await strangers(provider))
    const app = await shop.install(provider === 'fcm' ? 'android' : 'ios')
    await test(shop, provider)
    const { message_id } = await shop.send({ all: true })
    // A message that another shop sent later has already arrived.
    const others = await service().createShop()
    await others.install(provider === 'fcm' ? 'android' : 'ios')
    await others.settled((await others.send({ all: true })).message_id)
    expect(await shop.message(message_id)).toMatchObject({ accepted: 0, failed: 0, pending: 1 })
    expect(await app.open()).toEqual([])
    expect(await store(shop, provider)).toMatchObject({
      status: 'Stored, test required',
      error: null,
    })
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await app.open()).toMatchObject([{ message_id }])
  })

  it('replaces the previous one, and has to be tested again', async () => {
    const shop = await service().createShop()
    const before = await credentialOf(shop, provider)
    expect((await test(shop, provider)).credential.status).toBe('Active')
    const after = await store(shop, provider)
    expect(after).toMatchObject({ status: 'Stored, test required', accepted_at: null })
    expect(after.shown).toEqual(before.shown)
    const listed = await shop.content<ShownCredential[]>({ path: at(shop, '/credentials') })
    expect(listed.map((each) => each.provider)).toEqual(['fcm', 'apns'])
  })

  it('belongs to one application', async () => {
    const shop = await service().createShop()
    const sibling = await service().createShop({ sibling: shop, credentials: [] })
    expect(await sibling.content({ path: at(sibling, '/credentials') })).toEqual([])
    await shop.content({ method: 'DELETE', path: at(shop, `/credentials/${provider}`) })
    const left = await shop.content<ShownCredential[]>({ path: at(shop, '/credentials') })
    expect(left.map((each) => each.provider)).toEqual(PUSH_PROVIDERS.filter((p) => p !== provider))
  })

  it('is returned only as ids and a fingerprint', async () => {
    const shop = await service().createShop()
    const { shown } = await credentialOf(shop, provider)
    const names =
      provider === 'fcm'
        ? ['project_id', 'client_email', 'private_key_id', 'key_sha256']
        : ['team_id', 'key_id', 'key_sha256']
    expect(Object.keys(shown).toSorted()).toEqual(names.toSorted())
    expect(shown['key_sha256']).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('an invalid credential', () => {
  it.each<[PushProvider, Record<string, unknown>, field: string]>([
    ['fcm', {}, 'service_account'],
    ['fcm', { service_account: '{}' }, 'service_account'],
    ['fcm', { service_account: { private_key: 'x' } }, 'service_account'],
    ['fcm', { service_account: ['x'] }, 'service_account'],
    ['apns', {}, 'key'],
    ['apns', { key: 'x', key_id: 'ABCDE12345', team_id: 'ABCDE12345' }, 'key'],
    ['apns', { key: 'x', key_id: 'abc', team_id: 'ABCDE12345' }, 'key_id'],
  ])('of %s is rejected and changes nothing: %j', async (provider, body, field) => {
    const shop = await service().createShop()
    const before = await credentialOf(shop, provider)
    const path = at(shop, `/credentials/${provider}`)
    const { status, body: answer } = await shop.console({ method: 'PUT', path, body })
    expect({ status, field: answer.content.field }).toEqual({ status: 400, field })
    expect(await credentialOf(shop, provider)).toEqual(before)
  })
})

describe('the environment of an application', () => {
  it('decides between sandbox and production of the provider', async () => {
    const { createShop, apns, sandbox } = service()
    const live = await createShop({ credentials: ['apns'] })
    const trial = await createShop({ sibling: live, environment: 'test', credentials: ['apns'] })
    for (const [shop, own, other] of [
      [live, apns, sandbox],
      [trial, sandbox, apns],
    ] as const) {
      const { token } = own.makePhone()
      const before = other.truth().accepted
      const { application_id } = shop
      const path = '/subscriptions'
      const body = { application_id, platform: 'ios', token }
      await shop.content(post(path, body))
      const { message_id } = await shop.send({ all: true })
      expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 1 })
      expect(own.getPhone(token).received).toBe(1)
      expect(other.truth().accepted).toBe(before)
    }
  })

  it('matches the mode of the keys that reach it, for messages and test sends', async () => {
    const { createShop, sandbox } = service()
    const trial = await createShop({ environment: 'test' })
    const { token } = sandbox.makePhone()
    const path = at(trial, '/test')
    const body = { provider: 'apns', token }
    expect(await trial.content(post(path, body))).toMatchObject({ accepted: true })
    const message = { application_id: trial.application_id, all: true, title: 'Hello' }
    expect((await trial.callApi('/messages', message)).status).toBe(200)
    const refused = await trial.callApi('/messages', message, { key: 'live_secret' })
    expect(refused).toMatchObject({ status: 400, body: { content: { field: 'application_id' } } })
  })

  it('cannot be changed', async () => {
    const shop = await service().createShop()
    const body = { name: 'Renamed', environment: 'test' }
    await shop.content({ method: 'PATCH', path: at(shop), body })
    expect(await shop.content({ path: at(shop) })).toMatchObject({
      name: 'Renamed',
      environment: 'live',
    })
  })
})
