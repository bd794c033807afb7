/** Specification, "MDM": devices, metadata, compliance (OP-29, OP-31, OP-76), and deletion. */

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Violation } from '../../emulators/android-management/control-schema.ts'
import type { Device, DevicePage } from '../../src/modules/mdm/devices/schema.ts'
import { DEVICE_STATES } from '../../src/modules/mdm/tables.ts'
import { DAY_MS, HOUR_MS } from '../../src/platform/time-units.ts'
import { createClient } from '../support/android-management-client.ts'
import { addDevice } from '../support/mdm.ts'
import {
  createReadyFleet,
  type Enrolled,
  type Fleet,
  type JsonObject,
  patch,
  post,
  remove,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({
  settings: {
    VIGIL_MDM_ATTRIBUTES_MAX_BYTES: '256',
    VIGIL_MDM_GRACE_HOURS: '3',
    VIGIL_MDM_INSTALLATION_GRACE_HOURS: '12',
  },
})

let fleet: Fleet & { policy_id: string }
beforeAll(async () => {
  fleet = await createReadyFleet(world())
})
afterEach(() => void world().control.setFaults({}))

const change = ({ id }: Device, body: JsonObject) => patch(`/devices/${id}`, body)
const deletion = ({ id }: Device) => remove(`/devices/${id}`)
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const current = async ({ id }: Pick<Device, 'id'>) => (await fleet.device(id)).device
const PASSWORD = { setting_name: 'passwordPolicies' }
/** @returns the device after the report of the violation */
const violate = async ({ device, phone }: Enrolled, violation: Violation) => {
  await world().settleAfter((control) => control.violate(phone.id, violation))
  return await current(device)
}

describe('the list of devices', () => {
  let listed: Fleet
  const add = async (values: JsonObject = {}) =>
    await addDevice(world().harness.stores.db, { org_id: listed.org_id, ...values })
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

  it('has pages of 50 by default, newest enrolled first, without deleted devices', async () => {
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

  it('is filtered by group_id; an unknown group has no devices', async () => {
    expect((await page({ group_id })).pagination.total).toBe(2)
    expect((await page({ group_id, mode: 'work_profile' })).pagination.total).toBe(1)
    for (const none of [crypto.randomUUID(), 'bern']) {
      const { devices, pagination } = await page({ group_id: none })
      expect({ devices, total: pagination.total }).toEqual({ devices: [], total: 0 })
    }
  })

  it('OP-31: has the states of the provider in lower case, and no others', async () => {
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
      expect((await listed.send({ path: '/devices', query: { state } })).status, state).toBe(200)
    }
    const wrong = { path: '/devices', query: { state: 'ACTIVE' } }
    expect(await listed.fieldOf(wrong)).toBe('state')
  })
})

describe('one device', () => {
  it('has its commands and its timeline, newest first', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
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

  it('has metadata whose members can be changed one by one, and set to null', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
    const whole = {
      name: 'Till 3',
      ownership_type: 'personally_owned',
      assigned_user_id: 'cashier-12',
      custom_attributes: { store: 'Bern', floor: 2 },
    }
    expect(await fleet.content(change(device, whole))).toMatchObject(whole)
    expect(await fleet.content(change(device, { name: 'Till 4' }))).toMatchObject({
      ...whole,
      name: 'Till 4',
    })
    const cleared = { name: null, assigned_user_id: null, custom_attributes: {} }
    expect(await fleet.content(change(device, cleared))).toMatchObject(cleared)
    expect(await current(device)).toMatchObject(cleared)
    const [, , last] = await fleet.audit('device.updated')
    expect(last).toMatchObject({
      actor_type: 'user',
      actor_id: fleet.user_ids.owner,
      target_id: device.id,
      before: { name: 'Till 4', assigned_user_id: 'cashier-12' },
      after: { name: null, assigned_user_id: null, custom_attributes: {} },
    })
  })

  it('retains its metadata when it reports, and OP-76: ownership_type changes no rule', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    await fleet.content(change(device, { ownership_type: 'personally_owned', name: 'Till 5' }))
    await world().settleAfter((control) => control.report(phone.id))
    expect(await current(device)).toMatchObject({
      ownership_type: 'personally_owned',
      name: 'Till 5',
    })
    const reboot = post(`/devices/${device.id}/commands`, { type: 'REBOOT' })
    expect((await fleet.send(reboot)).status).toBe(200)
  })

  it('accepts attributes up to a size, and no other members of its record', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
    const large = { custom_attributes: { note: 'x'.repeat(300) } }
    expect(await fleet.fieldOf(change(device, large))).toBe('custom_attributes')
    expect(await fleet.fieldOf(change(device, { ownership_type: 'rented' }))).toBe('ownership_type')
    const others = { state: 'lost', compliance_state: 'unknown', serial_number: 'X' }
    expect(await fleet.content(change(device, others))).toEqual(await current(device))
    expect(await current(device)).toMatchObject({ state: 'active' })
  })
})

