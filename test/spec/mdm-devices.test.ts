/** Specification, "MDM": devices, their metadata, compliance (OP-29, OP-31, OP-76), and their end. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../emulators/android-management/testing.ts'
import type { Device, DevicePage } from '../../src/modules/mdm/devices/schema.ts'
import { DEVICE_STATES } from '../../src/platform/postgres/tables/mdm.ts'
import { addDevice } from '../support/mdm.ts'
import { type Ask, createReadyFleet, type Fleet, type Given } from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({
  settings: {
    VIGIL_MDM_ATTRIBUTES_MAX_BYTES: '256',
    VIGIL_MDM_GRACE_HOURS: '3',
    VIGIL_MDM_INSTALLATION_GRACE_HOURS: '12',
  },
})
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let fleet: Fleet & { policy_id: string }
beforeAll(async () => {
  fleet = await createReadyFleet(world())
})
afterEach(() => void world().emulator.control.setFaults({}))

const patch = (id: string, body: Given): Ask => ({ method: 'PATCH', path: `/devices/${id}`, body })
const remove = (id: string): Ask => ({ method: 'DELETE', path: `/devices/${id}` })
const fieldOf = async (asked: Ask, at: Fleet = fleet) => {
  const { status, body } = await at.ask(asked)
  expect(status, body.message).toBe(400)
  return body.content.field
}
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
/** As the schedule does, so many milliseconds from now. */
const flip = async (inMs: number) => {
  const { device_management } = world().harness.services
  const at = new Date(Date.now() + inMs)
  await device_management.flipCompliance(at, AbortSignal.timeout(10_000))
}

describe('the list of devices', () => {
  let listed: Fleet
  const add = async (given: Given = {}) =>
    await addDevice(world().harness.stores.db, { org_id: listed.org_id, ...given })
  let group_id: string
  beforeAll(async () => {
    listed = await createReadyFleet(world())
    group_id = (await listed.createGroup()).id
    const time = (n: number) => new Date(Date.UTC(2026, 1, n))
    for (let n = 1; n <= 5; n += 1) await add({ created_at: time(n), enrolled_at: time(n) })
    await add({ state: 'provisioning', compliance_state: 'unknown', created_at: time(6) })
    await add({ management_mode: 'work_profile', group_id, created_at: time(7) })
    await add({ compliance_state: 'non_compliant', created_at: time(8) })
    await add({ compliance_state: 'grace_period', group_id, created_at: time(9) })
    await add({ state: 'deleted', compliance_state: 'unknown', created_at: time(10) })
  })
  const page = async (query: Record<string, string> = {}) =>
    await listed.content<DevicePage>({ path: '/devices', query })

  it('has pages of 50 by default, the newest enrolled first, without deleted ones', async () => {
    const { devices, pagination } = await page()
    expect(pagination).toEqual({ page: 1, limit: 50, total: 9, pages: 1 })
    expect(devices).toHaveLength(9)
    expect(ids(devices)).toEqual(ids(devices).toSorted().toReversed())
    const second = await page({ page: '2', limit: '4' })
    expect(second.pagination).toEqual({ page: 2, limit: 4, total: 9, pages: 3 })
    expect(ids(second.devices)).toEqual(ids(devices).slice(4, 8))
    expect((await page({ page: '9' })).devices).toEqual([])
  })

  it.each<[Record<string, string>, number]>([
    [{ state: 'active' }, 8],
    [{ state: 'provisioning' }, 1],
    [{ state: 'deleted' }, 1],
    [{ state: 'lost' }, 0],
    [{ mode: 'fully_managed' }, 8],
    [{ mode: 'work_profile' }, 1],
    [{ compliance: 'compliant' }, 6],
    [{ compliance: 'non_compliant' }, 1],
    [{ compliance: 'grace_period' }, 1],
    [{ compliance: 'unknown' }, 1],
    [{ mode: 'work_profile', compliance: 'grace_period' }, 0],
  ])('is filtered by %j', async (query, total) => {
    const { devices, pagination } = await page(query)
    expect(pagination.total).toBe(total)
    expect(devices).toHaveLength(total)
    const { state, mode, compliance } = query
    for (const device of devices) {
      expect(device).toMatchObject({
        ...(state !== undefined && { state }),
        ...(mode !== undefined && { management_mode: mode }),
        ...(compliance !== undefined && { compliance_state: compliance }),
      })
    }
  })

  it('is filtered by group_id; of a group that is none there are no devices', async () => {
    expect((await page({ group_id })).pagination.total).toBe(2)
    expect((await page({ group_id, mode: 'work_profile' })).pagination.total).toBe(1)
    for (const none of [crypto.randomUUID(), 'bern']) {
      const { devices, pagination } = await page({ group_id: none })
      expect({ devices, total: pagination.total }).toEqual({ devices: [], total: 0 })
    }
  })

  it('OP-31: knows the states of the provider in lower case, and no others', async () => {
    expect(DEVICE_STATES).toEqual([
      'active',
      'disabled',
      'deleted',
      'provisioning',
      'lost',
      'preparing_for_migration',
      'deactivated_by_device_finance',
    ])
    for (const state of DEVICE_STATES) {
      expect((await listed.ask({ path: '/devices', query: { state } })).status, state).toBe(200)
    }
    const wrong = { path: '/devices', query: { state: 'ACTIVE' } }
    expect(await fieldOf(wrong, listed)).toBe('state')
  })
})

