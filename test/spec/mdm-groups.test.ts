/** Specification, "MDM": groups, which give their devices a policy and take commands (OP-77, OP-79). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GroupCommand } from '../../src/modules/mdm/commands/schema.ts'
import type { Group } from '../../src/modules/mdm/groups/schema.ts'
import { type Ask, createReadyFleet, type Fleet, type Given } from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld({
  settings: { VIGIL_MDM_GROUPS_MAX: '30', VIGIL_MDM_ASSIGNMENT_MAX: '5' },
})

let fleet: Fleet & { policy_id: string }
let kiosk: string
let profile: string
beforeAll(async () => {
  fleet = await createReadyFleet(world())
  kiosk = (await fleet.createPolicy({ name: 'Kiosk', policy_json: { cameraDisabled: true } })).id
  profile = (await fleet.createPolicy({ management_mode: 'work_profile' })).id
})
afterEach(() => void world().emulator.control.setFaults({}))

const patch = (id: string, body: Given): Ask => ({ method: 'PATCH', path: `/groups/${id}`, body })
const remove = (id: string): Ask => ({ method: 'DELETE', path: `/groups/${id}` })
const create = (body: Given): Ask => ({ method: 'POST', path: '/groups', body })
const assignment = (id: string, device_ids: unknown[]): Ask => {
  return { method: 'POST', path: `/groups/${id}/devices`, body: { device_ids } }
}
const command = (id: string, body: Given): Ask => {
  return { method: 'POST', path: `/groups/${id}/commands`, body }
}
const fieldOf = async (asked: Ask, at: Fleet = fleet) => {
  const { status, body } = await at.ask(asked)
  expect(status, body.message).toBe(400)
  return body.content.field
}
const list = async (at: Fleet = fleet) => await at.content<Group[]>({ path: '/groups' })
const enrol = async (policy = fleet.policy_id) => await fleet.enrol(policy)
const deviceOf = async (id: string) => (await fleet.device(id)).device
/** What is on the phone. */
const appliedOn = (phoneId: string) =>
  world().emulator.control.getPhone(phoneId).applied_policy?.name.split('/').at(-1)

describe('a group', () => {
  it('has a name and may have a policy', async () => {
    const made = await fleet.content<Group>(create({ name: 'Bern' }))
    expect(made).toEqual({
      id: expect.any(String) as string,
      name: 'Bern',
      policy_id: null,
      device_count: 0,
      last_command: null,
      created_at: expect.any(String) as string,
      updated_at: made.created_at,
    })
    const other = await fleet.content<Group>(create({ name: 'Basel', policy_id: kiosk }))
    expect(other.policy_id).toBe(kiosk)
    expect((await list()).slice(0, 2)).toEqual([other, made])
  })

  it('can be renamed, given a policy, and lose it', async () => {
    const { id } = await fleet.createGroup()
    expect(await fleet.content(patch(id, { name: 'Chur' }))).toMatchObject({
      name: 'Chur',
      policy_id: null,
    })
    expect(await fleet.content(patch(id, { policy_id: kiosk }))).toMatchObject({
      name: 'Chur',
      policy_id: kiosk,
    })
    expect(await fleet.content(patch(id, { policy_id: null }))).toMatchObject({ policy_id: null })
    expect(await fieldOf(patch(id, { name: '' }))).toBe('name')
  })

  it('cannot have a policy that is none', async () => {
    const { id } = await fleet.createGroup()
    for (const policy_id of ['kiosk', crypto.randomUUID()]) {
      expect(await fieldOf(create({ name: 'X', policy_id }))).toBe('policy_id')
      expect(await fieldOf(patch(id, { policy_id }))).toBe('policy_id')
    }
  })

  it('is gone when it is deleted, and answers 404 from then on', async () => {
    const { id } = await fleet.createGroup()
    expect(await fleet.content(remove(id))).toEqual({})
    expect((await list()).map((group) => group.id)).not.toContain(id)
    for (const asked of [remove(id), patch(id, { name: 'X' }), command(id, { type: 'LOCK' })]) {
      expect((await fleet.ask(asked)).status, asked.method).toBe(404)
    }
  })

  it('is one of at most VIGIL_MDM_GROUPS_MAX', async () => {
    const own = await createReadyFleet(world())
    for (let count = 0; count < 30; count += 1) await own.createGroup()
    expect(await fieldOf(create({ name: 'One more' }), own)).toBe('org_id')
  })
})

