/**
 * Specification, "Push resources": credentials are stored encrypted and never returned. The test plants
 * keys and tokens, runs every operation on them, including invalid ones, and then searches for them.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { readDocument } from '../support/document.ts'
import { type Shop, uploadOf, usePushService } from '../support/push-service.ts'
import { routesOf } from '../support/routes.ts'
import { createSearch, dumpDatabase, type Secret, secretPartOf } from '../support/secrets.ts'

/** All log lines and all responses. */
const lines: string[] = []
const answers: string[] = []
const log = createLog('trace', { write: (line) => void lines.push(line) })
const service = usePushService({ log })

/** Tokens sent to FCM and APNs: access tokens and JWTs. */
const PROVIDER_TOKENS = /ya29\.|eyJ[\w-]{10,}\.eyJ[\w-]{10,}|-----BEGIN/

const secrets: Secret[] = []
const deviceTokens: Secret[] = []
let shop: Shop

beforeAll(async () => {
  shop = await service().createShop({ credentials: [] })
  plantKeys()
  await runEverything()
  await causeFailures()
  await sendMisplacedKeys()
  await sendDamagedKeys()
  await plantIdentityKeys()
})

type Call = { method: string; path: string; payload?: string; type?: string; key?: string }

/** Sends a request and records the response. @returns its status */
async function send({ method, path, payload, type, key }: Call): Promise<number> {
  const answer = await service().harness.app.inject({
    method: method as 'POST',
    url: path,
    headers: {
      ...(key === undefined
        ? { authorization: `Bearer ${shop.tokens.owner}` }
        : { 'x-api-key': key }),
      ...(payload !== undefined && { 'content-type': type ?? 'application/json' }),
      'idempotency-key': randomUUID(),
    },
    ...(payload !== undefined && { payload }),
  })
  answers.push(`${method} ${path}: ${JSON.stringify(answer.headers)} ${answer.body}`)
  return answer.statusCode
}

const at = (rest: string) => `/console/api/push${rest}`
const ofShop = (rest: string) => at(`/applications/${shop.application_id}${rest}`)
const write = async (method: 'POST' | 'PUT' | 'PATCH', path: string, body: object) =>
  await send({ method, path, payload: JSON.stringify({ org_id: shop.org_id, ...body }) })
const read = async (path: string) =>
  await send({
    method: 'GET',
    path: `${path}?org_id=${shop.org_id}&application_id=${shop.application_id}`,
  })

const googleKey = () => service().fcm.serviceAccount().private_key
const appleKey = () => service().apns.signingKey().private_key

function plantKeys(): void {
  const { keys, tokens } = shop
  secrets.push(
    { name: 'key of FCM', text: secretPartOf(googleKey()) },
    { name: 'key of APNs', text: secretPartOf(appleKey()) },
    { name: 'access token', text: signatureOf(tokens.owner) },
    { name: 'secret key', text: keys.live_secret.slice('sk_live_'.length) },
    {
      name: 'master key',
      text: service().harness.stores.masterKeys.current.key.toString('base64'),
    },
  )
}

async function plantIdentityKeys(): Promise<void> {
  const { db, sealer } = service().harness.stores
  const rows = await db.selectFrom('push_identity_keys').select(['id', 'private_key']).execute()
  for (const { id, private_key } of rows) {
    const pem = await sealer.open(private_key, `push_identity_key:${id}`)
    secrets.push({ name: 'identity key', text: secretPartOf(pem.toString()) })
  }
}

const signatureOf = (jwt: string): string => jwt.split('.')[2] ?? ''

/** Runs all operations successfully, from the upload to the receipt. */
async function runEverything(): Promise<void> {
  for (const provider of ['fcm', 'apns'] as const) {
    const token = service()[provider].makePhone().token
    deviceTokens.push({ name: `token of ${provider}`, text: token })
    const path = ofShop(`/credentials/${provider}`)
    for (const _ of ['first', 'replaced']) {
      expect(await write('PUT', path, uploadOf(service(), provider))).toBe(200)
    }
    expect(await write('POST', ofShop('/test'), { provider, token })).toBe(200)
    const platform = provider === 'fcm' ? 'android' : 'ios'
    const { application_id } = shop
    const device = { application_id, platform, token }
    expect(await write('POST', at('/subscriptions'), device)).toBe(200)
  }
  const app = await shop.install('android')
  const identity_token = await shop.identityToken('anna')
  secrets.push({ name: 'identity token', text: signatureOf(identity_token) })
  await app.signIn(identity_token)
  const { message_id } = await shop.send({ all: true })
  expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 3 })
  await app.open()
  const paths = ['', '/configuration', '/credentials'].map(ofShop)
  const others = ['/subscriptions', '/messages', `/messages/${message_id}/recipients`].map(at)
  for (const path of [...paths, ...others]) expect(await read(path), path).toBe(200)
}

