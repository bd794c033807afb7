/** Specification, "MDM": overview, audit log (OP-78), and the reports as CSV (OP-83). */
import { beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_ACTIONS } from '../../src/modules/mdm/audit/entry.ts'
import type { AuditLogPage } from '../../src/modules/mdm/audit/schema.ts'
import { addAuditEntries, addDevice, violation } from '../support/mdm.ts'
import {
  createFleet,
  createReadyFleet,
  type Fleet,
  type JsonObject,
  patch,
  post,
  remove,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

const world = useMdmWorld()
const db = () => world().harness.stores.db

const log = async (fleet: Fleet, query: Record<string, string> = {}) =>
  await fleet.content<AuditLogPage>({ path: '/audit-log', query })

describe('the overview', () => {
  it('counts devices that are not deleted by state, mode and compliance', async () => {
    const fleet = await createFleet(world())
    const { org_id } = fleet
    const overview = async () => await fleet.content({ path: '/overview' })
    const nothing = {
      total_devices: 0,
      active_devices: 0,
      provisioning_devices: 0,
      non_compliant_devices: 0,
      by_mode: { fully_managed: 0, work_profile: 0 },
    }
    expect(await overview()).toEqual(nothing)
    await addDevice(db(), { org_id })
    await addDevice(db(), { org_id, compliance_state: 'non_compliant' })
    await addDevice(db(), { org_id, state: 'provisioning', compliance_state: 'unknown' })
    await addDevice(db(), { org_id, management_mode: 'work_profile', state: 'disabled' })
    await addDevice(db(), { org_id, state: 'deleted', compliance_state: 'unknown' })
    expect(await overview()).toEqual({
      total_devices: 4,
      active_devices: 2,
      provisioning_devices: 1,
      non_compliant_devices: 1,
      by_mode: { fully_managed: 3, work_profile: 1 },
    })
  })

  it('changes when devices enroll, violate their policy and are deleted', async () => {
    const fleet = await createReadyFleet(world())
    const overview = async () => await fleet.content<JsonObject>({ path: '/overview' })
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    expect(await overview()).toMatchObject({ total_devices: 1, active_devices: 1 })
    world().control.violate(phone.id, { setting_name: 'minimumApiLevel' })
    await world().settle()
    expect(await overview()).toMatchObject({ non_compliant_devices: 1 })
    await fleet.content(remove(`/devices/${device.id}`))
    await world().settle()
    expect(await overview()).toMatchObject({ total_devices: 0, non_compliant_devices: 0 })
  })
})

describe('the audit log', () => {
  let fleet: Fleet & { policy_id: string }
  beforeAll(async () => {
    fleet = await createReadyFleet(world())
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    const group = await fleet.createGroup()
    await fleet.assign(group.id, [device.id])
    const other = await fleet.createPolicy({ policy_json: { cameraDisabled: true } })
    await fleet.content(patch(`/groups/${group.id}`, { policy_id: other.id }))
    await world().settle()
    const policy_json = { cameraDisabled: false }
    await fleet.content(patch(`/policies/${other.id}`, { policy_json }))
    await fleet.content(patch(`/devices/${device.id}`, { name: 'Till' }))
    world().control.violate(phone.id, { setting_name: 'passwordPolicies' })
    await fleet.content(post(`/groups/${group.id}/commands`, { type: 'LOCK' }))
    await world().settle()
    await fleet.content(remove(`/groups/${group.id}`))
    await fleet.content(remove(`/devices/${device.id}`))
    await world().settle()
  })

  it('has all actions of users, of the system and of the provider', async () => {
    const entries = await fleet.audit()
    const seen = new Set(entries.map(({ action }) => action))
    const unseen = AUDIT_ACTIONS.filter((action) => !seen.has(action))
    expect(unseen).toEqual(['policy.rejected', 'enrollment_token.ended', 'device.policy_rejected'])
    const actors = new Set(entries.map(({ actor_type }) => actor_type))
    expect([...actors].toSorted()).toEqual(['provider', 'system', 'user'])
    for (const { actor_type, actor_id } of entries) {
      expect(actor_id).toBe(actor_type === 'user' ? fleet.user_ids.owner : null)
    }
  })

  it('shows who did what to which record, and only what changed', async () => {
    const [updated] = await fleet.audit('device.updated')
    expect(updated).toEqual({
      id: expect.any(String) as string,
      action: 'device.updated',
      actor_type: 'user',
      actor_id: fleet.user_ids.owner,
      target_type: 'device',
      target_id: expect.any(String) as string,
      before: { name: null },
      after: { name: 'Till' },
      created_at: expect.any(String) as string,
    })
    const [group] = await fleet.audit('group.deleted')
    expect(group).toMatchObject({ target_type: 'group', after: null })
  })

  it('is paged newest first, and filtered by action', async () => {
    const { pagination, entries } = await log(fleet)
    expect(pagination).toMatchObject({ page: 1, limit: 50, total: entries.length, pages: 1 })
    const times = entries.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted().toReversed())
    const second = await log(fleet, { page: '2', limit: '5' })
    expect(second.entries).toEqual(entries.slice(5, 10))
    expect(second.pagination).toMatchObject({ page: 2, limit: 5, total: entries.length })
    const created = await log(fleet, { action: 'policy.created' })
    expect(created.pagination.total).toBe(2)
    for (const { action } of created.entries) expect(action).toBe('policy.created')
    const none = await log(fleet, { action: 'policy.rejected' })
    expect(none).toMatchObject({ entries: [], pagination: { total: 0 } })
  })

  it.each(['policy', 'policy.eaten', 'POLICY.CREATED'])(
    'accepts only known actions as a filter: %j',
    async (action) => {
      const { status, body } = await fleet.send({ path: '/audit-log', query: { action } })
      expect({ status, field: body.content.field }).toEqual({ status: 400, field: 'action' })
    },
  )

  it('is paged across days as one list', async () => {
    const own = await createFleet(world())
    const days = [1, 1, 2, 3, 3, 3].map((day, n) => new Date(Date.UTC(2026, 1, day, n)))
    const ids = (await addAuditEntries(db(), own.org_id, days)).toReversed()
    const pages = await Promise.all(
      ['1', '2', '3', '4'].map(async (page) => (await log(own, { page, limit: '2' })).entries),
    )
    expect(pages.flat().map(({ id }) => id)).toEqual(ids)
    expect(pages[3]).toEqual([])
  })

  it('retains the entries of a deleted device, and is read-only', async () => {
    const [deleted] = await fleet.devices({ state: 'deleted' })
    const { events } = await fleet.device(deleted?.id ?? '')
    expect(events.map(({ action }) => action)).toContain('device.deleted')
    const all = await fleet.audit()
    expect(all.filter(({ target_id }) => target_id === deleted?.id).length).toBeGreaterThan(5)
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      const path = `/audit-log/${all[0]?.id}`
      expect((await fleet.send({ method, path, body: {} })).status).toBe(404)
    }
  })
})

