import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  createClient,
  PROJECT,
  TOPIC,
} from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { Json } from './resources.ts'

let emulator: AndroidEmulator
let client: Client

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  client = await createClient(emulator)
})
afterAll(() => emulator.close())

const CALLBACK = 'https://shop.example/back?state=secret'

async function signUp(): Promise<{ name: string; url: string }> {
  const query = new URLSearchParams({ projectId: 'vigil-emulator', callbackUrl: CALLBACK })
  return (
    await client.call<{ name: string; url: string }>('POST', `signupUrls?${query.toString()}`)
  ).body
}

const create = (signup: string, token: string, body: Json = {}, project = 'vigil-emulator') =>
  client.call(
    'POST',
    `enterprises?projectId=${project}&signupUrlName=${signup}&enterpriseToken=${token}`,
    body,
  )

const tokenIn = (url: string) => new URL(url).searchParams.get('enterpriseToken') ?? ''

describe('a sign-up', () => {
  test('has a page that redirects the administrator back with a token', async () => {
    const signup = await signUp()
    expect(signup.name).toMatch(/^signupUrls\/C/)
    const page = await fetch(signup.url)
    const html = await page.text()
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(html).toContain('Set up Android management for shop.example')
    expect(html).toContain('name="display_name"')

    const sent = await fetch(signup.url, {
      method: 'POST',
      body: new URLSearchParams({ display_name: 'Shop <1>' }),
      redirect: 'manual',
    })
    expect(sent.status).toBe(303)
    const location = sent.headers.get('location') ?? ''
    expect(location).toContain('https://shop.example/back?state=secret&enterpriseToken=')
    const { body } = await create(signup.name, tokenIn(location))
    expect(body).toMatchObject({
      name: expect.stringMatching(/^enterprises\/LC[a-z0-9]+$/) as string,
      enterpriseDisplayName: 'Shop <1>',
      enterpriseType: 'MANAGED_GOOGLE_PLAY_ACCOUNTS_ENTERPRISE',
    })
    expect(await (await fetch(signup.url)).text()).toContain('Shop &lt;1&gt;')
  })

  test('needs the project of the account and an absolute URL', async () => {
    const query = `callbackUrl=${encodeURIComponent(CALLBACK)}`
    const other = await client.call('POST', `signupUrls?projectId=other&${query}`)
    expect(other.status).toBe(403)
    const relative = await client.call('POST', 'signupUrls?projectId=vigil-emulator&callbackUrl=/a')
    expect(relative.status).toBe(400)
  })

  test('that is unknown is 404', async () => {
    expect((await fetch(`${emulator.url}/signup/C0`)).status).toBe(404)
  })
})

describe('the token of a sign-up', () => {
  test('creates one enterprise', async () => {
    const { name } = await signUp()
    const token = tokenIn(emulator.control.completeSignup(name).redirect_url)
    expect((await create(name, token)).status).toBe(200)
    expect(await create(name, token)).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT' } },
    })
  })

  test('creates none before consent, with another sign-up or for another project', async () => {
    const { name } = await signUp()
    expect((await create(name, 'null')).status).toBe(400)
    const token = tokenIn(emulator.control.completeSignup(name).redirect_url)
    expect((await create((await signUp()).name, token)).status).toBe(400)
    expect((await create(name, token, {}, 'other')).status).toBe(403)
    expect((await create(name, token)).status).toBe(200)
  })
})

describe('an enterprise', () => {
  test('accepts a topic only if Google may publish to it, and sends a test message', async () => {
    const name = await client.createEnterprise({ pubsubTopic: undefined })
    const silent = `${PROJECT}/topics/silent`
    await client.call('PUT', silent, {})
    const refused = await client.call('PATCH', name, { pubsubTopic: silent })
    expect(refused.status).toBe(400)
    await client.drain()
    const patched = await client.call('PATCH', `${name}?updateMask=pubsubTopic`, {
      pubsubTopic: TOPIC,
    })
    expect(patched.status).toBe(200)
    expect(await client.drain(1)).toMatchObject([{ type: 'test', data: {} }])
  })

  test('receives the notification types that it has enabled', async () => {
    const name = await client.createEnterprise({ enabledNotificationTypes: ['STATUS_REPORT'] })
    await client.createPolicy(name, 'default')
    await client.drain()
    const { value } = await client.createToken(name)
    emulator.control.enrollPhone({ token_value: value, reaction_ms: 0 })
    const types = (await client.drain(1)).map(({ type }) => type)
    expect(types).toEqual(['STATUS_REPORT'])
  })

  test('is changed in the members of the mask only', async () => {
    const name = await client.createEnterprise({ enterpriseDisplayName: 'One', primaryColor: 1 })
    const changed = await client.call('PATCH', `${name}?updateMask=enterprise_display_name`, {
      enterpriseDisplayName: 'Two',
      primaryColor: 2,
    })
    expect(changed.body).toMatchObject({ name, enterpriseDisplayName: 'Two', primaryColor: 1 })
    const long = { enterpriseDisplayName: 'x'.repeat(101) }
    expect((await client.call('PATCH', name, long)).status).toBe(400)
  })

  test('that is deleted has no devices or tokens any longer', async () => {
    const name = await client.createEnterprise()
    const { value } = await client.createToken(name)
    const phone = emulator.control.enrollPhone({ token_value: value, is_automatic: false })
    expect((await client.call('DELETE', name)).status).toBe(200)
    expect((await client.call('GET', name)).status).toBe(404)
    expect((await client.device(phone.device_name ?? '')).status).toBe(404)
    expect(emulator.control.report(phone.id)).toMatchObject({ enterprise: null })
    expect(() => emulator.control.enrollPhone({ token_value: value })).toThrow('unknown')
  })
})