/** Causes failures: rejections, unavailable providers, a failing database, unreadable credentials. */
async function causeFailures(): Promise<void> {
  const { fcm, apns, harness } = service()
  const { db } = harness.stores
  const test = async (provider: 'fcm' | 'apns') => {
    const { token } = service()[provider].makePhone()
    expect(await write('POST', ofShop('/test'), { provider, token })).toBe(200)
  }
  const upload = async (provider: 'fcm' | 'apns', change: object = {}) =>
    await write('PUT', ofShop(`/credentials/${provider}`), {
      ...uploadOf(service(), provider),
      ...change,
    })
  fcm.expireTokens()
  await test('fcm')
  fcm.setFaults({ token_error: 'invalid_grant' })
  expect(await upload('fcm')).toBe(200)
  await test('fcm')
  fcm.setFaults({ unreachable: true })
  apns.setFaults({ unreachable: true })
  expect([await upload('fcm'), await upload('apns')]).toEqual([200, 200])
  await Promise.all([test('fcm'), test('apns')])
  fcm.setFaults({})
  apns.setFaults({})
  await upload('apns', { key_id: 'UNKNOWNKEY' })
  await test('apns')

  await sql`alter table push_credentials add constraint broken check (sealed = '') not valid`.execute(
    db,
  )
  await sql`alter table push_subscriptions add constraint broken check (token = '') not valid`.execute(
    db,
  )
  const { token } = fcm.makePhone()
  deviceTokens.push({ name: 'token that was not stored', text: token })
  const { application_id } = shop
  expect([await upload('fcm'), await upload('apns')]).toEqual([500, 500])
  const device = { application_id, platform: 'android', token }
  expect(await write('POST', at('/subscriptions'), device)).toBe(500)
  await sql`alter table push_credentials drop constraint broken`.execute(db)
  await sql`alter table push_subscriptions drop constraint broken`.execute(db)

  expect(await upload('fcm')).toBe(200)
  await sql`update push_credentials set sealed = replace(sealed, 'v1.', 'v2.'), version = gen_random_uuid()`.execute(
    db,
  )
  await test('fcm')
  const { message_id } = await shop.send({ all: true })
  await read(at(`/messages/${message_id}`))
  expect(await read(ofShop('/credentials'))).toBe(200)
}

/** Sends keys in unexpected fields and formats to every operation with a body. */
async function sendMisplacedKeys(): Promise<void> {
  const { app } = service().harness
  const routes = routesOf(app).filter((route) =>
    /^(POST|PUT|PATCH) \/(console\/api\/push|v1\/push-sdk)\//.test(route),
  )
  expect(routes.length).toBeGreaterThan(14)
  const bodies = [googleKey(), appleKey()].flatMap(misplacedKeys)
  for (const route of routes) {
    const [method = '', template = ''] = route.split(' ')
    const path = template
      .replace('applications/:id', `applications/${shop.application_id}`)
      .replace(':provider', 'apns')
      .replaceAll(/:\w+/g, randomUUID())
    const key = path.startsWith('/v1/') ? { key: shop.keys.live_secret } : {}
    for (const [payload, type] of bodies) {
      const status = await send({
        method,
        path,
        payload,
        ...key,
        ...(type !== undefined && { type }),
      })
      expect([400, 404], `${route} with ${payload.slice(0, 60)}`).toContain(status)
    }
  }
}

/** Uploads complete credentials whose keys are damaged. */
async function sendDamagedKeys(): Promise<void> {
  const account = service().fcm.serviceAccount()
  const ids = { key_id: 'ABCDE12345', team_id: 'ABCDE12345' }
  const google = damaged(googleKey(), appleKey()).flatMap((private_key) => {
    const file = { ...account, private_key }
    const text = JSON.stringify(file)
    return [file, text, text.slice(0, -30)].map((each) => ({ service_account: each }))
  })
  const apple = damaged(appleKey(), googleKey()).map((key) => ({ key, ...ids }))
  for (const body of google) expect(await write('PUT', ofShop('/credentials/fcm'), body)).toBe(400)
  for (const body of apple) expect(await write('PUT', ofShop('/credentials/apns'), body)).toBe(400)
}

