import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice, addDevices, managedDevice } from '../../../../test/support/mdm.ts'
import {
  addEnterprise,
  NOW,
  openAdministration,
  USER,
  whileHeld,
} from '../../../../test/support/mdm-administration.ts'
import { createIds } from '../../../platform/ids.ts'
import { userActor } from '../audit/entry.ts'
import type { ManagementMode } from '../tables.ts'
import { assignDevices } from './assignment.ts'
import { applyGroupPolicy } from './member-moves.ts'
import { deleteGroup, lockGroup, updateGroup } from './store.ts'

const db = testDatabase()
const { groups, policies } = openAdministration(db)
const newId = createIds()
const actor = userActor(USER)

async function open(mode: ManagementMode = 'fully_managed') {
  const org_id = randomUUID()
  await addEnterprise(db, org_id)
  const add = async (management_mode: ManagementMode) =>
    (await policies.create(USER, org_id, { name: 'P', management_mode })).id
  const policy_id = await add(mode)
  const { id } = await groups.create(USER, org_id, { name: 'Bern', policy_id })
  const device = await addDevice(db, { org_id, management_mode: mode })
  return { org_id, policy_id, id, device, add }
}
type Setting = Awaited<ReturnType<typeof open>>

const deviceOf = async (id: string) =>
  await db
    .selectFrom('mdm_devices')
    .select(['group_id', 'policy_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const assign = async ({ org_id, id, device }: Setting) =>
  await groups.assign(USER, org_id, id, [device.id])
const assignment = ({ org_id, id, device }: Setting) => ({
  org_id,
  group_id: id,
  device_ids: [device.id],
  actor,
  now: NOW,
})

describe('a group that is deleted while a device is assigned to it', () => {
  it('no longer exists when the deletion came first', async () => {
    const setting = await open()
    const { org_id, id, device } = setting
    const result = await whileHeld(
      db,
      async (tx) => await deleteGroup(tx, org_id, id),
      async () => await assign(setting),
    )
    expect(result).toEqual({ status: 'fulfilled', value: undefined })
    expect(await deviceOf(device.id)).toEqual({ group_id: null, policy_id: null })
  })

  it('releases the device when the assignment came first', async () => {
    const setting = await open()
    const { org_id, id, device } = setting
    const result = await whileHeld(
      db,
      async (tx) => await assignDevices(newId, tx, assignment(setting)),
      async () => await groups.remove(USER, org_id, id),
    )
    expect(result).toEqual({ status: 'fulfilled', value: true })
    expect(await deviceOf(device.id)).toEqual({ group_id: null, policy_id: null })
  })

  it('does not change a device that has just moved to another group', async () => {
    const setting = await open()
    const { org_id, id, device } = setting
    await assign(setting)
    const { id: other } = await groups.create(USER, org_id, { name: 'Basel' })
    const result = await whileHeld(
      db,
      async (tx) => await assignDevices(newId, tx, { ...assignment(setting), group_id: other }),
      async () => await groups.remove(USER, org_id, id),
    )
    expect(result).toEqual({ status: 'fulfilled', value: true })
    expect(await deviceOf(device.id)).toEqual({ group_id: other, policy_id: null })
  })
})

describe('a group whose policy changes while a device is assigned to it', () => {
  it('gives the device the new policy when the change came first', async () => {
    const setting = await open()
    const { org_id, id, device } = setting
    const next = await setting.add('fully_managed')
    const result = await whileHeld(
      db,
      async (tx) => {
        const row = await lockGroup(tx, org_id, id)
        if (row) await updateGroup(tx, { ...row, policy_id: next })
      },
      async () => await assign(setting),
    )
    expect(result.status).toBe('fulfilled')
    expect(await deviceOf(device.id)).toEqual({ group_id: id, policy_id: next })
  })

  it('gives the device the new policy when the assignment came first', async () => {
    const setting = await open()
    const { org_id, id, device } = setting
    const next = await setting.add('fully_managed')
    const result = await whileHeld(
      db,
      async (tx) => await assignDevices(newId, tx, assignment(setting)),
      async () => await groups.update(USER, org_id, id, { policy_id: next }),
    )
    expect(result.status).toBe('fulfilled')
    expect(await deviceOf(device.id)).toEqual({ group_id: id, policy_id: next })
  })

  it('cannot get a policy of another mode than a device that was just assigned', async () => {
    const setting = await open('work_profile')
    const { org_id, id } = setting
    const other = await setting.add('fully_managed')
    const result = await whileHeld(
      db,
      async (tx) => await assignDevices(newId, tx, assignment(setting)),
      async () => await groups.update(USER, org_id, id, { policy_id: other }),
    )
    expect(result).toMatchObject({
      status: 'rejected',
      reason: { body: { content: { field: 'policy_id' } } },
    })
  })
})

describe('a policy that changes its mode while a group is given it', () => {
  it('is refused if the new mode does not fit', async () => {
    const setting = await open()
    const { org_id, id } = setting
    await assign(setting)
    const next = await setting.add('fully_managed')
    const management_mode = 'work_profile'
    const result = await whileHeld(
      db,
      async (tx) =>
        await tx
          .updateTable('mdm_policies')
          .set({ management_mode })
          .where('id', '=', next)
          .execute(),
      async () => await groups.update(USER, org_id, id, { policy_id: next }),
    )
    expect(result).toMatchObject({
      status: 'rejected',
      reason: { body: { content: { field: 'policy_id' } } },
    })
  })
})

describe('concurrent changes', () => {
  it('leave every device in one group, with the policy of that group', async () => {
    const setting = await open()
    const { org_id, policy_id } = setting
    const other = await setting.add('fully_managed')
    const created = [policy_id, other, null].map(
      async (one) => await groups.create(USER, org_id, { name: 'G', policy_id: one }),
    )
    const ids = (await Promise.all(created)).map(({ id }) => id)
    const [first = '', second = '', third = ''] = ids
    const devices = Array.from({ length: 60 }, () => managedDevice({ org_id }))
    await addDevices(db, devices)
    const some = devices.map(({ id }) => id)
    const reversed = some.toReversed()
    await Promise.all([
      groups.assign(USER, org_id, first, some),
      groups.assign(USER, org_id, second, reversed),
      groups.update(USER, org_id, first, { policy_id: other }),
      groups.assign(USER, org_id, third, some),
      groups.update(USER, org_id, second, { policy_id: null }),
      policies.update(USER, org_id, { id: other }, { policy_json: {} }),
      groups.remove(USER, org_id, third),
    ])
    const left = await groups.list(org_id)
    const policyOf = new Map(left.map((group) => [group.id, group.policy_id]))
    const rows = await Promise.all(some.map(deviceOf))
    const wrong = rows.filter(({ group_id, policy_id: has }) =>
      group_id === null ? has !== null : has !== policyOf.get(group_id),
    )
    expect(wrong).toEqual([])
    const counted = left.reduce((sum, { device_count }) => sum + device_count, 0)
    expect(counted).toBe(rows.filter(({ group_id }) => group_id !== null).length)
  })

  it('move a device to another group after they waited for a change of its group', async () => {
    const setting = await open()
    const { org_id, id, device, policy_id } = setting
    const next = await setting.add('fully_managed')
    await assign(setting)
    const change = {
      org_id,
      group_id: id,
      is_group_deleted: false,
      now: NOW,
      policy: { id: next, management_mode: 'fully_managed' as const },
    }
    const result = await whileHeld(
      db,
      async (tx) => await applyGroupPolicy(newId, tx, change, actor),
      async () => {
        const { id: other } = await groups.create(USER, org_id, { name: 'X', policy_id })
        return await groups.assign(USER, org_id, other, [device.id])
      },
    )
    expect(result.status).toBe('fulfilled')
    expect((await deviceOf(device.id)).policy_id).toBe(policy_id)
  })
})
