import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import {
  at,
  createManaged,
  insertGroup,
  insertPolicy,
  type Managed,
} from '../../../../test/support/managed-devices.ts'
import { addCommand } from '../../../../test/support/mdm.ts'
import { createIds } from '../../../platform/ids.ts'
import { endCommandsOfDevices } from '../commands/completion.ts'
import { requestDispatches } from '../dispatch/store.ts'
import type { WireDevice } from '../providers/port.ts'
import { createDeviceWriter, type WriterInput } from './device-writer.ts'
import type { DeviceRow } from './record.ts'
import { markComplianceDue, sweepFormerNames } from './store.ts'

const db = testDatabase()
const newId = createIds()
const writer = createDeviceWriter({
  newId,
  settings: { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 },
  endCommandsOfDevices,
})

const START = Date.parse('2026-03-01T12:00:00Z')
const now = (seconds: number) => new Date(START + seconds * 1000)

const apply = (inputs: WriterInput[], seconds = 20) =>
  db.transaction().execute((tx) => writer.apply(tx, now(seconds), inputs))
const reported = (device: WireDevice): WriterInput => ({
  kind: 'report',
  source: 'notification',
  device,
})
const listed = (device: WireDevice): WriterInput => ({ kind: 'report', source: 'listing', device })

const devicesOf = ({ org_id }: Managed): Promise<DeviceRow[]> =>
  db.selectFrom('mdm_devices').selectAll().where('org_id', '=', org_id).orderBy('id').execute()
async function deviceOf(managed: Managed): Promise<DeviceRow> {
  const [row, another] = await devicesOf(managed)
  if (!row || another) throw new Error('Expected exactly one device')
  return row
}
async function eventsOf({ org_id }: Managed) {
  const { rows } = await sql<{ type: string; body: string }>`
    select type, body from events where org_id = ${org_id} order by id`.execute(db)
  return rows.map(({ type, body }) => ({ type, ...(JSON.parse(body) as { data: { id: string } }) }))
}
const eventTypes = async (managed: Managed) =>
  (await eventsOf(managed)).map(({ type }) => type).sort()
const auditOf = async ({ org_id }: Managed) => {
  const rows = await db
    .selectFrom('mdm_audit_log')
    .selectAll()
    .where('org_id', '=', org_id)
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action).sort()
}
const dispatchesOf = ({ org_id }: Managed) =>
  db
    .selectFrom('mdm_dispatches')
    .select(['kind', 'subject_id', 'revision'])
    .where('org_id', '=', org_id)
    .orderBy('kind')
    .execute()
