import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createBareServer } from '../../../../test/support/bare-server.ts'
import {
  addApplication,
  createPushNode,
  type PushNode,
  type TestApplication,
} from '../../../../test/support/push-fixtures.ts'
import type { App } from '../../../platform/http/app.ts'
import type { Principal } from '../../keys/index.ts'
import { pushIdentityRoutes } from './routes.ts'

const db = testDatabase()
const org_id: string = randomUUID()
const NOW = new Date('2026-03-02T10:15:00.400Z')
const KEYS: Record<string, Pick<Principal, 'mode' | 'kind'>> = {
  live: { mode: 'live', kind: 'secret' },
  test: { mode: 'test', kind: 'secret' },
  public: { mode: 'live', kind: 'public' },
}

let app: App
let node: PushNode
let live: TestApplication
let test: TestApplication
let foreign: TestApplication
beforeAll(async () => {
  app = createBareServer({
    authenticators: {
      key: (text) => {
        const key = KEYS[text]
        return Promise.resolve(
          key && {
            ...key,
            org_id,
            key_id: 'key',
            plan: 'starter' as const,
            cell: 'main',
            scopes: null,
            networks: null,
          },
        )
      },
    },
  })
  node = createPushNode(db, { now: () => NOW })
  pushIdentityRoutes(app, { identity: node.identity })
  live = await addApplication(db, { org_id })
  test = await addApplication(db, { org_id, environment: 'test' })
  foreign = await addApplication(db)
})

type Content = { identity_token: string; expires_at: string; field?: string }
async function ask(body: object, key: string | undefined = 'live') {
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/push-sdk/identity-token',
    headers: key === '' ? {} : { 'x-api-key': key },
    payload: body,
  })
  const parsed = answer.json<{ success: boolean; message: string; content: Content }>()
  return { status: answer.statusCode, body: parsed }
}

describe('POST /v1/push-sdk/identity-token', () => {
  it('returns an assertion of the user for the application, valid for five minutes', async () => {
    const { status, body } = await ask({
      application_id: live.application_id,
      external_user_id: 'user_8841',
    })
    expect(status).toBe(200)
    expect(Object.keys(body.content)).toEqual(['identity_token', 'expires_at'])
    const audience = { org_id, application_id: live.application_id, environment: 'live' as const }
    const assertion = await node.identity.verify(body.content.identity_token, audience)
    expect(assertion).toMatchObject({ external_user_id: 'user_8841' })
    expect(body.content.expires_at).toBe('2026-03-02T10:20:00.000Z')
    expect(assertion?.expires_at.toISOString()).toBe(body.content.expires_at)
  })

  it('returns a different one each time', async () => {
    const body = { application_id: live.application_id, external_user_id: 'user' }
    const [one, two] = [await ask(body), await ask(body)]
    expect(one.body.content.identity_token).not.toBe(two.body.content.identity_token)
  })

  it('accepts ids of 512 characters in any alphabet', async () => {
    for (const external_user_id of ['x'.repeat(512), '👤'.repeat(512), ' ', '\u0001'.repeat(512)]) {
      const { status, body } = await ask({ application_id: live.application_id, external_user_id })
      expect(status).toBe(200)
      const audience = { org_id, application_id: live.application_id, environment: 'live' as const }
      const assertion = await node.identity.verify(body.content.identity_token, audience)
      expect(assertion).toMatchObject({ external_user_id })
    }
  })

  it.each([
    ['external_user_id', {}],
    ['external_user_id', { external_user_id: '' }],
    ['external_user_id', { external_user_id: 17 }],
    ['external_user_id', { external_user_id: null }],
    ['external_user_id', { external_user_id: 'x'.repeat(513) }],
    ['external_user_id', { external_user_id: 'a\0b' }],
    ['external_user_id', { external_user_id: '\ud800' }],
  ])('rejects an invalid %s by name (%#)', async (field, given) => {
    const { status, body } = await ask({ application_id: live.application_id, ...given })
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })

  it('rejects applications that the key does not reach, and unknown ids', async () => {
    const cases: [application_id: unknown, key: string][] = [
      [test.application_id, 'live'],
      [live.application_id, 'test'],
      [foreign.application_id, 'live'],
      [randomUUID(), 'live'],
      ['shop', 'live'],
      [`urn:uuid:${live.application_id}`, 'live'],
      [undefined, 'live'],
      [7, 'live'],
    ]
    for (const [application_id, key] of cases) {
      const { status, body } = await ask({ application_id, external_user_id: 'user' }, key)
      expect([status, body.content.field, application_id]).toEqual([
        400,
        'application_id',
        application_id,
      ])
    }
    expect(
      (await ask({ application_id: test.application_id, external_user_id: 'user' }, 'test')).status,
    ).toBe(200)
  })

  it('distinguishes environments, but not other organizations from unknown ids', async () => {
    const request = { external_user_id: 'user' }
    const { body: of_test } = await ask({ ...request, application_id: test.application_id })
    expect(of_test.message).toBe('application_id names a test application, but the key is for live')
    const { body: of_other } = await ask({ ...request, application_id: foreign.application_id })
    const { body: of_none } = await ask({ ...request, application_id: randomUUID() })
    expect(of_other).toEqual(of_none)
  })

  it('requires a secret key', async () => {
    const body = { application_id: live.application_id, external_user_id: 'user' }
    const answers = await Promise.all(
      ['public', 'other', ''].map(async (key) => await ask(body, key)),
    )
    expect(answers.map(({ status }) => status)).toEqual([403, 401, 401])
  })
})
