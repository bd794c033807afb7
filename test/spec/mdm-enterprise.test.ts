/** Specification, "MDM": the enterprise (OP-81, OP-86), and policies (OP-28, OP-80). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../emulators/android-management/testing.ts'
import type { Enterprise, Signup } from '../../src/modules/mdm/enterprise/schema.ts'
import type { Policy } from '../../src/modules/mdm/policies/schema.ts'
import { sweepAll } from '../../src/retention.ts'
import {
  type Ask,
  CALLBACK,
  completeSignup,
  createFleet,
  createReadyFleet,
  type Fleet,
  type Given,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({
  settings: { VIGIL_MDM_POLICIES_MAX: '12', VIGIL_MDM_POLICY_MAX_BYTES: '4096' },
})
afterEach(() => void world().emulator.control.setFaults({}))

const post = (path: string, body: unknown): Ask => ({ method: 'POST', path, body })
const startSignup = async (fleet: Fleet, callback_url = CALLBACK): Promise<Signup> =>
  await fleet.content(post('/enterprise/signup-url', { callback_url }))

/** What is refused, and by which name. */
async function refused(fleet: Fleet, asked: Ask, status = 400) {
  const answer = await fleet.ask(asked)
  expect({ status: answer.status, success: answer.body.success }).toEqual({
    status,
    success: false,
  })
  return answer.body
}

