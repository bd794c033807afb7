/** Specification, "MDM": enrollment tokens (OP-82, OP-133, OP-134), and the enrollment of phones. */

import { beforeAll, describe, expect, it } from 'vitest'
import type { EnrollRequest } from '../../emulators/android-management/index.ts'
import type { ListedToken, TokenPage } from '../../src/modules/mdm/tokens/schema.ts'
import { HOUR_MS } from '../../src/platform/time-units.ts'
import {
  createFleet,
  createReadyFleet,
  type Fleet,
  type JsonObject,
  patch,
  post,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld()

let fleet: Fleet & { policy_id: string }
beforeAll(async () => {
  fleet = await createReadyFleet(world())
})
const field = async (body: JsonObject, at: Fleet = fleet) =>
  await at.fieldOf(post('/enrollment-tokens', body))
const list = async (at: Fleet = fleet) =>
  await at.content<ListedToken[]>({ path: '/enrollment-tokens' })
const enrollPhone = (phone: EnrollRequest) =>
  world().control.enrollPhone({ reaction_ms: 0, ...phone })

describe('an enrollment token', () => {
  it('has its value and the JSON of its QR code, by default for 168 hours and many devices', async () => {
    const token = await fleet.createToken(fleet.policy_id)
    expect(token).toEqual({
      id: expect.any(String) as string,
      policy_id: fleet.policy_id,
      management_mode: 'fully_managed',
      duration_hours: 168,
      one_time: false,
      state: 'active',
      token_value: expect.stringMatching(/^[A-Z]{20}$/) as string,
      qr_content: expect.any(String) as string,
      expires_at: expect.any(String) as string,
      created_at: expect.any(String) as string,
    })
    expect(Date.parse(token.expires_at) - Date.parse(token.created_at)).toBeCloseTo(
      168 * HOUR_MS,
      -4,
    )
    const qr = JSON.parse(token.qr_content) as JsonObject
    expect(Object.keys(qr)).toContain('android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME')
    expect(token.qr_content).toContain(token.token_value)
  })

  it('has the mode of its policy', async () => {
    const { id } = await fleet.createPolicy({ management_mode: 'work_profile' })
    expect((await fleet.createToken(id)).management_mode).toBe('work_profile')
  })

  it('lasts for the requested time, from one minute to ten years, with fractions', async () => {
    for (const duration_hours of [1 / 60, 0.5, 1, 87_600]) {
      const token = await fleet.createToken(fleet.policy_id, { duration_hours })
      expect(token.duration_hours).toBe(duration_hours)
      const lasts = Date.parse(token.expires_at) - Date.parse(token.created_at)
      expect(lasts).toBeCloseTo(duration_hours * HOUR_MS, -4)
    }
    for (const duration_hours of [0, -1, 0.001, 87_601]) {
      expect(await field({ policy_id: fleet.policy_id, duration_hours })).toBe('duration_hours')
    }
  })

  it('is refused for an unknown policy, and without an enterprise', async () => {
    const other = await createFleet(world())
    const { id } = await other.createPolicy()
    expect(await field({ policy_id: 'tills' })).toBe('policy_id')
    expect(await field({ policy_id: crypto.randomUUID() })).toBe('policy_id')
    expect(await field({ policy_id: id })).toBe('policy_id')
    expect(await field({ policy_id: id }, other)).toBe('org_id')
  })

  it('can be read again, newest first, until it expires', async () => {
    const own = await createReadyFleet(world())
    const first = await own.createToken(own.policy_id, { duration_hours: 2 })
    const second = await own.createToken(own.policy_id, { one_time: true })
    expect(await list(own)).toEqual([second, first])
    const { db } = world().harness.stores
    const tokens = db.updateTable('mdm_enrollment_tokens').where('id', '=', first.id)
    await tokens.set({ expires_at: new Date(Date.now() - 1000) }).execute()
    expect(await list(own)).toEqual([second])
  })
})

describe('the values of enrollment tokens', () => {
  it('are shown to owners and admins only; members see the rest (OP-133)', async () => {
    const own = await createReadyFleet(world())
    const token = await own.createToken(own.policy_id)
    const hidden = { ...token, token_value: null, qr_content: null }
    const seenAs = async (as: 'owner' | 'admin' | 'member') =>
      await own.content<ListedToken[]>({ path: '/enrollment-tokens', as })
    expect(await seenAs('owner')).toEqual([token])
    expect(await seenAs('admin')).toEqual([token])
    expect(await seenAs('member')).toEqual([hidden])
  })
})

describe('an enrollment token that no longer works', () => {
  const pageOf = async (at: Fleet, as: 'admin' | 'member', query: Record<string, string> = {}) => {
    const search = new URLSearchParams({ org_id: at.org_id, ...query }).toString()
    const path = `/console/api/mdm/enrollment-tokens?${search}`
    return (await world().harness.get<TokenPage>(path, { token: at.tokens[as] })).body.content
  }
  const end = async (at: Fleet, id: string, as: 'admin' | 'member' = 'admin', org = at) =>
    await world().harness.post<ListedToken>(
      `/console/api/mdm/enrollment-tokens/${id}/end`,
      { org_id: org.org_id },
      { token: at.tokens[as] },
    )

  it('says in the list of the console whether it was used, ended or expired (OP-134)', async () => {
    const own = await createReadyFleet(world())
    const create = async (given: JsonObject = {}) => await own.createToken(own.policy_id, given)
    const [active, expired] = [await create(), await create({ duration_hours: 1 })]
    const [used, ended] = [await create({ one_time: true }), await create()]
    enrollPhone({ token_value: used.token_value })
    await world().settle()
    const { db } = world().harness.stores
    const tokens = db.updateTable('mdm_enrollment_tokens').where('id', '=', expired.id)
    await tokens.set({ expires_at: new Date(Date.now() - 1000) }).execute()
    const answer = await end(own, ended.id)
    expect(answer).toMatchObject({ status: 200, body: { content: { state: 'ended' } } })
    const states = [
      [ended.id, 'ended'],
      [used.id, 'used'],
      [expired.id, 'expired'],
      [active.id, 'active'],
    ]
    const page = await pageOf(own, 'admin')
    expect(page.tokens.map(({ id, state }) => [id, state])).toEqual(states)
    expect(page.tokens.map(({ token_value }) => token_value)).not.toContain(null)
    expect((await list(own)).map(({ id, state }) => [id, state])).toEqual([
      [used.id, 'used'],
      [active.id, 'active'],
    ])
    const first = await pageOf(own, 'member', { limit: '3' })
    expect(first.tokens.map(({ token_value }) => token_value)).toEqual([null, null, null])
    const rest = await pageOf(own, 'member', { cursor: first.next_cursor ?? '' })
    expect(rest).toMatchObject({ tokens: [{ id: active.id }], next_cursor: null })
  })

  it('enrolls no phone, and the devices that it enrolled stay', async () => {
    const own = await createReadyFleet(world())
    const { id, token_value } = await own.createToken(own.policy_id)
    enrollPhone({ token_value })
    await world().settle()
    await end(own, id)
    expect(() => enrollPhone({ token_value })).toThrow()
    await world().settle()
    expect(await own.devices()).toMatchObject([{ state: 'active' }])
    expect(await own.audit('enrollment_token.ended')).toMatchObject([
      { actor_type: 'user', target_id: id, after: { state: 'ended' } },
    ])
  })

  it('is ended by owners and admins of its organization only', async () => {
    const own = await createReadyFleet(world())
    const other = await createFleet(world())
    const { id, token_value } = await own.createToken(own.policy_id)
    expect((await end(own, id, 'member')).status).toBe(403)
    expect((await end(other, id, 'admin', own)).status).toBe(404)
    expect((await end(other, id)).status).toBe(404)
    enrollPhone({ token_value })
  })

  it('stays active while Google is unavailable', async () => {
    const own = await createReadyFleet(world())
    const { id } = await own.createToken(own.policy_id)
    world().control.setFaults({ unreachable: true })
    expect((await end(own, id)).status).toBe(500)
    world().control.setFaults({})
    expect((await list(own)).map(({ state }) => state)).toEqual(['active'])
    expect((await end(own, id)).status).toBe(200)
  })
})

describe('a phone that is set up', () => {
  it.each(['token_value', 'qr_content'] as const)(
    'with the %s becomes a device',
    async (member) => {
      const own = await createReadyFleet(world())
      const token = await own.createToken(own.policy_id)
      const { serial_number } = enrollPhone({ [member]: token[member], brand: 'Google' })
      await world().settle()
      const [device, ...others] = await own.devices()
      expect(others).toEqual([])
      expect(device).toMatchObject({
        state: 'active',
        management_mode: 'fully_managed',
        ownership_type: 'company_owned',
        name: null,
        assigned_user_id: null,
        custom_attributes: {},
        group_id: null,
        policy_id: own.policy_id,
        applied_policy_id: own.policy_id,
        policy_error: null,
        compliance_state: 'compliant',
        brand: 'Google',
        model: 'Pixel 9',
        serial_number,
        deletion_requested_at: null,
        deleted_at: null,
      })
      const [enrolled] = await own.audit('device.enrolled')
      expect(enrolled?.after).toMatchObject({ enrollment_token_id: token.id })
    },
  )

  it('is provisioning until it has applied its policy', async () => {
    const own = await createReadyFleet(world())
    const { token_value } = await own.createToken(own.policy_id)
    const { id } = enrollPhone({ token_value, is_automatic: false })
    await world().settle()
    const [device] = await own.devices()
    expect(device).toMatchObject({ state: 'provisioning', compliance_state: 'unknown' })
    await world().settleAfter((control) => control.applyPolicy(id))
    expect((await own.devices())[0]).toMatchObject({
      id: device?.id,
      state: 'active',
      compliance_state: 'compliant',
    })
  })

  it('with a token for work profiles has one, and is personally owned by default', async () => {
    const own = await createReadyFleet(world())
    const { id } = await own.createPolicy({ management_mode: 'work_profile' })
    const { device: personal } = await own.enroll(id)
    const { device: company } = await own.enroll(id, { ownership: 'COMPANY_OWNED' })
    const mode = { management_mode: 'work_profile', policy_id: id }
    expect(personal).toMatchObject({ ...mode, ownership_type: 'personally_owned' })
    expect(company).toMatchObject({ ...mode, ownership_type: 'company_owned' })
  })

  it('uses up a token for one device; any other token enrolls many', async () => {
    const own = await createReadyFleet(world())
    const once = await own.createToken(own.policy_id, { one_time: true })
    enrollPhone({ token_value: once.token_value })
    expect(() => enrollPhone({ token_value: once.token_value })).toThrow()
    const { token_value } = await own.createToken(own.policy_id)
    for (let count = 0; count < 3; count += 1) enrollPhone({ token_value })
    await world().settle()
    expect(await own.devices()).toHaveLength(4)
  })

  it('again after a reset is the same device with its metadata', async () => {
    const own = await createReadyFleet(world())
    const { device, phone } = await own.enroll(own.policy_id)
    const group = await own.createGroup()
    await own.assign(group.id, [device.id])
    await own.content(patch(`/devices/${device.id}`, { name: 'Till 3' }))
    world().control.resetPhone(phone.id)
    const { serial_number } = phone
    const { device: again } = await own.enroll(own.policy_id, { serial_number })
    expect(again).toMatchObject({ id: device.id, name: 'Till 3', group_id: group.id })
    expect(again.enrolled_at > device.enrolled_at).toBe(true)
    expect(await own.devices()).toHaveLength(1)
    expect(await own.events('mdm.device.enrolled')).toHaveLength(2)
  })
})
