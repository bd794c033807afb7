import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice, addDevices, managedDevice } from '../../../../test/support/mdm.ts'
import {
  addEnterprise,
  auditOf,
  dispatchesOf,
  openAdministration,
  USER,
} from '../../../../test/support/mdm-administration.ts'
import { createGroups } from './service.ts'

const db = testDatabase()
const { groups, policies, hints } = openAdministration(db)
const refusing = (field: string) =>
  expect.objectContaining({
    body: expect.objectContaining({ content: { field } }) as unknown,
  }) as unknown

const open = async () => {
  const org_id = randomUUID()
  await addEnterprise(db, org_id)
  return org_id
}
const addPolicy = async (
  org_id: string,
  management_mode: 'fully_managed' | 'work_profile' = 'fully_managed',
) => (await policies.create(USER, org_id, { name: 'P', management_mode })).id
const addGroup = async (org_id: string, policy_id: string | null = null) =>
  (await groups.create(USER, org_id, { name: 'Bern', policy_id })).id

const deviceOf = async (id: string) =>
  await db
    .selectFrom('mdm_devices')
    .select(['group_id', 'policy_id', 'policy_error'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const assignmentsOf = async (orgId: string) =>
  (await dispatchesOf(db, orgId)).filter((row) => row.startsWith('assign_policy'))
const entriesOf = async (orgId: string, action: string) =>
  (await auditOf(db, orgId)).filter((entry) => entry.action === action)

describe('a group', () => {
  it('is listed newest first with the number of its devices', async () => {
    const org_id = await open()
    const policy_id = await addPolicy(org_id)
    const first = await groups.create(USER, org_id, { name: 'Bern', policy_id })
    expect(first).toMatchObject({ name: 'Bern', policy_id, device_count: 0, last_command: null })
    const second = await groups.create(USER, org_id, { name: 'Basel' })
    expect(second).toMatchObject({ name: 'Basel', policy_id: null })
    await addDevice(db, { org_id, group_id: first.id })
    await addDevice(db, { org_id, group_id: first.id, state: 'provisioning' })
    await addDevice(db, { org_id, group_id: first.id, state: 'deleted' })
    expect(await groups.list(org_id)).toEqual([second, { ...first, device_count: 2 }])
    expect(await groups.list(randomUUID())).toEqual([])
    expect(await entriesOf(org_id, 'group.created')).toMatchObject([
      { actor_id: USER, target_id: first.id, after: { name: 'Bern', policy_id } },
      { target_id: second.id, after: { name: 'Basel', policy_id: null } },
    ])
  })

  it('shows the progress of its last command', async () => {
    const org_id = await open()
    const id = await addGroup(org_id)
    const other = await addGroup(org_id)
    const command = {
      id: randomUUID(),
      group_id: id,
      type: 'LOCK' as const,
      total: 3,
      skipped: 0,
      queued: 1,
      sent: 1,
      acknowledged: 1,
      failed: 0,
      expired: 0,
      cancelled: 0,
      created_at: '2026-03-01T12:00:00.000Z',
    }
    const service = createGroups({
      db,
      newId: () => randomUUID(),
      clock: { now: () => new Date(0) },
      progressOf: () => Promise.resolve(new Map([[id, command]])),
      mdm_groups_max: 10,
      hint: () => undefined,
    })
    expect(await service.list(org_id)).toMatchObject([
      { id: other, last_command: null },
      { id, last_command: command },
    ])
    expect(await service.update(USER, org_id, id, {})).toMatchObject({ last_command: command })
  })

  it('has a policy of its organization or none', async () => {
    const org_id = await open()
    const foreign = await addPolicy(await open())
    for (const policy_id of [foreign, randomUUID(), 'no-uuid']) {
      const attempt = groups.create(USER, org_id, { name: 'Bern', policy_id })
      await expect(attempt).rejects.toEqual(refusing('policy_id'))
    }
    const id = await addGroup(org_id)
    const attempt = groups.update(USER, org_id, id, { policy_id: foreign })
    await expect(attempt).rejects.toEqual(refusing('policy_id'))
    expect(await groups.list(org_id)).toMatchObject([{ id, policy_id: null }])
  })

  it('is refused when the limit of groups is reached', async () => {
    const org_id = await open()
    const few = openAdministration(db, { limits: { groups: 1 } })
    await few.groups.create(USER, org_id, { name: 'Bern' })
    await expect(few.groups.create(USER, org_id, { name: 'Basel' })).rejects.toEqual(
      refusing('org_id'),
    )
    expect(await auditOf(db, org_id)).toHaveLength(1)
  })

  it('does not exceed the limit when many are created concurrently', async () => {
    const org_id = await open()
    const few = openAdministration(db, { limits: { groups: 3 } }).groups
    const names = Array.from({ length: 12 }, (_, index) => `Group ${index}`)
    const attempts = names.map(async (name) => await few.create(USER, org_id, { name }))
    const settled = await Promise.allSettled(attempts)
    const refused = settled.filter(({ status }) => status === 'rejected')
    expect(refused).toEqual(refused.map(() => ({ status: 'rejected', reason: refusing('org_id') })))
    expect(refused).toHaveLength(9)
    expect(await groups.list(org_id)).toHaveLength(3)
  })

  it('does not exist for another organization', async () => {
    const [org_id, other] = [await open(), await open()]
    const id = await addGroup(org_id)
    const { id: device_id } = await addDevice(db, { org_id: other })
    for (const group_id of [id, randomUUID(), 'no-uuid']) {
      expect(await groups.update(USER, other, group_id, { name: 'X' })).toBeUndefined()
      expect(await groups.remove(USER, other, group_id)).toBe(false)
      expect(await groups.assign(USER, other, group_id, [device_id])).toBeUndefined()
    }
    expect(await groups.list(org_id)).toMatchObject([{ id, name: 'Bern' }])
    expect(await auditOf(db, other)).toEqual([])
  })
})

describe('assigning devices to a group', () => {
  it('gives them its policy, and dispatches it to those that had another one', async () => {
    const org_id = await open()
    const [own, enrolled] = [await addPolicy(org_id), await addPolicy(org_id)]
    const id = await addGroup(org_id, own)
    const by = { enrolled_policy_id: enrolled, policy_id: enrolled, policy_error: 'Rejected' }
    const changed = await addDevice(db, { org_id, ...by })
    const same = await addDevice(db, { org_id, ...by, policy_id: own })
    const ids = [changed.id, same.id.toUpperCase(), changed.id]
    hints.length = 0
    const group = await groups.assign(USER, org_id, id, ids)
    expect(group).toMatchObject({ id, device_count: 2 })
    expect(hints).not.toEqual([])
    const now = { group_id: id, policy_id: own }
    expect(await deviceOf(changed.id)).toEqual({ ...now, policy_error: null })
    expect(await deviceOf(same.id)).toEqual({ ...now, policy_error: 'Rejected' })
    expect(await assignmentsOf(org_id)).toEqual([`assign_policy ${changed.id}`])
    expect(await entriesOf(org_id, 'device.policy_assigned')).toMatchObject([
      { device_id: changed.id, before: { policy_id: enrolled }, after: { policy_id: own } },
    ])
    const [entry] = await entriesOf(org_id, 'group.devices_assigned')
    expect(entry).toMatchObject({ target_id: id, actor_id: USER })
    const assigned = entry?.after?.['device_ids'] as string[]
    expect(assigned.toSorted()).toEqual([changed.id, same.id].toSorted())
  })

  it('that are already in it changes and records nothing', async () => {
    const org_id = await open()
    const id = await addGroup(org_id, await addPolicy(org_id))
    const device = await addDevice(db, { org_id })
    await groups.assign(USER, org_id, id, [device.id])
    const before = await auditOf(db, org_id)
    expect(await groups.assign(USER, org_id, id, [device.id])).toMatchObject({ device_count: 1 })
    expect(await auditOf(db, org_id)).toEqual(before)
  })

  it('moves them out of their group; without a group policy they have that of their enrollment', async () => {
    const org_id = await open()
    const [own, enrolled] = [await addPolicy(org_id), await addPolicy(org_id)]
    const [from, to] = [await addGroup(org_id, own), await addGroup(org_id)]
    const device = await addDevice(db, { org_id, enrolled_policy_id: enrolled })
    const foreign = await addDevice(db, { org_id })
    await groups.assign(USER, org_id, from, [device.id, foreign.id])
    await db.deleteFrom('mdm_dispatches').where('org_id', '=', org_id).execute()
    await groups.assign(USER, org_id, to, [device.id, foreign.id])
    expect(await deviceOf(device.id)).toMatchObject({ group_id: to, policy_id: enrolled })
    // It enrolled without a policy of Vigil, so that there is none to return to.
    expect(await deviceOf(foreign.id)).toMatchObject({ group_id: to, policy_id: null })
    expect(await assignmentsOf(org_id)).toEqual([`assign_policy ${device.id}`])
    expect(await groups.list(org_id)).toMatchObject([
      { id: to, device_count: 2 },
      { id: from, device_count: 0 },
    ])
  })

  it('assigns all or none, and names the first that cannot be assigned', async () => {
    const org_id = await open()
    const id = await addGroup(org_id, await addPolicy(org_id))
    const fine = await addDevice(db, { org_id })
    const cases = {
      foreign: await addDevice(db, { org_id: await open() }),
      unknown: { id: randomUUID() },
      malformed: { id: 'no-uuid' },
      deleted: await addDevice(db, { org_id, state: 'deleted' }),
      leaving: await addDevice(db, { org_id, deletion_requested_at: new Date() }),
      of_other_mode: await addDevice(db, { org_id, management_mode: 'work_profile' }),
    }
    for (const device of Object.values(cases)) {
      const attempt = groups.assign(USER, org_id, id, [fine.id, device.id, 'nonsense'])
      await expect(attempt).rejects.toEqual(refusing('device_ids.1'))
    }
    expect(await deviceOf(fine.id)).toMatchObject({ group_id: null })
    expect(await entriesOf(org_id, 'group.devices_assigned')).toEqual([])
    expect(await assignmentsOf(org_id)).toEqual([])
  })

  it('of both modes is possible if the group has no policy', async () => {
    const org_id = await open()
    const id = await addGroup(org_id)
    const till = await addDevice(db, { org_id })
    const phone = await addDevice(db, { org_id, management_mode: 'work_profile' })
    expect(await groups.assign(USER, org_id, id, [till.id, phone.id])).toMatchObject({
      device_count: 2,
    })
  })
})

describe('a new policy of a group', () => {
  it('goes to all members that are neither deleted nor being deleted', async () => {
    const org_id = await open()
    const [before, after] = [await addPolicy(org_id), await addPolicy(org_id)]
    const id = await addGroup(org_id, before)
    const member = { org_id, group_id: id, policy_id: before }
    const device = await addDevice(db, member)
    const leaving = await addDevice(db, { ...member, deletion_requested_at: new Date() })
    const gone = await addDevice(db, { ...member, state: 'deleted' })
    const deletedPhone = { state: 'deleted', management_mode: 'work_profile' } as const
    const phone = await addDevice(db, { ...member, ...deletedPhone, policy_id: null })
    const stranger = await addDevice(db, { org_id, policy_id: before })
    const changed = await groups.update(USER, org_id, id, { policy_id: after, name: 'Bern' })
    expect(changed).toMatchObject({ policy_id: after, device_count: 2 })
    expect(await assignmentsOf(org_id)).toEqual([`assign_policy ${device.id}`])
    // Deleted devices of its mode have it in case they come back.
    for (const { id: one } of [device, leaving, gone]) {
      expect(await deviceOf(one)).toMatchObject({ group_id: id, policy_id: after })
    }
    expect(await deviceOf(phone.id)).toMatchObject({ policy_id: null })
    expect(await deviceOf(stranger.id)).toMatchObject({ policy_id: before })
    expect(await entriesOf(org_id, 'group.updated')).toMatchObject([
      { before: { policy_id: before }, after: { policy_id: after } },
    ])
    expect(await entriesOf(org_id, 'device.policy_assigned')).toMatchObject([
      { device_id: device.id, before: { policy_id: before }, after: { policy_id: after } },
    ])
  })

  it('is refused when a member has another mode, and changes nothing then', async () => {
    const org_id = await open()
    const [own, other] = [await addPolicy(org_id), await addPolicy(org_id, 'work_profile')]
    const id = await addGroup(org_id)
    const device = await addDevice(db, { org_id, group_id: id })
    const attempt = groups.update(USER, org_id, id, { policy_id: other, name: 'New' })
    await expect(attempt).rejects.toEqual(refusing('policy_id'))
    expect(await groups.list(org_id)).toMatchObject([{ name: 'Bern', policy_id: null }])
    expect(await entriesOf(org_id, 'group.updated')).toEqual([])
    expect(await groups.update(USER, org_id, id, { policy_id: own })).toBeDefined()
    expect(await deviceOf(device.id)).toMatchObject({ policy_id: own })
  })

  it('of none gives the members the policies that they enrolled with', async () => {
    const org_id = await open()
    const [own, enrolled] = [await addPolicy(org_id), await addPolicy(org_id)]
    const id = await addGroup(org_id, own)
    const by = { enrolled_policy_id: enrolled, policy_id: own, policy_error: 'Rejected' }
    const device = await addDevice(db, { org_id, group_id: id, ...by })
    expect(await groups.update(USER, org_id, id, { policy_id: null })).toMatchObject({
      policy_id: null,
      device_count: 1,
    })
    const now = { group_id: id, policy_id: enrolled, policy_error: null }
    expect(await deviceOf(device.id)).toEqual(now)
    expect(await assignmentsOf(org_id)).toEqual([`assign_policy ${device.id}`])
  })

  it('reaches each member of a large group once', async () => {
    const org_id = await open()
    const [before, after] = [await addPolicy(org_id), await addPolicy(org_id)]
    const id = await addGroup(org_id, before)
    const member = () => managedDevice({ org_id, group_id: id, policy_id: before })
    await addDevices(db, Array.from({ length: 5001 }, member))
    await groups.update(USER, org_id, id, { policy_id: after })
    expect(await assignmentsOf(org_id)).toHaveLength(5001)
    expect(await entriesOf(org_id, 'device.policy_assigned')).toHaveLength(5001)
    expect(await groups.remove(USER, org_id, id)).toBe(true)
    expect(await entriesOf(org_id, 'device.policy_assigned')).toHaveLength(10_002)
  })
})

describe('changing a group', () => {
  it('changes no device when only the name changes, and records nothing when nothing changes', async () => {
    const org_id = await open()
    const policy_id = await addPolicy(org_id)
    const id = await addGroup(org_id, policy_id)
    const device = await addDevice(db, { org_id, group_id: id, policy_id: randomUUID() })
    expect(await groups.update(USER, org_id, id, { name: 'Thun', policy_id })).toMatchObject({
      name: 'Thun',
      policy_id,
    })
    await groups.update(USER, org_id, id, { name: 'Thun' })
    await groups.update(USER, org_id, id, {})
    expect((await deviceOf(device.id)).policy_id).toBe(device.policy_id)
    expect(await entriesOf(org_id, 'group.updated')).toMatchObject([
      { before: { name: 'Bern' }, after: { name: 'Thun' } },
    ])
  })
})

describe('deleting a group', () => {
  it('returns its devices to the policies that they enrolled with', async () => {
    const org_id = await open()
    const [own, enrolled] = [await addPolicy(org_id), await addPolicy(org_id)]
    const id = await addGroup(org_id, own)
    const member = { org_id, group_id: id, policy_id: own, enrolled_policy_id: enrolled }
    const device = await addDevice(db, member)
    const same = await addDevice(db, { ...member, enrolled_policy_id: own })
    const gone = await addDevice(db, { ...member, state: 'deleted' })
    expect(await groups.remove(USER, org_id, id)).toBe(true)
    expect(await groups.remove(USER, org_id, id)).toBe(false)
    expect(await groups.list(org_id)).toEqual([])
    const now = { group_id: null, policy_error: null }
    expect(await deviceOf(device.id)).toEqual({ ...now, policy_id: enrolled })
    expect(await deviceOf(gone.id)).toEqual({ ...now, policy_id: enrolled })
    expect(await deviceOf(same.id)).toEqual({ ...now, policy_id: own })
    expect(await assignmentsOf(org_id)).toEqual([`assign_policy ${device.id}`])
    expect(await entriesOf(org_id, 'group.deleted')).toMatchObject([
      { target_id: id, before: { name: 'Bern', policy_id: own, device_count: 2 } },
    ])
  })
})