describe('devices that are assigned to a group', () => {
  it('get its policy by themselves, on the phone too', async () => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const [a, b] = [await enrol(), await enrol()]
    const assigned = await fleet.assign(group.id, [a.device.id, b.device.id])
    expect(assigned).toMatchObject({ id: group.id, device_count: 2 })
    expect(await deviceOf(a.device.id)).toMatchObject({ group_id: group.id, policy_id: kiosk })
    await world().settle()
    for (const { device, phone } of [a, b]) {
      expect(await deviceOf(device.id)).toMatchObject({
        applied_policy_id: kiosk,
        policy_error: null,
        compliance_state: 'compliant',
      })
      expect(appliedOn(phone.id)).toBe(kiosk)
    }
    expect((await list()).find(({ id }) => id === group.id)?.device_count).toBe(2)
  })

  it('keep the policy that they enrolled with when the group has none', async () => {
    const group = await fleet.createGroup()
    const { device } = await enrol()
    await fleet.assign(group.id, [device.id])
    await world().settle()
    expect(await deviceOf(device.id)).toMatchObject({ policy_id: fleet.policy_id })
  })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['moved to another one', async (id) => await moveAway(id)],
    ['its policy is taken away', async (id) => await fleet.content(patch(id, { policy_id: null }))],
    ['it is deleted', async (id) => await fleet.content(remove(id))],
  ])('have the policy that they enrolled with again: %s', async (_what, leave) => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const { device, phone } = await enrol()
    await fleet.assign(group.id, [device.id])
    await world().settle()
    expect(appliedOn(phone.id)).toBe(kiosk)
    await leave(group.id)
    await world().settle()
    expect((await deviceOf(device.id)).policy_id).toBe(fleet.policy_id)
    expect(appliedOn(phone.id)).toBe(fleet.policy_id)
  })

  /** All members, into a group without a policy. */
  async function moveAway(groupId: string): Promise<void> {
    const members = await fleet.devices({ group_id: groupId })
    const other = await fleet.createGroup()
    await fleet.assign(
      other.id,
      members.map(({ id }) => id),
    )
    const groups = await list()
    const counts = [groupId, other.id].map((id) => groups.find((g) => g.id === id)?.device_count)
    expect(counts).toEqual([0, members.length])
  }

  it('get the next policy of the group', async () => {
    const group = await fleet.createGroup()
    const { device, phone } = await enrol()
    await fleet.assign(group.id, [device.id])
    await fleet.content(patch(group.id, { policy_id: kiosk }))
    await world().settle()
    expect(appliedOn(phone.id)).toBe(kiosk)
    expect((await deviceOf(device.id)).applied_policy_id).toBe(kiosk)
  })

  it('are of the mode of its policy, or none of them is assigned', async () => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const { device: managed } = await enrol()
    const { device: personal } = await enrol(profile)
    const asked = assignment(group.id, [managed.id, personal.id])
    expect(await fieldOf(asked)).toBe('device_ids.1')
    expect((await deviceOf(managed.id)).group_id).toBeNull()
    const mixed = await fleet.createGroup()
    await fleet.assign(mixed.id, [managed.id, personal.id])
    expect(await fieldOf(patch(mixed.id, { policy_id: kiosk }))).toBe('policy_id')
    expect((await deviceOf(managed.id)).policy_id).toBe(fleet.policy_id)
  })

  it('are devices of the organisation, from one to VIGIL_MDM_ASSIGNMENT_MAX', async () => {
    const { id } = await fleet.createGroup()
    const { device } = await enrol()
    for (const wrong of ['till', crypto.randomUUID()]) {
      expect(await fieldOf(assignment(id, [device.id, wrong]))).toBe('device_ids.1')
    }
    expect(await fieldOf(assignment(id, []))).toBe('device_ids')
    expect(
      await fieldOf(
        assignment(
          id,
          Array.from({ length: 6 }, () => device.id),
        ),
      ),
    ).toBe('device_ids')
    expect((await deviceOf(device.id)).group_id).toBeNull()
    const twice = await fleet.assign(id, [device.id, device.id])
    expect(twice.device_count).toBe(1)
  })

  it('are counted until they are deleted', async () => {
    const { id } = await fleet.createGroup()
    const [a, b] = [await enrol(), await enrol()]
    await fleet.assign(id, [a.device.id, b.device.id])
    await fleet.content({ method: 'DELETE', path: `/devices/${a.device.id}` })
    await world().settle()
    expect((await list()).find((group) => group.id === id)?.device_count).toBe(1)
  })

  it('are told in the audit log, one by one where their policy is another now', async () => {
    const own = await createReadyFleet(world())
    const policy = await own.createPolicy({ policy_json: { cameraDisabled: true } })
    const group = await own.createGroup({ policy_id: policy.id })
    const { device } = await own.enrol(own.policy_id)
    await own.assign(group.id, [device.id])
    const [assigned] = await own.audit('group.devices_assigned')
    expect(assigned).toMatchObject({ actor_id: own.user_ids.owner, target_id: group.id })
    const [changed] = await own.audit('device.policy_assigned')
    expect(changed).toMatchObject({
      target_id: device.id,
      before: { policy_id: own.policy_id },
      after: { policy_id: policy.id },
    })
  })
})

