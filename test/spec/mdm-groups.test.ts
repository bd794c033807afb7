/** Specification, "MDM": groups, the policies of their devices, and their commands (OP-77, OP-79). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { GroupCommand } from '../../src/modules/mdm/commands/schema.ts'
import type { Group } from '../../src/modules/mdm/groups/schema.ts'
import {
  createReadyFleet,
  type Fleet,
  type JsonObject,
  patch,
  post,
  remove,
} from '../support/mdm-fleet.ts'
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
afterEach(() => void world().control.setFaults({}))

const change = (id: string, body: JsonObject) => patch(`/groups/${id}`, body)
const deletion = (id: string) => remove(`/groups/${id}`)
const creation = (body: JsonObject) => post('/groups', body)
const assignment = (id: string, device_ids: unknown[]) =>
  post(`/groups/${id}/devices`, { device_ids })
const command = (id: string, body: JsonObject) => post(`/groups/${id}/commands`, body)
const list = async (at: Fleet = fleet) => await at.content<Group[]>({ path: '/groups' })
const enroll = async (policy = fleet.policy_id) => await fleet.enroll(policy)
const deviceOf = async (id: string) => (await fleet.device(id)).device
/** The policy that is applied on the phone. */
const appliedOn = (phoneId: string) =>
  world().control.getPhone(phoneId).applied_policy?.name.split('/').at(-1)

describe('a group', () => {
  it('has a name and optionally a policy', async () => {
    const created = await fleet.content<Group>(creation({ name: 'Bern' }))
    expect(created).toEqual({
      id: expect.any(String) as string,
      name: 'Bern',
      policy_id: null,
      device_count: 0,
      last_command: null,
      created_at: expect.any(String) as string,
      updated_at: created.created_at,
    })
    const other = await fleet.content<Group>(creation({ name: 'Basel', policy_id: kiosk }))
    expect(other.policy_id).toBe(kiosk)
    expect((await list()).slice(0, 2)).toEqual([other, created])
  })

  it('can be renamed, given a policy, and lose it', async () => {
    const { id } = await fleet.createGroup()
    expect(await fleet.content(change(id, { name: 'Chur' }))).toMatchObject({
      name: 'Chur',
      policy_id: null,
    })
    expect(await fleet.content(change(id, { policy_id: kiosk }))).toMatchObject({
      name: 'Chur',
      policy_id: kiosk,
    })
    expect(await fleet.content(change(id, { policy_id: null }))).toMatchObject({ policy_id: null })
    expect(await fleet.fieldOf(change(id, { name: '' }))).toBe('name')
  })

  it('cannot have an unknown policy', async () => {
    const { id } = await fleet.createGroup()
    for (const policy_id of ['kiosk', crypto.randomUUID()]) {
      expect(await fleet.fieldOf(creation({ name: 'X', policy_id }))).toBe('policy_id')
      expect(await fleet.fieldOf(change(id, { policy_id }))).toBe('policy_id')
    }
  })

  it('is a 404 after it was deleted', async () => {
    const { id } = await fleet.createGroup()
    expect(await fleet.content(deletion(id))).toEqual({})
    expect((await list()).map((group) => group.id)).not.toContain(id)
    for (const request of [
      deletion(id),
      change(id, { name: 'X' }),
      command(id, { type: 'LOCK' }),
    ]) {
      expect((await fleet.send(request)).status, request.method).toBe(404)
    }
  })

  it('is refused beyond VIGIL_MDM_GROUPS_MAX', async () => {
    const own = await createReadyFleet(world())
    for (let count = 0; count < 30; count += 1) await own.createGroup()
    expect(await own.fieldOf(creation({ name: 'One more' }))).toBe('org_id')
  })
})