describe('one device', () => {
  it('comes with its commands and its timeline, the newest first', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    const first = await fleet.command(device.id, { type: 'LOCK' })
    await world().settle()
    const second = await fleet.command(device.id, { type: 'REBOOT' })
    await world().settle()
    const read = await fleet.device(device.id)
    expect(Object.keys(read)).toEqual(['device', 'commands', 'events'])
    expect(read.commands.map(({ id }) => id)).toEqual([second.id, first.id])
    const actions = read.events.map(({ action }) => action)
    expect(actions.slice(0, 3)).toEqual(['command.completed', 'command.sent', 'command.created'])
    expect(actions.at(-1)).toBe('device.enrolled')
    expect(actions.length).toBeGreaterThan(6)
  })

  it('has metadata that can be edited, each member by itself, and to null', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    const whole = {
      name: 'Till 3',
      ownership_type: 'personally_owned',
      assigned_user_id: 'cashier-12',
      custom_attributes: { store: 'Bern', floor: 2 },
    }
    expect(await fleet.content(patch(device.id, whole))).toMatchObject(whole)
    expect(await fleet.content(patch(device.id, { name: 'Till 4' }))).toMatchObject({
      ...whole,
      name: 'Till 4',
    })
    const cleared = { name: null, assigned_user_id: null, custom_attributes: {} }
    expect(await fleet.content(patch(device.id, cleared))).toMatchObject(cleared)
    expect((await fleet.device(device.id)).device).toMatchObject(cleared)
    const [, , last] = await fleet.audit('device.updated')
    expect(last).toMatchObject({
      actor_type: 'user',
      actor_id: fleet.user_ids.owner,
      target_id: device.id,
      before: { name: 'Till 4', assigned_user_id: 'cashier-12' },
      after: { name: null, assigned_user_id: null, custom_attributes: {} },
    })
  })

  it('keeps its metadata when it reports, and OP-76: ownership_type changes no rule', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    await fleet.content(patch(device.id, { ownership_type: 'personally_owned', name: 'Till 5' }))
    world().emulator.control.report(phone.id)
    await world().settle()
    const read = (await fleet.device(device.id)).device
    expect(read).toMatchObject({ ownership_type: 'personally_owned', name: 'Till 5' })
    const wipe = await fleet.ask({
      method: 'POST',
      path: `/devices/${device.id}/commands`,
      body: { type: 'REBOOT' },
    })
    expect(wipe.status).toBe(200)
  })

  it('takes attributes up to a size, and nothing else of its record', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    const large = { custom_attributes: { note: 'x'.repeat(300) } }
    expect(await fieldOf(patch(device.id, large))).toBe('custom_attributes')
    expect(await fieldOf(patch(device.id, { ownership_type: 'rented' }))).toBe('ownership_type')
    const others = { state: 'lost', compliance_state: 'unknown', serial_number: 'X' }
    expect(await fleet.content(patch(device.id, others))).toEqual(
      (await fleet.device(device.id)).device,
    )
    expect((await fleet.device(device.id)).device).toMatchObject({ state: 'active' })
  })
})

