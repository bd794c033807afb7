/** Specification, "MDM": the enterprise (OP-81, OP-86), and policies (OP-28, OP-80). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sweepAll } from '../../src/app/retention.ts'
import type { Enterprise, Signup } from '../../src/modules/mdm/enterprise/schema.ts'
import type { Policy } from '../../src/modules/mdm/policies/schema.ts'
import { createClient } from '../support/android-management-client.ts'
import {
  CALLBACK,
  completeSignup,
  createFleet,
  createReadyFleet,
  type Fleet,
  type FleetRequest,
  type JsonObject,
  patch,
  post,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({
  settings: { VIGIL_MDM_POLICIES_MAX: '12', VIGIL_MDM_POLICY_MAX_BYTES: '4096' },
})
afterEach(() => void world().control.setFaults({}))

const startSignup = async (fleet: Fleet, callback_url = CALLBACK): Promise<Signup> =>
  await fleet.content(post('/enterprise/signup-url', { callback_url }))

/** Sends a request that is refused. @returns the field that the error names */
async function refused(fleet: Fleet, request: FleetRequest) {
  const { status, body } = await fleet.send(request)
  expect({ status, success: body.success }).toEqual({ status: 400, success: false })
  return body
}

describe('an enterprise', () => {
  it('is null until it is provisioned, and then its record', async () => {
    const fleet = await createFleet(world())
    const before = await fleet.send<Enterprise | null>({ path: '/enterprise' })
    expect(before).toMatchObject({ status: 200, body: { success: true, content: null } })
    const signup = completeSignup(world(), await startSignup(fleet), 'Example Stores')
    const created = await fleet.content<Enterprise>(post('/enterprise', signup))
    expect(created).toEqual({
      name: expect.stringMatching(/^enterprises\/LC/) as string,
      display_name: 'Example Stores',
      created_at: expect.any(String) as string,
    })
    expect(await fleet.content({ path: '/enterprise' })).toEqual(created)
  })

  it('is signed up for on a page of the provider, which redirects to the callback', async () => {
    const fleet = await createFleet(world())
    const signup = await startSignup(fleet, 'https://shop.example/back?state=7')
    expect(signup).toEqual({
      signup_url: expect.stringContaining(world().emulator.url) as string,
      signup_url_name: expect.stringMatching(/^signupUrls\//) as string,
    })
    const { redirect_url } = world().control.completeSignup(signup.signup_url_name, {})
    const url = new URL(redirect_url)
    expect(url.origin + url.pathname).toBe('https://shop.example/back')
    expect(url.searchParams.get('state')).toBe('7')
    expect(url.searchParams.get('enterpriseToken')).toMatch(/\w/)
  })

  it.each(['', 'no url', 'ftp://shop.example', 'javascript:alert(1)', 'https://', '/back'])(
    'cannot be signed up for with the callback %j',
    async (callback_url) => {
      const fleet = await createFleet(world())
      const body = await refused(fleet, post('/enterprise/signup-url', { callback_url }))
      expect(body.content.field).toBe('callback_url')
    },
  )

  it('is created only from a sign-up of the same organization', async () => {
    const [fleet, other] = [await createFleet(world()), await createFleet(world())]
    const signup = completeSignup(world(), await startSignup(other))
    const body = await refused(fleet, post('/enterprise', signup))
    expect(body).toMatchObject({ code: 'invalid_request', content: { field: 'signup_url_name' } })
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
    expect(await other.content(post('/enterprise', signup))).toHaveProperty('name')
  })

  it('is not created from a token that the provider did not issue', async () => {
    const fleet = await createFleet(world())
    const { signup_url_name } = completeSignup(world(), await startSignup(fleet))
    const wrong = { signup_url_name, enterprise_token: 'guessed' }
    const body = await refused(fleet, post('/enterprise', wrong))
    expect(body.content.field).toBe('enterprise_token')
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
  })

  it('exists at most once: a second one is a 400 naming org_id', async () => {
    const fleet = await createFleet(world())
    const second = completeSignup(world(), await startSignup(fleet))
    await fleet.signUp()
    const first = await fleet.content({ path: '/enterprise' })
    expect((await refused(fleet, post('/enterprise', second))).content.field).toBe('org_id')
    const again = post('/enterprise/signup-url', { callback_url: CALLBACK })
    expect((await refused(fleet, again)).content.field).toBe('org_id')
    expect(await fleet.content({ path: '/enterprise' })).toEqual(first)
  })

  it('is created once by concurrent requests', async () => {
    const fleet = await createFleet(world())
    const body = completeSignup(world(), await startSignup(fleet))
    const answers = [1, 2, 3].map(async () => await fleet.send(post('/enterprise', body)))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect(await fleet.audit('enterprise.created')).toHaveLength(1)
  })

  it('cannot be created after a week', async () => {
    const fleet = await createFleet(world())
    const body = completeSignup(world(), await startSignup(fleet))
    const week = new Date(Date.now() - 7 * 86_400_000 - 60_000)
    const signups = world().harness.stores.db.updateTable('mdm_signups')
    await signups.set({ created_at: week }).where('org_id', '=', fleet.org_id).execute()
    const { parts, stores } = world().harness
    const sweeps = parts.devices.sweeps?.(new Date()) ?? []
    await sweepAll(sweeps, { log: stores.log, signal: AbortSignal.timeout(10_000) })
    expect((await refused(fleet, post('/enterprise', body))).content.field).toBe('signup_url_name')
  })
})

describe('OP-86: while the provider', () => {
  const signup = post('/enterprise/signup-url', { callback_url: CALLBACK })

  it('is unavailable, requests that need its response get a 500', async () => {
    const fleet = await createFleet(world())
    world().control.setFaults({ unreachable: true })
    expect((await fleet.send(signup)).status).toBe(500)
    world().control.setFaults({})
    expect((await fleet.send(signup)).status).toBe(200)
  })

  it('is over its quota, such requests get a 429 with retry_after', async () => {
    const fleet = await createReadyFleet(world())
    const token = post('/enrollment-tokens', { policy_id: fleet.policy_id })
    world().control.setFaults({ error_rate: 1, error_status: 429 })
    const answer = await fleet.send(token)
    expect(answer.status).toBe(429)
    expect(answer.body.content.retry_after).toBeGreaterThan(0)
    expect(answer.headers['retry-after']).toBe(String(answer.body.content.retry_after))
    await world().harness.stores.db.deleteFrom('mdm_request_pauses').execute()
  })

  it('is unavailable, a policy is stored, and published later', async () => {
    const fleet = await createReadyFleet(world())
    world().control.setFaults({ unreachable: true })
    const later = post('/policies', { name: 'Later', management_mode: 'work_profile' })
    const created = await fleet.content<Policy>(later)
    expect(created.publish_state).toBe('waiting')
    world().control.setFaults({})
    await world().settleRetries()
    const [latest] = await fleet.content<Policy[]>({ path: '/policies' })
    expect(latest).toMatchObject({ id: created.id, publish_state: 'published' })
  })
})

describe('a policy', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await createReadyFleet(world())
  })
  const create = async (values: JsonObject) =>
    await fleet.content<Policy>(post('/policies', { name: 'Tills', ...values }))
  const change = (id: string, body: JsonObject) => patch(`/policies/${id}`, body)
  const upstream = (id: string) =>
    world()
      .control.truth()
      .policies.find(({ name }) => name.endsWith(id))

  it.each(['fully_managed', 'work_profile'] as const)(
    'has the baseline of %s by default, which the provider accepts',
    async (management_mode) => {
      const created = await create({ management_mode })
      expect(created).toMatchObject({
        name: 'Tills',
        description: '',
        management_mode,
        version: 1,
        publish_state: 'waiting',
        publish_error: null,
      })
      expect(created.policy_json).toMatchObject({
        playStoreMode: management_mode === 'fully_managed' ? 'BLACKLIST' : 'WHITELIST',
        passwordPolicies: expect.any(Array) as unknown[],
        encryptionPolicy: 'ENABLED_WITHOUT_PASSWORD',
        policyEnforcementRules: expect.any(Array) as unknown[],
      })
      await world().settle()
      expect(upstream(created.id)).toMatchObject(created.policy_json)
      const listed = await fleet.content<Policy[]>({ path: '/policies' })
      expect(listed[0]).toEqual({ ...created, publish_state: 'published' })
    },
  )

  it('stores the document and the description, and is listed newest first', async () => {
    const policy_json = { playStoreMode: 'WHITELIST', screenCaptureDisabled: true }
    const request = { management_mode: 'fully_managed', description: 'Bern', policy_json }
    const created = await create(request)
    expect(created).toMatchObject(request)
    const listed = await fleet.content<Policy[]>({ path: '/policies' })
    expect(listed[0]?.id).toBe(created.id)
    const times = listed.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it.each<[string, JsonObject, string]>([
    ['an unknown member', { cameraOff: true }, 'policy_json.cameraOff'],
    ['a wrong type', { screenCaptureDisabled: 'yes' }, 'policy_json.screenCaptureDisabled'],
    ['a wrong enumeration', { playStoreMode: 'OPEN' }, 'policy_json.playStoreMode'],
    [
      'a nested fault',
      { applications: [{ packageName: 'a.b', installType: 'SOMETIMES' }] },
      'policy_json.applications.0.installType',
    ],
    ['the name, which the provider sets', { name: 'mine' }, 'policy_json.name'],
    ['the version, which the provider sets', { version: '5' }, 'policy_json.version'],
    [
      'more than VIGIL_MDM_POLICY_MAX_BYTES',
      { longSupportMessage: { defaultMessage: 'x'.repeat(5000) } },
      'policy_json',
    ],
    [
      'an enforcement rule for no setting',
      { policyEnforcementRules: [{ settingName: 'wishes', blockAction: {}, wipeAction: {} }] },
      'policy_json.policyEnforcementRules.0.settingName',
    ],
  ])('is refused with %s, naming its path', async (_what, policy_json, field) => {
    const body = { name: 'Tills', management_mode: 'fully_managed', policy_json }
    const answer = await refused(fleet, post('/policies', body))
    expect(answer).toMatchObject({ code: 'invalid_request', content: { field } })
    expect(answer.message).toContain(field)
    const { id } = (await fleet.content<Policy[]>({ path: '/policies' }))[0] as Policy
    expect((await refused(fleet, change(id, { policy_json }))).content.field).toBe(field)
  })

  it('warns in the message when apps that are not listed will be uninstalled (OP-132)', async () => {
    const own = await createFleet(world())
    const messageOf = async (request: FleetRequest) =>
      (await own.send<Policy>(request)).body.message
    const created = async (given: JsonObject) =>
      await messageOf(post('/policies', { name: 'P', management_mode: 'fully_managed', ...given }))
    const warning = '; without playStoreMode, apps that are not listed are uninstalled'
    expect(await created({ policy_json: {} })).toBe(`Policy created${warning}`)
    const unset = { playStoreMode: 'PLAY_STORE_MODE_UNSPECIFIED' }
    expect(await created({ policy_json: unset })).toBe(`Policy created${warning}`)
    expect(await created({ policy_json: { playStoreMode: 'WHITELIST' } })).toBe('Policy created')
    expect(await created({})).toBe('Policy created')
    const [{ id }] = await own.content<[Policy]>({ path: '/policies' })
    const policy_json = { cameraDisabled: true }
    expect(await messageOf(change(id, { policy_json }))).toBe(`Policy updated${warning}`)
    expect(await messageOf(change(id, { name: 'Q' }))).toBe('Policy updated')
  })

  it('can be changed in any subset of its fields, and a new document is a new version', async () => {
    const [created] = await fleet.content<[Policy]>({ path: '/policies' })
    const renamed = await fleet.content<Policy>(change(created.id, { name: 'Kiosks' }))
    expect(renamed).toMatchObject({ name: 'Kiosks', version: created.version })
    const policy_json = { ...created.policy_json, cameraDisabled: true }
    const changed = await fleet.content<Policy>(change(created.id, { policy_json }))
    expect(changed).toMatchObject({ version: created.version + 1, publish_state: 'waiting' })
    await world().settle()
    expect(upstream(created.id)).toMatchObject({ cameraDisabled: true })
    const same = await fleet.content<Policy>(change(created.id, { policy_json }))
    expect(same).toMatchObject({ version: created.version + 1, publish_state: 'published' })
    expect(await fleet.content(change(created.id, {}))).toEqual(same)
  })

  it('is applied by its devices', async () => {
    const own = await createReadyFleet(world())
    const { device } = await own.enroll(own.policy_id)
    expect(device).toMatchObject({ policy_id: own.policy_id, applied_policy_id: own.policy_id })
    const policy_json = { cameraDisabled: true, playStoreMode: 'BLACKLIST' }
    await own.content(change(own.policy_id, { policy_json }))
    await world().settle()
    const [phone] = world().control.listPhones({ limit: 1 })
    expect(phone?.device?.appliedPolicyVersion).toBe('2')
    const applied = await own.audit('device.policy_applied')
    expect(applied.at(-1)).toMatchObject({ target_id: device.id })
    expect((await own.device(device.id)).device.compliance_state).toBe('compliant')
  })

  it('is rejected with the reason of the provider, and published again on request', async () => {
    const own = await createReadyFleet(world())
    const enterprise = await own.content<Enterprise>({ path: '/enterprise' })
    const client = await createClient(world().emulator)
    await client.call('DELETE', enterprise.name)
    const policy_json = { cameraDisabled: true }
    await own.content(change(own.policy_id, { policy_json }))
    await world().settle()
    const [rejected] = await own.content<Policy[]>({ path: '/policies' })
    expect(rejected).toMatchObject({ version: 2, publish_state: 'rejected' })
    expect(rejected?.publish_error).toMatch(/\w/)
    expect((await own.audit('policy.rejected')).at(-1)).toMatchObject({ target_id: own.policy_id })
    const again = await own.content<Policy>(change(own.policy_id, { policy_json }))
    expect(again).toMatchObject({ version: 2, publish_state: 'waiting', publish_error: null })
  })

  it('can change its management mode until it is used', async () => {
    const own = await createReadyFleet(world())
    const to = async (management_mode: string) =>
      await own.send<Policy>(change(own.policy_id, { management_mode }))
    expect((await to('work_profile')).body.content.management_mode).toBe('work_profile')
    expect((await to('fully_managed')).status).toBe(200)
    await own.createToken(own.policy_id)
    const used = await refused(own, change(own.policy_id, { management_mode: 'work_profile' }))
    expect(used.content.field).toBe('management_mode')
    const inGroup = await own.createPolicy()
    await own.createGroup({ policy_id: inGroup.id })
    const second = await refused(own, change(inGroup.id, { management_mode: 'work_profile' }))
    expect(second.content.field).toBe('management_mode')
  })

  it('waits without an enterprise, and is published once there is one', async () => {
    const own = await createFleet(world())
    const { id } = await own.createPolicy()
    const state = async () =>
      (await own.content<Policy[]>({ path: '/policies' })).map(({ publish_state }) => publish_state)
    expect(await state()).toEqual(['waiting'])
    await own.signUp()
    expect(await state()).toEqual(['published'])
    expect(upstream(id)).toBeDefined()
  })

  it('is refused beyond VIGIL_MDM_POLICIES_MAX', async () => {
    const own = await createFleet(world())
    const body = { name: 'Many', management_mode: 'fully_managed', policy_json: {} }
    for (let count = 0; count < 12; count += 1) await own.content(post('/policies', body))
    expect((await refused(own, post('/policies', body))).content.field).toBe('org_id')
    expect(await own.content({ path: '/policies' })).toHaveLength(12)
  })
})
