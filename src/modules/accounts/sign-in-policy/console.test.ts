import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createPerson } from '../../../../test/support/person.ts'

const harness = useHarness({
  settings: { VIGIL_RATE_LIMIT_SIGN_IN: '1000/60', VIGIL_RATE_LIMIT_CONSOLE: '1000/60' },
})
const PATH = '/console/api/organization/sign-in'

async function newOrganization() {
  const { org_id } = await harness().createTenant()
  const owner = await createPerson(harness(), org_id, 'owner')
  const member = await createPerson(harness(), org_id, 'member')
  const put = async (token: string, requires_second_factor: boolean) =>
    await harness().call({
      method: 'PUT',
      path: PATH,
      token,
      body: { org_id, requires_second_factor },
    })
  const read = async (token: string) => await harness().get(`${PATH}?org_id=${org_id}`, { token })
  return { org_id, owner, member, put, read }
}

describe('a second factor that an organization requires', () => {
  it('keeps members without one from everything but setting one up', async () => {
    const { owner, member, put, read } = await newOrganization()
    await owner.setUpFactor()
    expect((await put(owner.token, true)).status).toBe(200)
    const refused = await read(member.token)
    expect([refused.status, refused.body.content.field]).toEqual([403, 'second_factor'])
    const me = await harness().get('/console/api/me', { token: member.token })
    expect(me.body.content).toMatchObject({
      has_second_factor: false,
      organizations: [{ requires_second_factor: true }],
    })
    const other = await member.signIn()
    await member.setUpFactor()
    expect((await read(member.token)).status).toBe(200)
    const unproved = await read(other)
    expect([unproved.status, unproved.body.content.field]).toEqual([403, 'code'])
  })

  it('is decided by owners who have one, recorded, and ended by the operator too', async () => {
    const { org_id, owner, member, put, read } = await newOrganization()
    const refused = await put(owner.token, true)
    expect([refused.status, refused.body.content.field]).toEqual([400, 'requires_second_factor'])
    expect((await put(member.token, true)).status).toBe(403)
    await owner.setUpFactor()
    await put(owner.token, true)
    await put(owner.token, true)
    const { accounts } = harness().services
    expect(await accounts.setSignInPolicy(org_id, { requires_second_factor: false })).toBe('done')
    expect((await read(member.token)).body.content).toEqual({ requires_second_factor: false })
    const path = `/console/api/audit?org_id=${org_id}`
    const log = await harness().get<{ entries: object[] }>(path, { token: owner.token })
    const action = 'organization.sign_in_changed'
    expect(log.body.content.entries.slice(0, 3)).toMatchObject([
      { action, actor_user_id: null, details: { requires_second_factor: false } },
      { action, actor_user_id: owner.user_id, details: { requires_second_factor: true } },
      { action: 'second_factor.enabled' },
    ])
  })
})

describe('an action of consequence', () => {
  it('needs a proof of the last ten minutes from users with a second factor', async () => {
    const { org_id, owner } = await newOrganization()
    const invite = async (role: string) => {
      const body = { org_id, email: `${Math.random()}@vigil.test`, role }
      return await harness().post('/console/api/invitations', body, { token: owner.token })
    }
    expect((await invite('admin')).status).toBe(200)
    await owner.setUpFactor()
    expect((await invite('admin')).status).toBe(200)
    await owner.ageProof(11)
    const refused = await invite('admin')
    expect([refused.status, refused.body.content.field]).toEqual([403, 'code'])
    expect((await invite('member')).status).toBe(200)
    const prove = async (code: string) =>
      await harness().post('/console/api/me/second-factor/prove', { code }, { token: owner.token })
    expect((await prove('000000')).status).toBe(400)
    expect((await invite('admin')).status).toBe(403)
    expect((await prove(owner.nextCode())).status).toBe(200)
    expect((await invite('admin')).status).toBe(200)
  })

  it('is declared by its route', () => {
    const declared = harness()
      .app.declaredRoutes.filter(({ config }) => (config?.fresh_factor ?? false) !== false)
      .map(({ method, url }) => `${String(method)} ${url}`)
    expect(declared.toSorted()).toEqual([
      'DELETE /console/api/organization/single-sign-on',
      'DELETE /console/api/organization/single-sign-on/domains/:domain',
      'DELETE /v1/mdm/devices/:device_id',
      'GET /console/api/costs/export',
      'GET /console/api/ledger/export',
      'GET /console/api/lists/export',
      'GET /v1/mdm/audit-log/export.csv',
      'GET /v1/mdm/reports/compliance-summary.csv',
      'GET /v1/mdm/reports/fleet-inventory.csv',
      'PATCH /console/api/members/:user_id',
      'POST /console/api/invitations',
      'POST /console/api/keys',
      'POST /console/api/keys/roll',
      'POST /console/api/me/device-sign-in/approve',
      'POST /console/api/members/:user_id/password-reset',
      'POST /console/api/organization/single-sign-on/domains',
      'POST /console/api/people/deletion',
      'POST /v1/mdm/devices/:device_id/commands',
      'POST /v1/mdm/groups/:group_id/commands',
      'PUT /console/api/organization/sign-in',
      'PUT /console/api/organization/single-sign-on',
      'PUT /console/api/organization/single-sign-on/requirement',
    ])
  })

  it('needs none with a token of the operator until it is ten minutes old', async () => {
    const { org_id, owner } = await newOrganization()
    await owner.setUpFactor()
    const tokens = await harness().services.accounts.issueTokens(owner.user_id)
    const token = tokens?.access_token ?? ''
    const create = async () =>
      await harness().post('/console/api/keys', { org_id, type: 'test_secret' }, { token })
    expect((await create()).status).toBe(200)
    await owner.ageProof(11)
    expect((await create()).status).toBe(403)
  })
})