describe('OP-29: a device that violates its policy', () => {
  // The baseline has a grace period of one day for passwords.
  it('has the grace period of the enforcement rule, and is non-compliant after it', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const graced = await violate({ device, phone }, PASSWORD)
    const [detail] = graced.non_compliance_details
    expect(graced.compliance_state).toBe('grace_period')
    expect(detail).toMatchObject({ setting_name: 'passwordPolicies', reason: 'USER_ACTION' })
    const since = Date.parse(detail?.first_seen_at ?? '')
    expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + DAY_MS)
    expect(detail?.grace_period_expires_at).toBe(graced.grace_period_expires_at)

    await world().run('flipCompliance', DAY_MS - 60_000)
    expect((await current(device)).compliance_state).toBe('grace_period')
    await world().run('flipCompliance', DAY_MS + 60_000)
    const ended = await current(device)
    expect(ended).toMatchObject({
      compliance_state: 'non_compliant',
      grace_period_expires_at: null,
    })
    expect(ended.non_compliance_details).toEqual(graced.non_compliance_details)
  })

  it('has a grace period that starts with the first report of the violation', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const first = await violate({ device, phone }, PASSWORD)
    await world().settleAfter((control) => control.report(phone.id))
    const later = await current(device)
    expect(later.last_report_at).not.toBe(first.last_report_at)
    expect(later.grace_period_expires_at).toBe(first.grace_period_expires_at)
  })

  it('has no grace period for settings that the provider blocks immediately', async () => {
    const enrolled = await fleet.enroll(fleet.policy_id)
    expect(await violate(enrolled, { setting_name: 'minimumApiLevel' })).toMatchObject({
      compliance_state: 'non_compliant',
      grace_period_expires_at: null,
    })
  })

  it.each([
    ['a setting without a rule', { setting_name: 'cameraDisabled' }, 3],
    [
      'an app that is still being installed',
      { setting_name: 'applications', reason: 'PENDING', package_name: 'com.example.till' },
      12,
    ],
  ] as const)(
    'has the grace period of the settings of Vigil for %s',
    async (_what, violation, h) => {
      const graced = await violate(await fleet.enroll(fleet.policy_id), violation)
      const since = Date.parse(graced.non_compliance_details[0]?.first_seen_at ?? '')
      expect(graced.compliance_state).toBe('grace_period')
      expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + h * HOUR_MS)
    },
  )

  it('has the grace period of a new version of its policy', async () => {
    const { id } = await fleet.createPolicy()
    const enrolled = await fleet.enroll(id)
    await violate(enrolled, PASSWORD)
    const rule = {
      settingName: 'passwordPolicies',
      blockAction: { blockAfterDays: 5 },
      wipeAction: { wipeAfterDays: 9 },
    }
    const policy_json = { policyEnforcementRules: [rule] }
    await fleet.content(patch(`/policies/${id}`, { policy_json }))
    await world().settle()
    await world().run('flipCompliance', 0)
    const graced = await current(enrolled.device)
    const since = Date.parse(graced.non_compliance_details[0]?.first_seen_at ?? '')
    expect(Date.parse(graced.grace_period_expires_at ?? '')).toBe(since + 5 * DAY_MS)
  })

  it('is compliant again after it reports so, and each change is in its timeline', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    await violate({ device, phone }, PASSWORD)
    await world().settleAfter((control) => control.repair(phone.id, {}))
    expect(await current(device)).toMatchObject({
      compliance_state: 'compliant',
      non_compliance_details: [],
      grace_period_expires_at: null,
    })
    const changes = (await fleet.device(device.id)).events.filter(
      ({ action }) => action === 'device.compliance_changed',
    )
    expect(changes.map(({ after }) => after?.['compliance_state']).slice(0, 2)).toEqual([
      'compliant',
      'grace_period',
    ])
  })

  it('is unknown before its first report', async () => {
    const { token_value } = await fleet.createToken(fleet.policy_id)
    const { serial_number } = world().control.enrollPhone({
      token_value,
      is_automatic: false,
    })
    await world().settle()
    const device = (await fleet.devices()).find((each) => each.serial_number === serial_number)
    expect(device).toMatchObject({ compliance_state: 'unknown', last_report_at: null })
  })
})

