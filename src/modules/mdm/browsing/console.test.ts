import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addDevice } from '../../../../test/support/mdm.ts'
import type { FoundDevices, MdmNames, MdmStatus } from './schema.ts'

const harness = useHarness()
const ROOT = '/console/api/mdm'

async function createMember(role: 'owner' | 'member' = 'member') {
  const { org_id } = await harness().createTenant()
  return { org_id, token: await harness().signIn(org_id, role) }
}
type Member = Awaited<ReturnType<typeof createMember>>

const get = async <Content>(
  { org_id, token }: Member,
  path: string,
  query: Record<string, string> = {},
) =>
  await harness().call<Content & { field: string }>({
    method: 'GET',
    path: `${ROOT}/${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
    token,
  })
const found = async (member: Member, query: Record<string, string>) => {
  const { status, body } = await get<FoundDevices>(member, 'devices', query)
  expect(status).toBe(200)
  return body.content
}
const at = (second: number) => new Date(Date.UTC(2026, 1, 1, 8, 0, second))
const addTo = async ({ org_id }: Member, values: object, second = 0) =>
  await addDevice(harness().stores.db, { org_id, created_at: at(second), ...values })
const foundIds = async (member: Member, query: Record<string, string>) =>
  (await found(member, query)).devices.map(({ id }) => id)

describe('GET /console/api/mdm/names', () => {
  it('names the policies, groups and people of the organization, and of no other', async () => {
    const member = await createMember('owner')
    const { org_id, token } = member
    const post = async (path: string, body: object) =>
      await harness().call<{ id: string }>({
        method: 'POST',
        path: `/v1/mdm/${path}?org_id=${org_id}`,
        token,
        body,
      })
    const policy = await post('policies', { name: 'Tills', management_mode: 'fully_managed' })
    const group = await post('groups', { name: 'Bern', policy_id: policy.body.content.id })
    const { body } = await get<MdmNames>(member, 'names')
    expect(body.content).toEqual({
      policies: [
        {
          id: policy.body.content.id,
          name: 'Tills',
          management_mode: 'fully_managed',
          version: 1,
          publish_state: 'waiting',
        },
      ],
      groups: [{ id: group.body.content.id, name: 'Bern', policy_id: policy.body.content.id }],
      people: expect.any(Object) as object,
    })
    expect(Object.values(body.content.people)).toHaveLength(1)
    const other = await get<MdmNames>(await createMember(), 'names')
    expect(other.body.content).toMatchObject({ policies: [], groups: [] })
  })
})

describe('GET /console/api/mdm/status', () => {
  it('counts by state, compliance and mode, with deleted devices only by state', async () => {
    const member = await createMember()
    await addTo(member, {})
    await addTo(member, { state: 'lost', compliance_state: 'grace_period' })
    await addTo(member, { management_mode: 'work_profile', compliance_state: 'non_compliant' })
    await addTo(member, { state: 'deleted', compliance_state: 'unknown' })
    const { body } = await get<MdmStatus>(member, 'status')
    expect(body.content).toMatchObject({
      by_state: { active: 2, lost: 1, deleted: 1, disabled: 0 },
      by_compliance: { compliant: 1, grace_period: 1, non_compliant: 1, unknown: 0 },
      by_mode: { fully_managed: 2, work_profile: 1 },
    })
  })

  it('says that nothing is connected without a connection', async () => {
    const { body } = await get<MdmStatus>(await createMember(), 'status')
    expect(body.content).toMatchObject({ connected_to: 'nothing', emulator_url: null })
  })
})

describe('GET /console/api/mdm/devices', () => {
  it('finds parts of names, serial numbers, models and users in any letter case', async () => {
    const member = await createMember()
    const named = await addTo(member, { name: 'Till % 3' }, 3)
    const used = await addTo(member, { assigned_user_id: 'cashier-12' }, 2)
    const numbered = await addTo(member, { serial_number: 'XK_77', model: 'TC52' }, 1)
    await addTo(member, { name: 'till', state: 'deleted', compliance_state: 'unknown' })
    expect(await foundIds(member, { q: 'TILL %' })).toEqual([named.id])
    expect(await foundIds(member, { q: 'Cashier' })).toEqual([used.id])
    expect(await foundIds(member, { q: 'k_7' })).toEqual([numbered.id])
    expect(await foundIds(member, { q: 'tc5' })).toEqual([numbered.id])
    expect(await foundIds(member, { q: '' })).toEqual([named.id, used.id, numbered.id])
    expect(await foundIds(member, { q: '_' })).toEqual([numbered.id])
  })

  it('finds a whole serial number or id first, and shows no device twice', async () => {
    const member = await createMember()
    const whole = await addTo(member, { serial_number: 'S-1' }, 1)
    const longer = await addTo(member, { serial_number: 'S-12' }, 2)
    expect(await foundIds(member, { q: 'S-1' })).toEqual([whole.id, longer.id])
    expect(await foundIds(member, { q: whole.id })).toEqual([whole.id])
  })

  it('combines all filters, and pages', async () => {
    const member = await createMember()
    const [policy_id, group_id] = [randomUUID(), randomUUID()]
    const kind = { policy_id, group_id, state: 'lost', management_mode: 'work_profile' }
    const older = await addTo(member, kind, 1)
    const newer = await addTo(member, kind, 2)
    const alone = await addTo(member, { ...kind, group_id: null }, 3)
    const filters = { policy_id, state: 'lost', mode: 'work_profile', compliance: 'compliant' }
    const first = await found(member, { ...filters, group_id, limit: '1' })
    expect(first.devices.map(({ id }) => id)).toEqual([newer.id])
    const cursor = first.next_cursor ?? ''
    const second = await found(member, { ...filters, group_id, limit: '1', cursor })
    expect(second).toMatchObject({ devices: [{ id: older.id }], next_cursor: null })
    expect(await foundIds(member, { group_id: 'none' })).toEqual([alone.id])
    expect(await foundIds(member, { policy_id: 'none' })).toEqual([])
  })

  it.each([
    [{ cursor: 'x' }, 'cursor'],
    [{ q: 'a\0b' }, 'q'],
    [{ state: 'gone' }, 'state'],
    [{ limit: '0' }, 'limit'],
  ])('refuses %j', async (query, field) => {
    const { status, body } = await get(await createMember(), 'devices', query)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })
})

describe.each(['names', 'status', 'devices'])('GET /console/api/mdm/%s', (path) => {
  it('does not exist for members of other organizations', async () => {
    const [mine, other] = [await createMember(), await createMember('owner')]
    const { status } = await get({ ...other, org_id: mine.org_id }, path)
    expect(status).toBe(404)
  })
})