function damaged(pem: string, ofOtherType: string): string[] {
  const half = pem.length / 2
  return [
    ofOtherType,
    secretPartOf(pem),
    pem.slice(0, half),
    pem.slice(half),
    pem.replaceAll('PRIVATE', 'PUBLIC'),
    pem.replaceAll('\n', ''),
    `${pem.slice(0, half)}!${pem.slice(half)}`,
  ]
}

/** Fields with a fixed format or set of values; free text may contain anything. */
const MEMBERS = [
  'service_account key key_id team_id name environment type provider application_id',
  'push_configuration_id subscription_id subscription_ids platform token identity_token',
  'permission all external_user_ids external_user_id android_package_name ios_bundle_id',
  'receipts send_at ttl_seconds priority',
].flatMap((line) => line.split(' '))

function misplacedKeys(pem: string): [payload: string, type?: string][] {
  const { org_id } = shop
  const secret = secretPartOf(pem)
  const inside = [0, 9, 17].map((start) => secret.slice(start).replace(/^[^A-Za-z]+/, ''))
  const text = JSON.stringify(pem)
  const everywhere = Object.fromEntries(MEMBERS.map((name) => [name, pem.repeat(9)]))
  return [
    [pem],
    [pem, 'text/plain'],
    [pem, 'application/x-pem-file'],
    [JSON.stringify({ key: pem }).slice(0, -20)],
    [`{"org_id":"${org_id}","key":${text},}`],
    [`{"org_id":"${org_id}","key":${text}`],
    [`{"key": "${pem}"}`],
    ...inside.flatMap((part): [string][] => [
      [part],
      [`{"key": ${part}}`],
      [`{"key": "${part.slice(0, 20)}"${part.slice(20)}"}`],
      [`{"key": "\\${part}"}`],
      [`{${part}: 1}`],
      [`[${text}, ${part}]`],
    ]),
    [JSON.stringify([pem])],
    [text],
    [JSON.stringify({ org_id: pem, key: pem })],
    [JSON.stringify({ org_id, ...everywhere })],
    ...MEMBERS.map((name): [string] => [JSON.stringify({ org_id, [name]: pem.repeat(9) })]),
    ...MEMBERS.map((name): [string] => [JSON.stringify({ org_id, [name]: { [name]: [pem] } })]),
  ]
}

describe('no key, no identity key and no token', () => {
  it('appears in any table of the database', async () => {
    const find = createSearch(secrets)
    const dump = await dumpDatabase(service().harness.stores.db)
    expect(Object.keys(dump).length).toBeGreaterThan(40)
    expect(dump['push_credentials']).toContain(shop.application_id)
    expect(dump['push_identity_keys']).toMatch(/\w/)
    for (const [table, text] of Object.entries(dump)) {
      expect({ table, found: find(text) }).toEqual({ table, found: [] })
      expect(text, table).not.toMatch(PROVIDER_TOKENS)
    }
  })

  it('appears in the log at any level, and neither do device tokens', () => {
    const find = createSearch([...secrets, ...deviceTokens])
    const text = lines.join('')
    expect(lines.filter((line) => line.includes('constraint')).length).toBeGreaterThan(1)
    expect(find(text)).toEqual([])
    expect(text).not.toMatch(PROVIDER_TOKENS)
  })

  it('appears in any response, not even in errors; of device tokens only the end', () => {
    const find = createSearch([...secrets, ...deviceTokens])
    expect(answers.length).toBeGreaterThan(1000)
    const found = answers.filter(
      (answer) => find(answer).length > 0 || PROVIDER_TOKENS.test(answer),
    )
    expect(found).toEqual([])
    expect(answers.some((answer) => answer.includes('"token_tail":"'))).toBe(true)
  })

  it('appears in the API description, where no example is a secret', () => {
    const find = createSearch(secrets)
    const published = readFileSync(join(packageRoot(), 'docs', 'openapi.json'), 'utf8')
    const served = JSON.stringify(readDocument(service().harness.app))
    for (const text of [published, served]) {
      expect(find(text)).toEqual([])
      expect(text).not.toMatch(PROVIDER_TOKENS)
    }
    expect(published).toContain('identity_token')
  })
})

describe('the search', () => {
  it('finds planted secrets', () => {
    const names = secrets.map(({ name }) => name)
    expect(names.toSorted()).toEqual([
      'access token',
      'identity key',
      'identity token',
      'key of APNs',
      'key of FCM',
      'master key',
      'secret key',
    ])
    for (const { name, text } of [...secrets, ...deviceTokens]) {
      expect(text.length, name).toBeGreaterThan(30)
      expect(
        createSearch(secrets.concat(deviceTokens))(`a ${text.slice(5, 15)} b`),
        name,
      ).not.toEqual([])
    }
  })
})