describe('OP-29: a device that violates its policy', () => {
  // The baseline lets passwords be wrong for a day.
  it('has a grace period by the enforcement rule of the policy, and ends non-compliant', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    world().emulator.control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await world().settle()
    const graced = (await fleet.device(device.id)).device
    const [detail] = graced.non_compliance_details
    expect(graced.compliance_state).toBe('grace_period')
    expect(detail).toMatchObject({ setting_name: 'passwordPolicies', reason: 'USER_ACTION' })
    const since = Date.parse(detail?.first_seen_at ?? '')
    expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + DAY_MS)
    expect(detail?.grace_period_expires_at).toBe(graced.grace_period_expires_at)

    await flip(DAY_MS - 60_000)
    expect((await fleet.device(device.id)).device.compliance_state).toBe('grace_period')
    await flip(DAY_MS + 60_000)
    const ended = (await fleet.device(device.id)).device
    expect(ended).toMatchObject({
      compliance_state: 'non_compliant',
      grace_period_expires_at: null,
    })
    expect(ended.non_compliance_details).toEqual(graced.non_compliance_details)
  })

  it('is counted from the report that had it first', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    const violation = { setting_name: 'passwordPolicies' }
    world().emulator.control.violate(phone.id, violation)
    await world().settle()
    const first = (await fleet.device(device.id)).device
    world().emulator.control.report(phone.id)
    await world().settle()
    const later = (await fleet.device(device.id)).device
    expect(later.last_report_at).not.toBe(first.last_report_at)
    expect(later.grace_period_expires_at).toBe(first.grace_period_expires_at)
  })

  it('has no time for settings that the provider blocks at once', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    world().emulator.control.violate(phone.id, { setting_name: 'minimumApiLevel' })
    await world().settle()
    expect((await fleet.device(device.id)).device).toMatchObject({
      compliance_state: 'non_compliant',
      grace_period_expires_at: null,
    })
  })

  it.each([
    ['without a rule', { setting_name: 'cameraDisabled' }, 3],
    [
      'that the device still works on',
      { setting_name: 'applications', reason: 'PENDING', package_name: 'com.example.till' },
      12,
    ],
  ] as const)(
    'has the time of the settings of Vigil for what is %s',
    async (_what, violation, h) => {
      const { device, phone } = await fleet.enrol(fleet.policy_id)
      world().emulator.control.violate(phone.id, violation)
      await world().settle()
      const graced = (await fleet.device(device.id)).device
      const since = Date.parse(graced.non_compliance_details[0]?.first_seen_at ?? '')
      expect(graced.compliance_state).toBe('grace_period')
      expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + h * HOUR_MS)
    },
  )

  it('has the time that a new version of its policy gives', async () => {
    const { id } = await fleet.createPolicy()
    const { device, phone } = await fleet.enrol(id)
    world().emulator.control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await world().settle()
    const rule = {
      settingName: 'passwordPolicies',
      blockAction: { blockAfterDays: 5 },
      wipeAction: { wipeAfterDays: 9 },
    }
    const policy_json = { policyEnforcementRules: [rule] }
    await fleet.content({ method: 'PATCH', path: `/policies/${id}`, body: { policy_json } })
    await world().settle()
    await flip(0)
    const graced = (await fleet.device(device.id)).device
    const since = Date.parse(graced.non_compliance_details[0]?.first_seen_at ?? '')
    expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + 5 * DAY_MS)
  })

  it('is compliant again when it says so, and tells each step in its timeline', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    world().emulator.control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await world().settle()
    world().emulator.control.repair(phone.id, {})
    await world().settle()
    expect((await fleet.device(device.id)).device).toMatchObject({
      compliance_state: 'compliant',
      non_compliance_details: [],
      grace_period_expires_at: null,
    })
    const told = (await fleet.device(device.id)).events.filter(
      ({ action }) => action === 'device.compliance_changed',
    )
    expect(told.map(({ after }) => after?.['compliance_state']).slice(0, 2)).toEqual([
      'compliant',
      'grace_period',
    ])
  })

  it('is unknown before its first report', async () => {
    const { token_value } = await fleet.createToken(fleet.policy_id)
    const { serial_number } = world().emulator.control.enrolPhone({
      token_value,
      is_automatic: false,
    })
    await world().settle()
    const device = (await fleet.devices()).find((each) => each.serial_number === serial_number)
    expect(device).toMatchObject({ compliance_state: 'unknown', last_report_at: null })
  })
})

