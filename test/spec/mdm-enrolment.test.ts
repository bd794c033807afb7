/** Specification, "MDM": enrolment tokens (OP-82), and how phones become devices with them. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { EnrolRequest } from '../../emulators/android-management/index.ts'
import type { Token } from '../../src/modules/mdm/tokens/schema.ts'
import {
  type Ask,
  createFleet,
  createReadyFleet,
  type Fleet,
  type Given,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld()
const HOUR_MS = 3_600_000

let fleet: Fleet & { policy_id: string }
beforeAll(async () => {
  fleet = await createReadyFleet(world())
})
const asked = (body: Given): Ask => ({ method: 'POST', path: '/enrollment-tokens', body })
const field = async (body: Given, at: Fleet = fleet) => {
  const { status, body: answer } = await at.ask(asked(body))
  expect(status).toBe(400)
  return answer.content.field
}
const list = async (at: Fleet = fleet) => await at.content<Token[]>({ path: '/enrollment-tokens' })
const enrolPhone = (phone: EnrolRequest) =>
  world().emulator.control.enrolPhone({ reaction_ms: 0, ...phone })

describe('an enrolment token', () => {
  it('carries its value and the JSON of its QR code; 168 hours and many devices by default', async () => {
    const token = await fleet.createToken(fleet.policy_id)
    expect(token).toEqual({
      id: expect.any(String) as string,
      policy_id: fleet.policy_id,
      management_mode: 'fully_managed',
      duration_hours: 168,
      one_time: false,
      token_value: expect.stringMatching(/^[A-Z]{20}$/) as string,
      qr_content: expect.any(String) as string,
      expires_at: expect.any(String) as string,
      created_at: expect.any(String) as string,
    })
    expect(Date.parse(token.expires_at) - Date.parse(token.created_at)).toBeCloseTo(
      168 * HOUR_MS,
      -4,
    )
    const qr = JSON.parse(token.qr_content) as Given
    expect(Object.keys(qr)).toContain('android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME')
    expect(token.qr_content).toContain(token.token_value)
  })

  it('gives its mode by its policy', async () => {
    const { id } = await fleet.createPolicy({ management_mode: 'work_profile' })
    expect((await fleet.createToken(id)).management_mode).toBe('work_profile')
  })

  it('lasts as long as it is told to, from a minute to ten years, fractions too', async () => {
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

  it('is refused for a policy that is none, and without an enterprise', async () => {
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

describe('a phone that is set up', () => {
  it.each(['token_value', 'qr_content'] as const)('with the %s is a device', async (member) => {
    const own = await createReadyFleet(world())
    const token = await own.createToken(own.policy_id)
    const { serial_number } = enrolPhone({ [member]: token[member], brand: 'Google' })
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
  })

  it('is provisioning until it has its policy', async () => {
    const own = await createReadyFleet(world())
    const { token_value } = await own.createToken(own.policy_id)
    const { id } = enrolPhone({ token_value, is_automatic: false })
    await world().settle()
    const [device] = await own.devices()
    expect(device).toMatchObject({ state: 'provisioning', compliance_state: 'unknown' })
    world().emulator.control.applyPolicy(id)
    await world().settle()
    expect((await own.devices())[0]).toMatchObject({
      id: device?.id,
      state: 'active',
      compliance_state: 'compliant',
    })
  })

  it('with a token for work profiles has one, personally owned unless it is of the company', async () => {
    const own = await createReadyFleet(world())
    const { id } = await own.createPolicy({ management_mode: 'work_profile' })
    const { device: personal } = await own.enrol(id)
    const { device: company } = await own.enrol(id, { ownership: 'COMPANY_OWNED' })
    const mode = { management_mode: 'work_profile', policy_id: id }
    expect(personal).toMatchObject({ ...mode, ownership_type: 'personally_owned' })
    expect(company).toMatchObject({ ...mode, ownership_type: 'company_owned' })
  })

  it('with a token for one device uses it up; another one is used by many', async () => {
    const own = await createReadyFleet(world())
    const once = await own.createToken(own.policy_id, { one_time: true })
    enrolPhone({ token_value: once.token_value })
    expect(() => enrolPhone({ token_value: once.token_value })).toThrow()
    const { token_value } = await own.createToken(own.policy_id)
    for (let count = 0; count < 3; count += 1) enrolPhone({ token_value })
    await world().settle()
    expect(await own.devices()).toHaveLength(4)
  })

  it('again after a reset is the same device, with its metadata, enrolled once more', async () => {
    const own = await createReadyFleet(world())
    const { device, phone } = await own.enrol(own.policy_id)
    const group = await own.createGroup()
    await own.assign(group.id, [device.id])
    await own.content({ method: 'PATCH', path: `/devices/${device.id}`, body: { name: 'Till 3' } })
    world().emulator.control.resetPhone(phone.id)
    const { serial_number } = phone
    const { device: again } = await own.enrol(own.policy_id, { serial_number })
    expect(again).toMatchObject({ id: device.id, name: 'Till 3', group_id: group.id })
    expect(again.enrolled_at > device.enrolled_at).toBe(true)
    expect(await own.devices()).toHaveLength(1)
    expect(await own.events('mdm.device.enrolled')).toHaveLength(2)
  })
})