describe('devices that are assigned to a group', () => {
  it('receive its policy automatically, also on the phone', async () => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const [a, b] = [await enroll(), await enroll()]
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

  it('retain the policy that they enrolled with when the group has none', async () => {
    const group = await fleet.createGroup()
    const { device } = await enroll()
    await fleet.assign(group.id, [device.id])
    await world().settle()
    expect(await deviceOf(device.id)).toMatchObject({ policy_id: fleet.policy_id })
  })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['after a move to another group', async (id) => await moveAway(id)],
    [
      'after the group lost its policy',
      async (id) => await fleet.content(change(id, { policy_id: null })),
    ],
    ['after the group was deleted', async (id) => await fleet.content(deletion(id))],
  ])('return to the policy that they enrolled with %s', async (_what, leave) => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const { device, phone } = await enroll()
    await fleet.assign(group.id, [device.id])
    await world().settle()
    expect(appliedOn(phone.id)).toBe(kiosk)
    await leave(group.id)
    await world().settle()
    expect((await deviceOf(device.id)).policy_id).toBe(fleet.policy_id)
    expect(appliedOn(phone.id)).toBe(fleet.policy_id)
  })

  /** Moves all members to a group without a policy. */
  async function moveAway(groupId: string): Promise<void> {
    const members = await fleet.devices({ group_id: groupId })
    const other = await fleet.createGroup()
    const ids = members.map(({ id }) => id)
    await fleet.assign(other.id, ids)
    const groups = await list()
    const counts = [groupId, other.id].map((id) => groups.find((g) => g.id === id)?.device_count)
    expect(counts).toEqual([0, members.length])
  }

  it('receive a new policy of the group', async () => {
    const group = await fleet.createGroup()
    const { device, phone } = await enroll()
    await fleet.assign(group.id, [device.id])
    await fleet.content(change(group.id, { policy_id: kiosk }))
    await world().settle()
    expect(appliedOn(phone.id)).toBe(kiosk)
    expect((await deviceOf(device.id)).applied_policy_id).toBe(kiosk)
  })

  it('must have the mode of its policy, or none is assigned', async () => {
    const group = await fleet.createGroup({ policy_id: kiosk })
    const { device: managed } = await enroll()
    const { device: personal } = await enroll(profile)
    const request = assignment(group.id, [managed.id, personal.id])
    expect(await fleet.fieldOf(request)).toBe('device_ids.1')
    expect((await deviceOf(managed.id)).group_id).toBeNull()
    const mixed = await fleet.createGroup()
    await fleet.assign(mixed.id, [managed.id, personal.id])
    expect(await fleet.fieldOf(change(mixed.id, { policy_id: kiosk }))).toBe('policy_id')
    expect((await deviceOf(managed.id)).policy_id).toBe(fleet.policy_id)
  })

  it('must be devices of the organization, from one to VIGIL_MDM_ASSIGNMENT_MAX', async () => {
    const { id } = await fleet.createGroup()
    const { device } = await enroll()
    for (const wrong of ['till', crypto.randomUUID()]) {
      expect(await fleet.fieldOf(assignment(id, [device.id, wrong]))).toBe('device_ids.1')
    }
    expect(await fleet.fieldOf(assignment(id, []))).toBe('device_ids')
    const many = Array.from({ length: 6 }, () => device.id)
    expect(await fleet.fieldOf(assignment(id, many))).toBe('device_ids')
    expect((await deviceOf(device.id)).group_id).toBeNull()
    const twice = await fleet.assign(id, [device.id, device.id])
    expect(twice.device_count).toBe(1)
  })

  it('are counted until they are deleted', async () => {
    const { id } = await fleet.createGroup()
    const [a, b] = [await enroll(), await enroll()]
    await fleet.assign(id, [a.device.id, b.device.id])
    await fleet.content(remove(`/devices/${a.device.id}`))
    await world().settle()
    expect((await list()).find((group) => group.id === id)?.device_count).toBe(1)
  })

  it('are in the audit log, with an entry for each whose policy changed', async () => {
    const own = await createReadyFleet(world())
    const policy = await own.createPolicy({ policy_json: { cameraDisabled: true } })
    const group = await own.createGroup({ policy_id: policy.id })
    const { device } = await own.enroll(own.policy_id)
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
  const counts = (groupCommand: GroupCommand | null | undefined) =>
    Object.fromEntries(KINDS.map((kind) => [kind, groupCommand?.[kind]]))
  const none = { queued: 0, sent: 0, acknowledged: 0, failed: 0, expired: 0, cancelled: 0 }

  it('is one command for each device that supports it, and counts their results', async () => {
    const group = await fleet.createGroup()
    const [a, b] = [await enroll(), await enroll()]
    const { device: personal } = await enroll(profile)
    await fleet.assign(group.id, [a.device.id, b.device.id, personal.id])
    world().control.changePhone(b.phone.id, { is_automatic: false })
    const created = await fleet.content<GroupCommand>(command(group.id, { type: 'REBOOT' }))
    expect(created).toMatchObject({ group_id: group.id, type: 'REBOOT', total: 2, skipped: 1 })
    expect(counts(created)).toEqual({ ...none, queued: 2 })
    await world().settle()
    const last = async () => (await list()).find(({ id }) => id === group.id)?.last_command
    expect(await last()).toMatchObject({ id: created.id, total: 2, skipped: 1 })
    expect(counts(await last())).toEqual({ ...none, sent: 1, acknowledged: 1 })
    const [pending] = world().control.getPhone(b.phone.id).pending_commands
    const failure = { error_code: 'UNKNOWN' } as const
    world().control.failCommand(b.phone.id, pending?.id ?? '', failure)
    await world().settle()
    expect(counts(await last())).toEqual({ ...none, acknowledged: 1, failed: 1 })
    const [ofDevice] = (await fleet.device(a.device.id)).commands
    expect(ofDevice).toMatchObject({ group_command_id: created.id, type: 'REBOOT' })
    expect((await fleet.device(personal.id)).commands).toEqual([])
  })

  it('is refused when no device supports it, or the group is empty', async () => {
    const empty = await fleet.createGroup()
    expect(await fleet.fieldOf(command(empty.id, { type: 'LOCK' }))).toBe('type')
    const { device } = await enroll(profile)
    await fleet.assign(empty.id, [device.id])
    expect(await fleet.fieldOf(command(empty.id, { type: 'REBOOT' }))).toBe('type')
    expect(await fleet.fieldOf(command(empty.id, { type: 'CLEAR_APP_DATA' }))).toBe('package_names')
    expect((await list()).find(({ id }) => id === empty.id)?.last_command).toBeNull()
  })
})
