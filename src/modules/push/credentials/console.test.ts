import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createBareServer, NO_FACTOR } from '../../../../test/support/bare-server.ts'
import {
  createPushModules,
  type Providers,
  startProviders,
} from '../../../../test/support/push-applications.ts'
import { addApplication, BUNDLE_ID, PACKAGE_NAME } from '../../../../test/support/push-fixtures.ts'
import type { App } from '../../../platform/http/app.ts'
import { createLog } from '../../../platform/log.ts'
import { credentialConsoleRoutes } from './console.ts'

const db = testDatabase()
const modules = createPushModules(db)
const org_id: string = randomUUID()
/** Everything that was logged or returned. */
const output: string[] = []
const log = createLog(
  'trace',
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      output.push(chunk.toString())
      done()
    },
  }),
)
let providers: Providers
let app: App
let application_id = ''

beforeAll(async () => {
  providers = await startProviders(db, { log })
  app = createBareServer({
    log,
    authenticators: {
      token: (user_id) => Promise.resolve({ user_id }),
      membership,
    },
  })
  credentialConsoleRoutes(app, { ...modules, ...providers })
})
afterAll(async () => {
  await app.close()
  await providers.close()
})
beforeEach(async () => {
  application_id = (await addApplication(db, { credentials: [], org_id })).application_id
})

/** Users are named after their roles. */
function membership(user_id: string, orgId: string) {
  const isMember = orgId === org_id && user_id !== 'stranger'
  const role = user_id === 'member' ? ('member' as const) : ('owner' as const)
  const row = { org_id, user_id, role, plan: 'starter' as const, cell: 'main', ...NO_FACTOR }
  return Promise.resolve(isMember ? row : undefined)
}

type Answer = {
  status: number
  body: { message: string; content: Record<string, unknown> & { field?: string } }
}

async function call(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  { as = 'owner', body, payload }: { as?: string; body?: object; payload?: string } = {},
): Promise<Answer> {
  const isRead = body === undefined && payload === undefined
  const answer = await app.inject({
    method,
    url: `/console/api/push/applications/${path}${isRead ? `?org_id=${org_id}` : ''}`,
    headers: {
      authorization: `Bearer ${as}`,
      ...(!isRead && { 'content-type': 'application/json' }),
    },
    ...(!isRead && { payload: payload ?? JSON.stringify({ org_id, ...body }) }),
  })
  output.push(answer.body)
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Answer['body'] }
}

const put = async (provider: 'fcm' | 'apns', change: object = {}, as = 'owner') =>
  await call('PUT', `${application_id}/credentials/${provider}`, {
    as,
    body: { ...providers.uploads[provider], ...change },
  })
const list = async () =>
  (await call('GET', `${application_id}/credentials`, { as: 'member' })).body.content
const test = async (body: object, as = 'owner') =>
  await call('POST', `${application_id}/test`, { as, body })

describe('the push configuration', () => {
  it('can be read by members, and set by owners and admins', async () => {
    const read = await call('GET', `${application_id}/configuration`, { as: 'member' })
    expect(read.body.content).toMatchObject({
      application_id,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      android_package_name: PACKAGE_NAME,
      ios_bundle_id: BUNDLE_ID,
    })
    const body = { ios_bundle_id: 'com.example.other', android_package_name: null }
    const refused = await call('PUT', `${application_id}/configuration`, { as: 'member', body })
    expect(refused.status).toBe(403)
    const set = await call('PUT', `${application_id}/configuration`, { body })
    expect(set.body.content).toMatchObject({ id: read.body.content['id'], ...body })
    const empty = await call('PUT', `${application_id}/configuration`, { body: {} })
    expect(empty).toMatchObject({
      status: 400,
      body: { content: { field: 'android_package_name' } },
    })
  })
})

