import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createBareServer, NO_FACTOR } from '../../../../test/support/bare-server.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import { openAdministration, USER } from '../../../../test/support/mdm-administration.ts'
import type { Role } from '../../accounts/tables.ts'
import { groupRoutes } from '../groups/routes.ts'
import { policyRoutes } from '../policies/routes.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { enterpriseRoutes } from './routes.ts'

const db = testDatabase()
const OWN = randomUUID()
const EMPTY = randomUUID()
const roles = new Map<string, Role>([
  [OWN, 'owner'],
  [EMPTY, 'member'],
])

const app = createBareServer({
  authenticators: {
    token: (text) => Promise.resolve(text === 'token' ? { user_id: USER } : undefined),
    membership: (user_id, org_id) => {
      const role = roles.get(org_id)
      return Promise.resolve(
        role && { org_id, user_id, role, plan: 'business', cell: 'main', ...NO_FACTOR },
      )
    },
  },
})
const deps = {
  ...openAdministration(db),
  field_limits: { text_max_chars: 100, mdm_assignment_max: 3, mdm_policy_max_bytes: 1000 },
}
enterpriseRoutes(app, deps)
policyRoutes(app, deps)
tokenRoutes(app, deps)
groupRoutes(app, deps)
afterAll(async () => await app.close())

type Answer = { status: number; content: Record<string, unknown> }

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { org_id = OWN, body }: { org_id?: string; body?: object } = {},
): Promise<Answer> {
  const response = await app.inject({
    method,
    url: `/v1/mdm/${path}?org_id=${org_id}`,
    headers: { authorization: 'Bearer token' },
    ...(body && { payload: body }),
  })
  const { content } = response.json<{ content: Record<string, unknown> }>()
  return { status: response.statusCode, content }
}
const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const { status, content } = await call('POST', path, { body })
  expect(status).toBe(200)
  return content
}

const READS = ['enterprise', 'policies', 'enrollment-tokens', 'groups']
const id = randomUUID()
const WRITES = [
  ['POST', 'enterprise/signup-url', { callback_url: 'https://example.com/' }],
  ['POST', 'enterprise', { signup_url_name: 'a', enterprise_token: 'b' }],
  ['POST', 'policies', { name: 'P', management_mode: 'fully_managed' }],
  ['PATCH', `policies/${id}`, {}],
  ['POST', 'enrollment-tokens', { policy_id: id }],
  ['POST', 'groups', { name: 'G' }],
  ['PATCH', `groups/${id}`, {}],
  ['DELETE', `groups/${id}`, undefined],
  ['POST', `groups/${id}/devices`, { device_ids: [id] }],
] as const

describe('the administration of devices', () => {
  it('is read by members only', async () => {
    for (const path of READS) {
      expect((await call('GET', path, { org_id: EMPTY })).status).toBe(200)
      expect((await call('GET', path, { org_id: randomUUID() })).status).toBe(403)
    }
  })

  it('is changed by owners and admins only', async () => {
    for (const [method, path, body] of WRITES) {
      for (const org_id of [EMPTY, randomUUID()]) {
        const { status } = await call(method, path, { org_id, ...(body && { body }) })
        expect([path, status]).toEqual([path, 403])
      }
    }
  })

  it('answers null without an enterprise, and empty lists', async () => {
    const all = READS.map(async (path) => (await call('GET', path, { org_id: EMPTY })).content)
    expect(await Promise.all(all)).toEqual([null, [], [], []])
  })

  it('goes from the sign-up to a device in a group', async () => {
    const signup = await post('enterprise/signup-url', { callback_url: 'https://example.com/' })
    const { signup_url_name } = signup
    const enterprise = await post('enterprise', { signup_url_name, enterprise_token: 'x' })
    expect((await call('GET', 'enterprise')).content).toEqual(enterprise)
    const fields = { name: 'Tills', management_mode: 'fully_managed' }
    const policy = await post('policies', fields)
    expect(policy).toMatchObject({ ...fields, publish_state: 'waiting', publish_error: null })
    const { status, content } = await call('PATCH', `policies/${String(policy['id'])}`, {
      body: { description: 'Bern', policy_json: { openNetworkConfiguration: { any: [1] } } },
    })
    expect([status, content['policy_json']]).toEqual([
      200,
      { openNetworkConfiguration: { any: [1] } },
    ])
    expect((await call('GET', 'policies')).content).toEqual([content])
    const token = await post('enrollment-tokens', { policy_id: policy['id'] })
    expect((await call('GET', 'enrollment-tokens')).content).toEqual([token])
    const group = await post('groups', { name: 'Bern', policy_id: policy['id'] })
    const device = await addDevice(db, { org_id: OWN })
    const path = `groups/${String(group['id'])}`
    const filled = await post(`${path}/devices`, { device_ids: [device.id] })
    expect(filled).toEqual({ ...group, device_count: 1 })
    const bare = await call('PATCH', path, { body: { policy_id: null } })
    expect(bare.content).toMatchObject({ policy_id: null, device_count: 1, last_command: null })
    expect(await call('DELETE', path)).toEqual({ status: 200, content: {} })
    expect((await call('DELETE', path)).status).toBe(404)
  })

  it('names the invalid field of a request', async () => {
    const cases = [
      ['enterprise/signup-url', { callback_url: 'x'.repeat(2049) }, 'callback_url'],
      ['enterprise', { signup_url_name: 'a' }, 'enterprise_token'],
      ['policies', { name: '', management_mode: 'fully_managed' }, 'name'],
      ['policies', { name: 'P', management_mode: 'byod' }, 'management_mode'],
      ['policies', { name: 'P', management_mode: 'fully_managed', policy_json: [] }, 'policy_json'],
      ['enrollment-tokens', { policy_id: id, duration_hours: 0 }, 'duration_hours'],
      ['enrollment-tokens', { policy_id: id, duration_hours: 87_601 }, 'duration_hours'],
      ['enrollment-tokens', {}, 'policy_id'],
      [`groups/${id}/devices`, { device_ids: [] }, 'device_ids'],
      [`groups/${id}/devices`, { device_ids: [id, id, id, id] }, 'device_ids'],
      [`groups/${id}/devices`, { device_ids: [id, 3] }, 'device_ids.1'],
    ] as const
    for (const [path, body, field] of cases) {
      expect(await call('POST', path, { body })).toEqual({ status: 400, content: { field } })
    }
  })
})