describe('an enterprise', () => {
  it('is null before it is provisioned, then its record', async () => {
    const fleet = await createFleet(world())
    const before = await fleet.ask<Enterprise | null>({ path: '/enterprise' })
    expect(before).toMatchObject({ status: 200, body: { success: true, content: null } })
    const signup = completeSignup(world(), await startSignup(fleet), 'Example Stores')
    const made = await fleet.content<Enterprise>(post('/enterprise', signup))
    expect(made).toEqual({
      name: expect.stringMatching(/^enterprises\/LC/) as string,
      display_name: 'Example Stores',
      created_at: expect.any(String) as string,
    })
    expect(await fleet.content({ path: '/enterprise' })).toEqual(made)
  })

  it('is signed up for at a page of the provider, which comes back to the callback', async () => {
    const fleet = await createFleet(world())
    const signup = await startSignup(fleet, 'https://shop.example/back?state=7')
    expect(signup).toEqual({
      signup_url: expect.stringContaining(world().emulator.url) as string,
      signup_url_name: expect.stringMatching(/^signupUrls\//) as string,
    })
    const { redirect_url } = world().emulator.control.completeSignup(signup.signup_url_name, {})
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

  it('is made of a sign-up of the same organisation only', async () => {
    const [fleet, other] = [await createFleet(world()), await createFleet(world())]
    const signup = completeSignup(world(), await startSignup(other))
    const body = await refused(fleet, post('/enterprise', signup))
    expect(body).toMatchObject({ code: 'invalid_request', content: { field: 'signup_url_name' } })
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
    expect(await other.content(post('/enterprise', signup))).toHaveProperty('name')
  })

  it('is not made of a token that the provider did not give', async () => {
    const fleet = await createFleet(world())
    const { signup_url_name } = completeSignup(world(), await startSignup(fleet))
    const wrong = { signup_url_name, enterprise_token: 'guessed' }
    const body = await refused(fleet, post('/enterprise', wrong))
    expect(body.content.field).toBe('enterprise_token')
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
  })

  it('is one at the most: a second one is a 400 naming org_id', async () => {
    const fleet = await createFleet(world())
    const second = completeSignup(world(), await startSignup(fleet))
    await fleet.signUp()
    const first = await fleet.content({ path: '/enterprise' })
    expect((await refused(fleet, post('/enterprise', second))).content.field).toBe('org_id')
    const again = post('/enterprise/signup-url', { callback_url: CALLBACK })
    expect((await refused(fleet, again)).content.field).toBe('org_id')
    expect(await fleet.content({ path: '/enterprise' })).toEqual(first)
  })

  it('is made once by requests at the same time', async () => {
    const fleet = await createFleet(world())
    const body = completeSignup(world(), await startSignup(fleet))
    const asked = [1, 2, 3].map(async () => await fleet.ask(post('/enterprise', body)))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect(await fleet.audit('enterprise.created')).toHaveLength(1)
  })

  it('cannot be made after a week', async () => {
    const fleet = await createFleet(world())
    const body = completeSignup(world(), await startSignup(fleet))
    const week = new Date(Date.now() - 7 * 86_400_000 - 60_000)
    const signups = world().harness.stores.db.updateTable('mdm_signups')
    await signups.set({ created_at: week }).where('org_id', '=', fleet.org_id).execute()
    const { stores, config } = world().harness
    await sweepAll(stores.db, config, stores.log, new Date(), AbortSignal.timeout(10_000))
    expect((await refused(fleet, post('/enterprise', body))).content.field).toBe('signup_url_name')
  })
})

describe('OP-86: while the provider', () => {
  const asked = post('/enterprise/signup-url', { callback_url: CALLBACK })

  it('is away, what needs its answer is a 500', async () => {
    const fleet = await createFleet(world())
    world().emulator.control.setFaults({ away: true })
    expect((await fleet.ask(asked)).status).toBe(500)
    world().emulator.control.setFaults({})
    expect((await fleet.ask(asked)).status).toBe(200)
  })

  it('is over its quota, it is a 429 with retry_after', async () => {
    const fleet = await createReadyFleet(world())
    const token = post('/enrollment-tokens', { policy_id: fleet.policy_id })
    world().emulator.control.setFaults({ error_rate: 1, error_status: 429 })
    const answer = await fleet.ask(token)
    expect(answer.status).toBe(429)
    expect(answer.body.content.retry_after).toBeGreaterThan(0)
    expect(answer.headers['retry-after']).toBe(String(answer.body.content.retry_after))
    await world().harness.stores.db.deleteFrom('mdm_request_pauses').execute()
  })

  it('is away, a policy is stored, and brought there when it is back', async () => {
    const fleet = await createReadyFleet(world())
    world().emulator.control.setFaults({ away: true })
    const made = await fleet.content<Policy>(
      post('/policies', { name: 'Later', management_mode: 'work_profile' }),
    )
    expect(made.publish_state).toBe('waiting')
    world().emulator.control.setFaults({})
    const { db } = world().harness.stores
    await db
      .updateTable('mdm_dispatches')
      .set({ due_at: new Date(0) })
      .execute()
    await world().settle()
    const [latest] = await fleet.content<Policy[]>({ path: '/policies' })
    expect(latest).toMatchObject({ id: made.id, publish_state: 'published' })
  })
})

describe('a policy', () => {
  let fleet: Fleet
  beforeAll(async () => {
    fleet = await createReadyFleet(world())
  })
  const create = async (given: Given) =>
    await fleet.content<Policy>(post('/policies', { name: 'Tills', ...given }))
  const patch = (id: string, body: Given): Ask => {
    return { method: 'PATCH', path: `/policies/${id}`, body }
  }
  const upstream = (id: string) =>
    world()
      .emulator.control.truth()
      .policies.find(({ name }) => name.endsWith(id))

  it.each(['fully_managed', 'work_profile'] as const)(
    'begins with the baseline of %s, which the provider takes',
    async (management_mode) => {
      const made = await create({ management_mode })
      expect(made).toMatchObject({
        name: 'Tills',
        description: '',
        management_mode,
        version: 1,
        publish_state: 'waiting',
        publish_error: null,
      })
      expect(made.policy_json).toMatchObject({
        playStoreMode: management_mode === 'fully_managed' ? 'BLACKLIST' : 'WHITELIST',
        passwordPolicies: expect.any(Array) as unknown[],
        encryptionPolicy: 'ENABLED_WITHOUT_PASSWORD',
        policyEnforcementRules: expect.any(Array) as unknown[],
      })
      await world().settle()
      expect(upstream(made.id)).toMatchObject(made.policy_json)
      const listed = await fleet.content<Policy[]>({ path: '/policies' })
      expect(listed[0]).toEqual({ ...made, publish_state: 'published' })
    },
  )

  it('keeps the document and the description that it is given, and is listed newest first', async () => {
    const policy_json = { playStoreMode: 'WHITELIST', screenCaptureDisabled: true }
    const given = { management_mode: 'fully_managed', description: 'Bern', policy_json }
    const made = await create(given)
    expect(made).toMatchObject(given)
    const listed = await fleet.content<Policy[]>({ path: '/policies' })
    expect(listed[0]?.id).toBe(made.id)
    const times = listed.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it.each<[string, Given, string]>([
    ['an unknown member', { cameraOff: true }, 'policy_json.cameraOff'],
    ['a wrong type', { screenCaptureDisabled: 'yes' }, 'policy_json.screenCaptureDisabled'],
    ['a wrong enumeration', { playStoreMode: 'OPEN' }, 'policy_json.playStoreMode'],
    [
      'a fault deep inside',
      { applications: [{ packageName: 'a.b', installType: 'SOMETIMES' }] },
      'policy_json.applications.0.installType',
    ],
    ['the name, which is the provider’s', { name: 'mine' }, 'policy_json.name'],
    ['the version, which is the provider’s', { version: '5' }, 'policy_json.version'],
    [
      'more than VIGIL_MDM_POLICY_MAX_BYTES',
      { longSupportMessage: { defaultMessage: 'x'.repeat(5000) } },
      'policy_json',
    ],
    [
      'a rule of enforcement for no setting',
      { policyEnforcementRules: [{ settingName: 'wishes', blockAction: {}, wipeAction: {} }] },
      'policy_json.policyEnforcementRules.0.settingName',
    ],
  ])('is refused with %s, by its path', async (_what, policy_json, field) => {
    const body = { name: 'Tills', management_mode: 'fully_managed', policy_json }
    const answer = await refused(fleet, post('/policies', body))
    expect(answer).toMatchObject({ code: 'invalid_request', content: { field } })
    expect(answer.message).toContain(field)
    const { id } = (await fleet.content<Policy[]>({ path: '/policies' }))[0] as Policy
    expect((await refused(fleet, patch(id, { policy_json }))).content.field).toBe(field)
  })

  it('takes any subset of its fields, and a new document is a new version', async () => {
    const { policies } = await newest()
    const [made] = policies as [Policy]
    const renamed = await fleet.content<Policy>(patch(made.id, { name: 'Kiosks' }))
    expect(renamed).toMatchObject({ name: 'Kiosks', version: made.version })
    const policy_json = { ...made.policy_json, cameraDisabled: true }
    const changed = await fleet.content<Policy>(patch(made.id, { policy_json }))
    expect(changed).toMatchObject({ version: made.version + 1, publish_state: 'waiting' })
    await world().settle()
    expect(upstream(made.id)).toMatchObject({ cameraDisabled: true })
    const same = await fleet.content<Policy>(patch(made.id, { policy_json }))
    expect(same).toMatchObject({ version: made.version + 1, publish_state: 'published' })
    expect(await fleet.content(patch(made.id, {}))).toEqual(same)
  })

  it('goes to the devices that have it', async () => {
    const own = await createReadyFleet(world())
    const { device } = await own.enrol(own.policy_id)
    expect(device).toMatchObject({ policy_id: own.policy_id, applied_policy_id: own.policy_id })
    const policy_json = { cameraDisabled: true, playStoreMode: 'BLACKLIST' }
    await own.content(patch(own.policy_id, { policy_json }))
    await world().settle()
    const [phone] = world().emulator.control.listPhones({ limit: 1 })
    expect(phone?.device?.appliedPolicyVersion).toBe('2')
    const applied = await own.audit('device.policy_applied')
    expect(applied.at(-1)).toMatchObject({ target_id: device.id })
    expect((await own.device(device.id)).device.compliance_state).toBe('compliant')
  })

  it('is rejected when the provider does not take it, with the reason, and tried once more', async () => {
    const own = await createReadyFleet(world())
    const enterprise = await own.content<Enterprise>({ path: '/enterprise' })
    const client = await createClient(world().emulator)
    await client.call('DELETE', enterprise.name)
    const policy_json = { cameraDisabled: true }
    await own.content(patch(own.policy_id, { policy_json }))
    await world().settle()
    const [rejected] = await own.content<Policy[]>({ path: '/policies' })
    expect(rejected).toMatchObject({ version: 2, publish_state: 'rejected' })
    expect(rejected?.publish_error).toMatch(/\w/)
    expect((await own.audit('policy.rejected')).at(-1)).toMatchObject({ target_id: own.policy_id })
    const again = await own.content<Policy>(patch(own.policy_id, { policy_json }))
    expect(again).toMatchObject({ version: 2, publish_state: 'waiting', publish_error: null })
  })

  it('can change its management mode while nothing uses it, and then no more', async () => {
    const own = await createReadyFleet(world())
    const to = async (management_mode: string) =>
      await own.ask<Policy>(patch(own.policy_id, { management_mode }))
    expect((await to('work_profile')).body.content.management_mode).toBe('work_profile')
    expect((await to('fully_managed')).status).toBe(200)
    await own.createToken(own.policy_id)
    const used = await refused(own, patch(own.policy_id, { management_mode: 'work_profile' }))
    expect(used.content.field).toBe('management_mode')
    const inGroup = await own.createPolicy()
    await own.createGroup({ policy_id: inGroup.id })
    const second = await refused(own, patch(inGroup.id, { management_mode: 'work_profile' }))
    expect(second.content.field).toBe('management_mode')
  })

  it('waits while there is no enterprise, and is published once there is one', async () => {
    const own = await createFleet(world())
    const { id } = await own.createPolicy()
    const state = async () =>
      (await own.content<Policy[]>({ path: '/policies' })).map(({ publish_state }) => publish_state)
    expect(await state()).toEqual(['waiting'])
    await own.signUp()
    expect(await state()).toEqual(['published'])
    expect(upstream(id)).toBeDefined()
  })

  it('is one of at most VIGIL_MDM_POLICIES_MAX', async () => {
    const own = await createFleet(world())
    const body = { name: 'Many', management_mode: 'fully_managed', policy_json: {} }
    for (let count = 0; count < 12; count += 1) await own.content(post('/policies', body))
    expect((await refused(own, post('/policies', body))).content.field).toBe('org_id')
    expect(await own.content({ path: '/policies' })).toHaveLength(12)
  })

  const newest = async () => ({ policies: await fleet.content<Policy[]>({ path: '/policies' }) })
})