describe('a credential', () => {
  it('is stored, listed and replaced, and shows which key it holds', async () => {
    const stored = await put('fcm')
    expect(stored.status).toBe(200)
    const { project_id, client_email } = providers.fcm.serviceAccount()
    expect(stored.body.content).toEqual({
      provider: 'fcm',
      status: 'Stored, test required',
      error: null,
      shown: {
        project_id,
        client_email,
        private_key_id: expect.any(String) as string,
        key_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
      stored_at: expect.stringMatching(/Z$/) as string,
      accepted_at: null,
      rejected_at: null,
      paused_until: null,
    })
    const { key_id, team_id } = providers.uploads.apns
    await put('apns')
    expect(await list()).toEqual([
      stored.body.content,
      expect.objectContaining({
        provider: 'apns',
        shown: { key_id, team_id, key_sha256: expect.any(String) as string },
      }),
    ])
  })

  it('changes its status with test sends, and starts over when replaced', async () => {
    await put('apns')
    const { production } = providers.apns
    const { token } = production.makePhone()
    const accepted = await test({ provider: 'apns', token })
    expect(accepted.body).toMatchObject({
      message: 'Test accepted',
      content: { accepted: true, credential: { status: 'Active' } },
    })
    production.changePhone(token, { denial: { code: 'InvalidProviderToken' } })
    const refused = await test({ provider: 'apns', token })
    expect(refused.status).toBe(200)
    expect(refused.body).toMatchObject({
      message: 'Test not accepted',
      content: { accepted: false, reason: 'InvalidProviderToken' },
    })
    expect(await list()).toMatchObject([
      { status: 'Needs attention', error: expect.stringMatching(/^Apple does not/) as string },
    ])
    expect((await put('apns')).body.content).toMatchObject({
      status: 'Stored, test required',
      error: null,
    })
  })

  it('is rejected for a provider for which the app has no name', async () => {
    const body = { android_package_name: PACKAGE_NAME }
    await call('PUT', `${application_id}/configuration`, { body })
    const { status, body: answer } = await put('apns')
    expect(status).toBe(400)
    expect(answer).toMatchObject({ content: { field: 'ios_bundle_id' } })
    expect(answer.message).toMatch(/^ios_bundle_id is not configured for this application/)
    expect((await put('fcm')).status).toBe(200)
  })

  it('can be deleted', async () => {
    await put('fcm')
    expect((await call('DELETE', `${application_id}/credentials/fcm`)).status).toBe(200)
    expect((await call('DELETE', `${application_id}/credentials/fcm`)).status).toBe(404)
    expect(await list()).toEqual([])
    const tested = await test({ provider: 'fcm', token: 'x' })
    expect(tested).toMatchObject({ status: 400, body: { content: { field: 'provider' } } })
  })

  it('can be changed and tested by owners and admins, and read by members', async () => {
    await put('fcm')
    const path = `${application_id}/credentials`
    for (const [as, acting, reading] of [
      ['member', 403, 200],
      ['stranger', 404, 404],
    ] as const) {
      expect((await call('GET', path, { as })).status).toBe(reading)
      expect((await call('GET', `${application_id}/configuration`, { as })).status).toBe(reading)
      expect((await put('fcm', {}, as)).status).toBe(acting)
      expect((await call('DELETE', `${path}/fcm`, { as })).status).toBe(acting)
      expect((await test({ provider: 'fcm', token: 'x' }, as)).status).toBe(acting)
    }
  })

  it('is not found for an unknown application or provider', async () => {
    const foreign = await addApplication(db, { credentials: [] })
    for (const id of [foreign.application_id, randomUUID(), 'x']) {
      expect((await call('GET', `${id}/credentials`)).status).toBe(404)
      expect((await call('GET', `${id}/configuration`)).status).toBe(404)
      const body = { ...providers.uploads.fcm, android_package_name: PACKAGE_NAME }
      expect((await call('PUT', `${id}/configuration`, { body })).status).toBe(404)
      expect((await call('PUT', `${id}/credentials/fcm`, { body })).status).toBe(404)
      expect((await call('DELETE', `${id}/credentials/fcm`)).status).toBe(404)
      const request = { body: { provider: 'fcm', token: 'x' } }
      expect((await call('POST', `${id}/test`, request)).status).toBe(404)
    }
    const body = providers.uploads.fcm
    const unknown = await call('PUT', `${application_id}/credentials/webpush`, { body })
    expect(unknown.status).toBe(404)
  })
})

/** Parts of a PEM key that could leak into a message on their own. */
function stretchesOf(pem: string): string[] {
  const text = pem.split('\n').slice(1, -2).join('')
  return Array.from({ length: Math.floor(text.length / 8) }, (_, i) => text.slice(i * 8, i * 8 + 8))
}

describe('an uploaded key', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const RSA = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))

  const malformed: readonly [string, 'fcm' | 'apns', (key: string) => unknown][] = [
    ['without quotes', 'apns', (key) => `{"org_id":"${org_id}","key":${bare(key)}}`],
    ['with its line breaks', 'apns', (key) => `{"org_id":"${org_id}","key":"${key}"}`],
    ['as the whole body', 'apns', (key) => key],
    ['as a bare word', 'fcm', bare],
    ['after the end', 'fcm', (key) => `{"org_id":"${org_id}"} ${bare(key)}`],
    ['twice', 'fcm', (key) => `{"key":"${bare(key)}","key":"${bare(key)}"}`],
    ['with a NUL character', 'fcm', (key) => `{"service_account":"${bare(key)}\\u0000"}`],
    ['in a list', 'apns', (key) => ({ key: [key] })],
    ['as a Key ID', 'apns', (key) => ({ key: RSA, key_id: key })],
    ['as an organization', 'apns', (key) => ({ key, org_id: key })],
    ['as an account', 'fcm', (key) => ({ service_account: key })],
    ['as the type of an account', 'fcm', (key) => ({ service_account: { type: key } })],
    ['cut off', 'apns', (key) => ({ key: key.slice(0, 120) })],
    ['of another type', 'apns', () => ({ key: RSA })],
    ['too long', 'apns', (key) => ({ key: key.repeat(120) })],
    [
      'in an account that has another fault',
      'fcm',
      (key) => ({ service_account: { ...providers.fcm.serviceAccount(), project_id: key } }),
    ],
  ]

  it.each(malformed)('%s is rejected without being revealed', async (_, provider, bodyOf) => {
    const { key } = providers.uploads.apns
    const given = bodyOf(key)
    const change = typeof given === 'string' ? { payload: given } : { body: asUpload(given) }
    const before = output.length
    const { status } = await call('PUT', `${application_id}/credentials/${provider}`, change)
    expect([400, 404]).toContain(status)
    const text = output.slice(before).join('\n')
    for (const stretch of [...stretchesOf(key), ...stretchesOf(RSA)]) {
      expect(text).not.toContain(stretch)
    }
  })

  const asUpload = (given: unknown): object => {
    const { key_id, team_id } = providers.uploads.apns
    return { key_id, team_id, ...(given as object) }
  }

  it('appears in no response, log line or column, whatever happens to it', async () => {
    const before = output.length
    await put('fcm')
    await put('apns')
    await list()
    const phone = providers.fcm.makePhone()
    await test({ provider: 'fcm', token: phone.token })
    providers.fcm.changePhone(phone.token, { denial: { code: 'reset_connection' } })
    await test({ provider: 'fcm', token: phone.token })
    await test({ provider: 'apns', token: 'zz' })
    await call('DELETE', `${application_id}/credentials/apns`)
    const rows = await db
      .selectFrom('push_credentials')
      .selectAll()
      .where('application_id', '=', application_id)
      .execute()
    expect(rows).toHaveLength(1)
    const text = [...output.slice(before), JSON.stringify(rows)].join('\n')
    expect(text).not.toContain('PRIVATE KEY')
    const { private_key } = providers.fcm.serviceAccount()
    for (const stretch of [
      ...stretchesOf(private_key),
      ...stretchesOf(providers.uploads.apns.key),
    ]) {
      expect(text).not.toContain(stretch)
    }
    expect(text).not.toMatch(/ya29|Bearer e/)
  })

  it('is reported as malformed JSON in a sentence that does not quote it', async () => {
    const payload = `{"key": ${bare(RSA)}}`
    const answer = await call('PUT', `${application_id}/credentials/apns`, { payload })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: 'The request body is not valid JSON: Unexpected token',
        content: { field: 'body' },
      },
    })
  })
})

/** Key without header, footer and line breaks. */
function bare(pem: string): string {
  return pem.split('\n').slice(1, -2).join('')
}