describe('a device that is deleted', () => {
  it('stays visible as pending until the provider confirms, then is gone for good', async () => {
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    world().emulator.control.setFaults({ away: true })
    const asked = await fleet.content<Device>(remove(device.id))
    expect(asked).toMatchObject({ id: device.id, state: 'active', deleted_at: null })
    expect(asked.deletion_requested_at).toEqual(expect.any(String))
    await world().settle()
    expect(await fleet.content(remove(device.id))).toEqual(asked)
    expect(ids(await fleet.devices())).toContain(device.id)

    world().emulator.control.setFaults({})
    const { db } = world().harness.stores
    await db
      .updateTable('mdm_dispatches')
      .set({ due_at: new Date(0) })
      .execute()
    await world().settle()
    const gone = (await fleet.device(device.id)).device
    expect(gone).toMatchObject({ state: 'deleted', compliance_state: 'unknown' })
    expect(gone.deleted_at).toEqual(expect.any(String))
    expect(ids(await fleet.devices())).not.toContain(device.id)
    expect(ids(await fleet.devices({ state: 'deleted' }))).toContain(device.id)
    expect(world().emulator.control.getPhone(phone.id).enterprise).toBeNull()
    expect(await fleet.content(remove(device.id))).toEqual(gone)
    const told = await fleet.audit()
    const ofDevice = told.filter(({ target_id }) => target_id === device.id)
    const actions = ofDevice.map(({ action }) => action)
    expect(actions.filter((action) => action === 'device.deletion_requested')).toHaveLength(1)
    expect(actions.filter((action) => action === 'device.deleted')).toHaveLength(1)
  })

  it('takes no edits, no command and no group, and is still read with its history', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    await fleet.content(remove(device.id))
    await world().settle()
    expect(await fieldOf(patch(device.id, { name: 'Ghost' }))).toBe('device_id')
    const command = { method: 'POST', path: `/devices/${device.id}/commands` } as const
    expect(await fieldOf({ ...command, body: { type: 'LOCK' } })).toBe('device_id')
    const group = await fleet.createGroup()
    const assign = { method: 'POST', path: `/groups/${group.id}/devices` } as const
    expect(await fieldOf({ ...assign, body: { device_ids: [device.id] } })).toBe('device_ids.0')
    expect((await fleet.device(device.id)).events.length).toBeGreaterThan(2)
  })

  it('was wiped by command: it is gone when the phone says so', async () => {
    const { device } = await fleet.enrol(fleet.policy_id)
    const { id } = await fleet.command(device.id, { type: 'WIPE' })
    await world().settle()
    const { device: gone, commands } = await fleet.device(device.id)
    expect(gone.state).toBe('deleted')
    expect(commands).toEqual([expect.objectContaining({ id, status: 'acknowledged', error: null })])
    expect(await fieldOf(remove(device.id))).toBe('device_id')
  })

  it('was lost without a word: two whole listings without it, ten minutes apart, end it', async () => {
    const own = await createReadyFleet(world())
    const { device: kept } = await own.enrol(own.policy_id)
    const { device, phone } = await own.enrol(own.policy_id)
    world().emulator.control.changePhone(phone.id, { is_silent: true })
    const { db } = world().harness.stores
    const named = db.selectFrom('mdm_devices').select('provider_name').where('id', '=', device.id)
    const { provider_name } = await named.executeTakeFirstOrThrow()
    // As Google forgets devices that it has not heard of for long.
    await (await createClient(world().emulator)).call('DELETE', provider_name)
    const listAgain = async () => {
      const ours = db.updateTable('mdm_enterprises').where('org_id', '=', own.org_id)
      await ours.set({ listing_due_at: new Date(0) }).execute()
      const { device_management } = world().harness.services
      await device_management.listDevices(new Date(), AbortSignal.timeout(10_000))
    }
    await listAgain()
    expect((await own.device(device.id)).device.state).toBe('active')
    const earlier = new Date(Date.now() - 11 * 60_000)
    const row = db.updateTable('mdm_devices').where('id', '=', device.id)
    await row.set({ missing_since: earlier }).execute()
    await listAgain()
    expect((await own.device(device.id)).device.state).toBe('deleted')
    expect((await own.device(kept.id)).device.state).toBe('active')
  })
})

describe('what a lost notification would have told', () => {
  it('is learnt from the listing', async () => {
    const own = await createReadyFleet(world())
    world().emulator.control.setFaults({ notifications: { lost_rate: 1 } })
    const { token_value } = await own.createToken(own.policy_id)
    const { serial_number } = world().emulator.control.enrolPhone({ token_value, reaction_ms: 0 })
    await world().settle()
    expect(await own.devices()).toEqual([])
    const { db } = world().harness.stores
    await db
      .updateTable('mdm_enterprises')
      .set({ listing_due_at: new Date(0) })
      .execute()
    const { device_management } = world().harness.services
    await device_management.listDevices(new Date(), AbortSignal.timeout(10_000))
    expect(await own.devices()).toMatchObject([{ serial_number, state: 'active' }])
    expect(await own.events('mdm.device.enrolled')).toHaveLength(1)
  })
})