describe('a device that is deleted', () => {
  it('is shown as pending until the provider confirms, and then as deleted', async () => {
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    world().control.setFaults({ unreachable: true })
    const pending = await fleet.content<Device>(deletion(device))
    expect(pending).toMatchObject({ id: device.id, state: 'active', deleted_at: null })
    expect(pending.deletion_requested_at).toEqual(expect.any(String))
    await world().settle()
    expect(await fleet.content(deletion(device))).toEqual(pending)
    expect(ids(await fleet.devices())).toContain(device.id)

    world().control.setFaults({})
    await world().settleRetries()
    const deleted = await current(device)
    expect(deleted).toMatchObject({ state: 'deleted', compliance_state: 'unknown' })
    expect(deleted.deleted_at).toEqual(expect.any(String))
    expect(ids(await fleet.devices())).not.toContain(device.id)
    expect(ids(await fleet.devices({ state: 'deleted' }))).toContain(device.id)
    expect(world().control.getPhone(phone.id).enterprise).toBeNull()
    expect(await fleet.content(deletion(device))).toEqual(deleted)
    const entries = await fleet.audit()
    const ofDevice = entries.filter(({ target_id }) => target_id === device.id)
    const actions = ofDevice.map(({ action }) => action)
    expect(actions.filter((action) => action === 'device.deletion_requested')).toHaveLength(1)
    expect(actions.filter((action) => action === 'device.deleted')).toHaveLength(1)
  })

  it('accepts no change, command or group, and can still be read with its history', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
    await fleet.content(deletion(device))
    await world().settle()
    expect(await fleet.fieldOf(change(device, { name: 'Ghost' }))).toBe('device_id')
    const command = post(`/devices/${device.id}/commands`, { type: 'LOCK' })
    expect(await fleet.fieldOf(command)).toBe('device_id')
    const group = await fleet.createGroup()
    const assignment = post(`/groups/${group.id}/devices`, { device_ids: [device.id] })
    expect(await fleet.fieldOf(assignment)).toBe('device_ids.0')
    expect((await fleet.device(device.id)).events.length).toBeGreaterThan(2)
  })

  it('by a WIPE command is deleted when the phone confirms it', async () => {
    const { device } = await fleet.enroll(fleet.policy_id)
    const { id } = await fleet.command(device.id, { type: 'WIPE' })
    await world().settle()
    const { device: deleted, commands } = await fleet.device(device.id)
    expect(deleted.state).toBe('deleted')
    expect(commands).toEqual([expect.objectContaining({ id, status: 'acknowledged', error: null })])
    expect(await fleet.fieldOf(deletion(device))).toBe('device_id')
  })

  it('without a report is marked as deleted after two complete listings, ten minutes apart', async () => {
    const own = await createReadyFleet(world())
    const { device: other } = await own.enroll(own.policy_id)
    const { device, phone } = await own.enroll(own.policy_id)
    world().control.changePhone(phone.id, { is_silent: true })
    const { db } = world().harness.stores
    const named = db.selectFrom('mdm_devices').select('provider_name').where('id', '=', device.id)
    const { provider_name } = await named.executeTakeFirstOrThrow()
    // Google removes devices that have not reported for a long time.
    await (await createClient(world().emulator)).call('DELETE', provider_name)
    const listAgain = async () => {
      const ours = db.updateTable('mdm_enterprises').where('org_id', '=', own.org_id)
      await ours.set({ listing_due_at: new Date(0) }).execute()
      await world().run('listDevices')
    }
    await listAgain()
    expect((await own.device(device.id)).device.state).toBe('active')
    const earlier = new Date(Date.now() - 11 * 60_000)
    const row = db.updateTable('mdm_devices').where('id', '=', device.id)
    await row.set({ missing_since: earlier }).execute()
    await listAgain()
    expect((await own.device(device.id)).device.state).toBe('deleted')
    expect((await own.device(other.id)).device.state).toBe('active')
  })
})

describe('the state in a lost notification', () => {
  it('is found by a listing', async () => {
    const own = await createReadyFleet(world())
    world().control.setFaults({ notifications: { lost_rate: 1 } })
    const { token_value } = await own.createToken(own.policy_id)
    const { serial_number } = world().control.enrollPhone({ token_value, reaction_ms: 0 })
    await world().settle()
    expect(await own.devices()).toEqual([])
    const { db } = world().harness.stores
    const enterprises = db.updateTable('mdm_enterprises')
    await enterprises.set({ listing_due_at: new Date(0) }).execute()
    await world().run('listDevices')
    expect(await own.devices()).toMatchObject([{ serial_number, state: 'active' }])
    expect(await own.events('mdm.device.enrolled')).toHaveLength(1)
  })
})