async function countsAreRight({ org_id }: Managed): Promise<void> {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::integer as wrong from (
      select state, management_mode, compliance_state, coalesce(group_id,
        '00000000-0000-0000-0000-000000000000') as g, count(*) as n
      from mdm_devices where org_id = ${org_id} group by 1, 2, 3, 4
    ) d full join (
      select * from mdm_device_counts where org_id = ${org_id} and devices <> 0
    ) c on c.state = d.state and c.management_mode = d.management_mode
      and c.compliance_state = d.compliance_state and c.group_id = d.g
    where c.devices is distinct from d.n`.execute(db)
  expect(rows[0]?.wrong).toBe(0)
}

const enrollment = (managed: Managed, device = 'd1') => {
  const { lastStatusReportTime: _, ...report } = managed.report(device, {
    state: 'PROVISIONING',
    appliedState: 'PROVISIONING',
    policyCompliant: false,
  })
  const { appliedPolicyName: _name, ...early } = report
  return early
}

describe('a device', () => {
  it('is created by its enrollment, with the policy of its token and one event', async () => {
    const managed = await createManaged(db)
    await apply([reported(enrollment(managed))])
    expect(await deviceOf(managed)).toMatchObject({
      provider_name: managed.deviceName('d1'),
      state: 'provisioning',
      management_mode: 'fully_managed',
      ownership_type: 'company_owned',
      enrolled_policy_id: managed.policy_id,
      policy_id: managed.policy_id,
      enrollment_token_id: managed.token_id,
      compliance_state: 'unknown',
      enrolled_at: now(0),
      last_report_at: null,
      serial_number: 'S-d1',
    })
    await apply([reported(enrollment(managed))])
    expect(await eventTypes(managed)).toEqual(['mdm.device.enrolled'])
    expect(await auditOf(managed)).toEqual(['device.enrolled'])
    expect(await dispatchesOf(managed)).toEqual([])
    await countsAreRight(managed)
  })

  it('counts as a use of its token once, also with others in one batch and concurrently', async () => {
    const managed = await createManaged(db)
    const enroll = (...names: string[]) =>
      apply(names.map((name) => reported(enrollment(managed, name))))
    await enroll('d1', 'd2')
    await Promise.all([enroll('d3'), enroll('d1', 'd4')])
    const token = await db
      .selectFrom('mdm_enrollment_tokens')
      .select(['uses', 'used_at'])
      .where('id', '=', managed.token_id)
      .executeTakeFirstOrThrow()
    expect(token).toEqual({ uses: 4, used_at: now(20) })
  })

  it('follows its report, with an audit entry and an event for each transition', async () => {
    const managed = await createManaged(db)
    await apply([reported(enrollment(managed)), reported(managed.report('d1'))])
    expect(await deviceOf(managed)).toMatchObject({
      state: 'active',
      compliance_state: 'compliant',
      applied_policy_id: managed.policy_id,
      applied_policy_version: 1,
      last_report_at: now(10),
    })
    expect(await eventTypes(managed)).toEqual([
      'mdm.device.compliance_changed',
      'mdm.device.enrolled',
    ])
    expect(await auditOf(managed)).toEqual([
      'device.compliance_changed',
      'device.enrolled',
      'device.policy_applied',
      'device.state_changed',
    ])
    const [event] = (await eventsOf(managed)).filter(({ type }) => type.endsWith('_changed'))
    expect(event?.data).toMatchObject({ state: 'active', compliance_state: 'compliant' })
    await countsAreRight(managed)
  })

  it('is not changed by late or repeated reports', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1', { lastStatusReportTime: at(30) }))], 40)
    const before = await deviceOf(managed)
    const violation = { policyCompliant: false, nonComplianceDetails: [{ settingName: 'a' }] }
    await apply([
      reported(managed.report('d1', { ...violation, lastStatusReportTime: at(30) })),
      reported(managed.report('d1', { ...violation, lastStatusReportTime: at(29) })),
      reported(enrollment(managed)),
      listed(managed.report('d1', { ...violation, lastStatusReportTime: at(29) })),
    ])
    expect(await deviceOf(managed)).toEqual(before)
    expect(await eventTypes(managed)).toHaveLength(2)
  })

  it('is deleted for good once that is reported, whatever is reported later', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1'))])
    await apply([
      reported(managed.report('d1', { appliedState: 'DELETED', lastStatusReportTime: at(1) })),
    ])
    await apply([
      reported(managed.report('d1', { state: 'DELETED', lastStatusReportTime: at(2) })),
      reported(managed.report('d1', { lastStatusReportTime: at(99) })),
      listed(managed.report('d1', { lastStatusReportTime: at(99) })),
    ])
    expect(await deviceOf(managed)).toMatchObject({
      state: 'deleted',
      deleted_by: 'report',
      compliance_state: 'unknown',
      non_compliance_details: [],
    })
    expect((await auditOf(managed)).filter((action) => action === 'device.deleted')).toHaveLength(1)
    await countsAreRight(managed)
  })

  it('is not created by the report of its deletion, or by later reports', async () => {
    const managed = await createManaged(db)
    const end = reported(managed.report('d1', { state: 'DELETED' }))
    await apply([end, reported(managed.report('d1', { lastStatusReportTime: at(5) }))])
    await apply([reported(managed.report('d1', { lastStatusReportTime: at(50) })), end])
    expect(await devicesOf(managed)).toEqual([])
  })

  it('is restored by a new report when its deletion was only inferred', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1'))])
    const { id } = await deviceOf(managed)
    const missing: WriterInput = {
      kind: 'missing',
      org_id: managed.org_id,
      device_id: id,
      provider_name: managed.deviceName('d1'),
    }
    await apply([missing], 100)
    await apply([missing], 699)
    expect((await deviceOf(managed)).state).toBe('active')
    await apply([missing], 700)
    expect(await deviceOf(managed)).toMatchObject({ state: 'deleted', deleted_by: 'listing' })
    await apply([reported(managed.report('d1', { lastStatusReportTime: at(9) }))])
    expect((await deviceOf(managed)).state).toBe('deleted')
    await apply([reported(managed.report('d1', { lastStatusReportTime: at(800) }))])
    expect(await deviceOf(managed)).toMatchObject({
      state: 'active',
      deleted_by: null,
      deleted_at: null,
      missing_since: null,
      compliance_state: 'compliant',
    })
    expect((await eventTypes(managed)).filter((type) => type.endsWith('enrolled'))).toHaveLength(1)
    await countsAreRight(managed)
  })

  it('is no longer missing once it is listed again', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1'))])
    const { id, org_id, provider_name } = await deviceOf(managed)
    const missing: WriterInput = { kind: 'missing', org_id, device_id: id, provider_name }
    await apply([missing], 100)
    await apply([listed(managed.report('d1'))], 400)
    await apply([missing], 800)
    expect(await deviceOf(managed)).toMatchObject({ state: 'active', missing_since: now(800) })
  })

  it('is deleted when the provider confirms it, for the requested enrollment only', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1'))])
    const { id, org_id, provider_name } = await deviceOf(managed)
    const confirmed = { kind: 'deletion_confirmed' as const, org_id, device_id: id }
    await apply([{ ...confirmed, provider_name: managed.deviceName('d0') }])
    expect((await deviceOf(managed)).state).toBe('active')
    await apply([
      { ...confirmed, provider_name },
      { ...confirmed, provider_name },
    ])
    expect(await deviceOf(managed)).toMatchObject({ state: 'deleted', deleted_by: 'request' })
    expect((await auditOf(managed)).filter((action) => action === 'device.deleted')).toHaveLength(1)
  })
})

describe('a phone that is enrolled again', () => {
  async function withMetadata(): Promise<{ managed: Managed; row: DeviceRow; group_id: string }> {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1', { hardwareInfo: hardware('S1') }))])
    const group_id = await insertGroup(db, managed.org_id, await insertPolicy(db, managed.org_id))
    await db
      .updateTable('mdm_devices')
      .set({ name: 'Till 3', assigned_user_id: 'cashier', group_id })
      .where('org_id', '=', managed.org_id)
      .execute()
    return { managed, row: await deviceOf(managed), group_id }
  }
  const hardware = (serialNumber: string) => ({ brand: 'google', model: 'Pixel 9', serialNumber })
  const again = (managed: Managed, members: WireDevice = {}) =>
    managed.report('d2', {
      hardwareInfo: hardware('S1'),
      enrollmentTime: at(100),
      lastStatusReportTime: at(110),
      ...members,
    })

  it('remains the same device under its new name, and gets the policy of its group', async () => {
    const { managed, row, group_id } = await withMetadata()
    const previousDeviceNames = [managed.deviceName('d0'), managed.deviceName('d1')]
    await apply([reported(again(managed, { previousDeviceNames }))])
    const after = await deviceOf(managed)
    expect(after).toMatchObject({
      id: row.id,
      provider_name: managed.deviceName('d2'),
      name: 'Till 3',
      assigned_user_id: 'cashier',
      group_id,
      state: 'active',
      enrolled_at: now(100),
    })
    expect(after.policy_id).not.toBe(managed.policy_id)
    expect(await dispatchesOf(managed)).toEqual([
      { kind: 'assign_policy', subject_id: row.id, revision: 1 },
    ])
    expect((await eventTypes(managed)).filter((type) => type.endsWith('enrolled'))).toHaveLength(2)
    await countsAreRight(managed)
  })

  it('is neither restored nor duplicated by late reports under an old name', async () => {
    const { managed } = await withMetadata()
    const previousDeviceNames = [managed.deviceName('d0'), managed.deviceName('d1')]
    await apply([reported(again(managed, { previousDeviceNames }))])
    const before = await deviceOf(managed)
    await apply([
      reported(managed.report('d1', { lastStatusReportTime: at(900) })),
      reported(managed.report('d0', { lastStatusReportTime: at(900) })),
      reported(managed.report('d1', { state: 'DELETED' })),
    ])
    expect(await deviceOf(managed)).toEqual(before)
    const names = db.selectFrom('mdm_former_names').where('org_id', '=', managed.org_id)
    const count = async () => (await names.select('provider_name').execute()).length
    await sweepFormerNames(db, now(-1))
    expect(await count()).toBe(2)
    await sweepFormerNames(db, now(21))
    expect(await count()).toBe(0)
  })

  it('is recognized by its enterprise identifier, or by its serial number once it was deleted', async () => {
    const { managed, row } = await withMetadata()
    const hardwareInfo = { ...hardware('S1'), enterpriseSpecificId: 'E1' }
    await apply([reported(managed.report('d1', { hardwareInfo, lastStatusReportTime: at(20) }))])
    await apply([
      reported(again(managed, { hardwareInfo: { ...hardwareInfo, serialNumber: 'other' } })),
    ])
    expect(await deviceOf(managed)).toMatchObject({
      id: row.id,
      provider_name: managed.deviceName('d2'),
    })
    await apply([reported({ name: managed.deviceName('d2'), state: 'DELETED' })])
    await apply([
      reported(
        managed.report('d3', {
          hardwareInfo: hardware('other'),
          enrollmentTime: at(500),
          lastStatusReportTime: at(501),
        }),
      ),
    ])
    expect(await deviceOf(managed)).toMatchObject({
      id: row.id,
      provider_name: managed.deviceName('d3'),
      state: 'active',
      deleted_at: null,
    })
    await countsAreRight(managed)
  })

  it('is a new device while another one has its serial number, or with another model', async () => {
    const { managed } = await withMetadata()
    await apply([reported(again(managed))])
    expect(await devicesOf(managed)).toHaveLength(2)
    const other = await withMetadata()
    await apply([reported({ name: other.managed.deviceName('d1'), state: 'DELETED' })])
    const hardwareInfo = { ...hardware('S1'), model: 'Pixel 8' }
    await apply([reported(again(other.managed, { hardwareInfo }))])
    expect(await devicesOf(other.managed)).toHaveLength(2)
  })

  it('leaves a group whose policy has the other management mode', async () => {
    const { managed } = await withMetadata()
    const previousDeviceNames = [managed.deviceName('d1')]
    const managementMode = 'PROFILE_OWNER'
    await apply([reported(again(managed, { previousDeviceNames, managementMode }))])
    expect(await deviceOf(managed)).toMatchObject({
      group_id: null,
      policy_id: managed.policy_id,
      management_mode: 'work_profile',
    })
  })

  it('drops a deletion that was requested for its previous enrollment', async () => {
    const { managed, row } = await withMetadata()
    await db
      .updateTable('mdm_devices')
      .set({ deletion_requested_at: new Date() })
      .where('org_id', '=', managed.org_id)
      .execute()
    const subject = { org_id: managed.org_id, subject_id: row.id }
    await requestDispatches(db, 'delete_device', [subject])
    await apply([reported(again(managed, { previousDeviceNames: [managed.deviceName('d1')] }))])
    expect((await deviceOf(managed)).deletion_requested_at).toBeNull()
    expect((await dispatchesOf(managed)).map(({ kind }) => kind)).toEqual(['assign_policy'])
  })

  it('cancels the commands of its previous enrollment', async () => {
    const { managed, row } = await withMetadata()
    const created_at = new Date()
    await addCommand(db, {
      org_id: managed.org_id,
      device_id: row.id,
      expires_at: created_at,
      created_at,
    })
    await apply([reported(again(managed, { previousDeviceNames: [managed.deviceName('d1')] }))])
    const { rows } = await sql`
      select status from mdm_commands where org_id = ${managed.org_id}`.execute(db)
    expect(rows).toEqual([{ status: 'cancelled' }])
    expect(await eventTypes(managed)).toContain('mdm.command.completed')
  })
})

describe('a policy', () => {
  it('is assigned again when the provider reports another one, unless that is queued', async () => {
    const managed = await createManaged(db)
    const policyName = managed.policyName('default')
    await apply([reported(managed.report('d1'))])
    expect(await dispatchesOf(managed)).toEqual([])
    await apply([reported(managed.report('d1', { policyName, lastStatusReportTime: at(20) }))])
    const { dispatches } = await apply([
      listed(managed.report('d1', { policyName, lastStatusReportTime: at(20) })),
    ])
    expect(dispatches).toBe(1)
    expect(await dispatchesOf(managed)).toMatchObject([{ kind: 'assign_policy', revision: 1 }])
  })

  it('that the provider rejected is not assigned again with every report', async () => {
    const managed = await createManaged(db)
    await apply([reported(managed.report('d1'))])
    await db
      .updateTable('mdm_devices')
      .set({ policy_error: 'No.' })
      .where('org_id', '=', managed.org_id)
      .execute()
    const policyName = managed.policyName('default')
    await apply([reported(managed.report('d1', { policyName, lastStatusReportTime: at(20) }))])
    expect(await dispatchesOf(managed)).toEqual([])
    await apply([reported(managed.report('d1', { lastStatusReportTime: at(21) }))])
    expect((await deviceOf(managed)).policy_error).toBeNull()
  })

  it('that changes has compliance derived again by its new rules', async () => {
    const managed = await createManaged(db)
    const nonComplianceDetails = [{ settingName: 'passwordPolicies' }]
    await apply([reported(managed.report('d1', { policyCompliant: false, nonComplianceDetails }))])
    expect((await deviceOf(managed)).compliance_state).toBe('non_compliant')
    const rule = { settingName: 'passwordPolicies', blockAction: { blockAfterDays: 1 } }
    await db
      .updateTable('mdm_policies')
      .set({ policy_json: { policyEnforcementRules: [rule] } })
      .where('org_id', '=', managed.org_id)
      .execute()
    await db.transaction().execute((tx) => markComplianceDue(tx, managed.org_id, managed.policy_id))
    const { id, compliance_due_at } = await deviceOf(managed)
    expect(compliance_due_at).toEqual(new Date(0))
    await apply([{ kind: 'due', org_id: managed.org_id, device_id: id }])
    expect(await deviceOf(managed)).toMatchObject({
      compliance_state: 'grace_period',
      grace_period_expires_at: now(10 + 86_400),
      compliance_due_at: now(10 + 86_400),
    })
    await apply([{ kind: 'due', org_id: managed.org_id, device_id: id }], 10 + 86_400)
    expect((await deviceOf(managed)).compliance_state).toBe('non_compliant')
    expect(await eventTypes(managed)).toHaveLength(4)
  })
})

describe('foreign reports', () => {
  it('change nothing: from unknown enterprises, malformed, or with a token of another organization', async () => {
    const managed = await createManaged(db)
    const other = await createManaged(db)
    const answer = await apply([
      reported(managed.report('d1', { name: 'enterprises/LCnobody/devices/d1' })),
      reported({ name: 'nonsense' }),
      reported(null as never),
      reported(
        managed.report('d1', {
          enrollmentTokenData: JSON.stringify({ token_id: other.token_id }),
          policyName: other.policyName(other.policy_id),
          appliedPolicyName: managed.policyName(other.policy_id),
        }),
      ),
    ])
    expect(answer).toEqual({ changed: 1, foreign: 3, dispatches: 0 })
    expect(await devicesOf(other)).toEqual([])
    expect(await deviceOf(managed)).toMatchObject({
      enrollment_token_id: null,
      policy_id: null,
      applied_policy_id: null,
    })
  })

  it('do not affect devices with the same name in another organization', async () => {
    const [one, two] = [await createManaged(db), await createManaged(db)]
    await apply([reported(one.report('d1')), reported(two.report('d1'))])
    const { id } = await deviceOf(two)
    const provider_name = two.deviceName('d1')
    await apply([
      { kind: 'deletion_confirmed', org_id: one.org_id, device_id: id, provider_name },
      { kind: 'due', org_id: one.org_id, device_id: id },
      { kind: 'missing', org_id: randomUUID(), device_id: id, provider_name },
    ])
    expect(await deviceOf(two)).toMatchObject({ state: 'active', missing_since: null })
  })
})