describe('OP-83: a CSV', () => {
  let fleet: Fleet & { policy_id: string }
  beforeAll(async () => {
    fleet = await createReadyFleet(world())
    const { org_id, policy_id } = fleet
    const { id: group_id } = await fleet.createGroup({ name: 'Bern, "old" town' })
    await addDevice(db(), {
      org_id,
      group_id,
      policy_id,
      name: '=HYPERLINK("http://x")',
      serial_number: 'S-1',
      custom_attributes: { store: 'Bern' },
      compliance_state: 'grace_period',
      created_at: new Date('2026-02-02T00:00:00Z'),
      non_compliance_details: [
        violation('passwordPolicies'),
        violation('applications', { package_name: 'com.example.till' }),
      ],
    })
    const assigned_user_id = 'a\r\nb'
    await addDevice(db(), { org_id, serial_number: 'S-2', assigned_user_id, name: 'Käse 😀' })
    await addDevice(db(), { org_id, serial_number: 'S-3', state: 'deleted' })
  })
  const read = async (path: string, query?: Record<string, string>) => {
    const answer = await fleet.send<never>({ path, ...(query && { query }) })
    expect(answer.status).toBe(200)
    const text = answer.body as unknown as string
    return { headers: answer.headers, text, records: recordsOf(text) }
  }
  const FILES: [path: string, name: string][] = [
    ['/reports/fleet-inventory.csv', 'fleet-inventory'],
    ['/reports/compliance-summary.csv', 'compliance-summary'],
    ['/audit-log/export.csv', 'audit-log'],
  ]

  it.each(FILES)('%s is a file with its date in the name, and no envelope', async (path, name) => {
    const { headers, text, records } = await read(path)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(
        new RegExp(`^attachment; filename="${name}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
      ) as string,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(text.endsWith('\r\n')).toBe(true)
    const [header] = records
    for (const record of records) expect(record).toHaveLength(header?.length ?? 0)
    expect(records.length).toBeGreaterThan(1)
  })

  it('of the inventory has all devices that are not deleted, with neutralized and quoted cells', async () => {
    const { text, records } = await read('/reports/fleet-inventory.csv')
    const [header = [], second = [], first = []] = records
    expect(records).toHaveLength(3)
    const cell = (record: string[], name: string) => record[header.indexOf(name)]
    expect(cell(first, 'name')).toBe('Käse 😀')
    expect(cell(first, 'assigned_user_id')).toBe('a\r\nb')
    expect(cell(second, 'name')).toBe('\'=HYPERLINK("http://x")')
    expect(cell(second, 'group_name')).toBe('Bern, "old" town')
    expect(cell(second, 'policy_name')).toBe('Tills')
    expect(cell(second, 'custom_attributes')).toBe('{"store":"Bern"}')
    expect(cell(second, 'state')).toBe('active')
    expect(text).toContain('"Bern, ""old"" town"')
    expect(text).not.toContain('S-3')
  })

  it('of the compliance summary has the violations of each device and their start', async () => {
    const { records } = await read('/reports/compliance-summary.csv')
    const [header = [], violating = [], fine = []] = records
    const cell = (record: string[], name: string) => record[header.indexOf(name)]
    expect(records).toHaveLength(3)
    expect(cell(violating, 'compliance_state')).toBe('grace_period')
    expect(cell(violating, 'violations')).toBe('2')
    expect(cell(violating, 'settings_violated')).toBe(
      'applications (com.example.till); passwordPolicies',
    )
    expect(cell(violating, 'violated_since')).toBe('2026-03-01T12:00:00.000Z')
    expect(cell(fine, 'compliance_state')).toBe('compliant')
    expect(cell(fine, 'violations')).toBe('0')
    expect(cell(fine, 'violated_since')).toBe('')
  })

  it('of the audit log is newest first, and can be filtered by action', async () => {
    const { records } = await read('/audit-log/export.csv')
    const [header = [], ...rows] = records
    const ids = rows.map((row) => row[header.indexOf('id')])
    expect(ids).toEqual((await fleet.audit()).map(({ id }) => id).toReversed())
    const filtered = await read('/audit-log/export.csv', { action: 'group.created' })
    expect(filtered.records).toHaveLength(2)
    const created = filtered.records[1]?.[header.indexOf('after')]
    expect(JSON.parse(created ?? '')).toMatchObject({ name: 'Bern, "old" town' })
    const wrong = { path: '/audit-log/export.csv', query: { action: 'x' } }
    expect((await fleet.send(wrong)).status).toBe(400)
  })

  it('has only a header when there are no rows', async () => {
    const own = await createFleet(world())
    for (const [path] of FILES) {
      const { body } = await own.send({ path })
      expect(body as unknown).toMatch(/^id,[a-z_,]+\r\n$/)
    }
  })
})

/** Parses RFC 4180 like a spreadsheet, independently of the code under test. */
function recordsOf(text: string): string[][] {
  const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  const records: string[][] = []
  let record: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    record.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    records.push(record)
    record = []
  }
  return records
}