describe('a command to a group', () => {
  const KINDS = ['queued', 'sent', 'acknowledged', 'failed', 'expired', 'cancelled'] as const
  const counts = (made: GroupCommand | null | undefined) =>
    Object.fromEntries(KINDS.map((kind) => [kind, made?.[kind]]))
  const none = { queued: 0, sent: 0, acknowledged: 0, failed: 0, expired: 0, cancelled: 0 }

  it('is one command for each device that can take it, and is counted as they answer', async () => {
    const group = await fleet.createGroup()
    const [a, b] = [await enrol(), await enrol()]
    const { device: personal } = await enrol(profile)
    await fleet.assign(group.id, [a.device.id, b.device.id, personal.id])
    world().emulator.control.changePhone(b.phone.id, { is_automatic: false })
    const made = await fleet.content<GroupCommand>(command(group.id, { type: 'REBOOT' }))
    expect(made).toMatchObject({ group_id: group.id, type: 'REBOOT', total: 2, skipped: 1 })
    expect(counts(made)).toEqual({ ...none, queued: 2 })
    await world().settle()
    const last = async () => (await list()).find(({ id }) => id === group.id)?.last_command
    expect(await last()).toMatchObject({ id: made.id, total: 2, skipped: 1 })
    expect(counts(await last())).toEqual({ ...none, sent: 1, acknowledged: 1 })
    const [pending] = world().emulator.control.getPhone(b.phone.id).pending_commands
    const failure = { error_code: 'UNKNOWN' } as const
    world().emulator.control.failCommand(b.phone.id, pending?.id ?? '', failure)
    await world().settle()
    expect(counts(await last())).toEqual({ ...none, acknowledged: 1, failed: 1 })
    const [ofDevice] = (await fleet.device(a.device.id)).commands
    expect(ofDevice).toMatchObject({ group_command_id: made.id, type: 'REBOOT' })
    expect((await fleet.device(personal.id)).commands).toEqual([])
  })

  it('that no device can take is refused, and so is one to no devices', async () => {
    const empty = await fleet.createGroup()
    expect(await fieldOf(command(empty.id, { type: 'LOCK' }))).toBe('type')
    const { device } = await enrol(profile)
    await fleet.assign(empty.id, [device.id])
    expect(await fieldOf(command(empty.id, { type: 'REBOOT' }))).toBe('type')
    expect(await fieldOf(command(empty.id, { type: 'CLEAR_APP_DATA' }))).toBe('package_names')
    expect((await list()).find(({ id }) => id === empty.id)?.last_command).toBeNull()
  })
})
