import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevice, addDevices, managedDevice, violation } from '../../../../test/support/mdm.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import { createExportLimit } from './export-limit.ts'
import { reportRoutes } from './routes.ts'

const db = testDatabase()
const clock = { now: () => new Date('2026-03-01T23:00:00.000Z') }
const open = (exportLimit = createExportLimit({ mdm_exports_max: 2 })) =>
  createPortal((server) => {
    reportRoutes(server, { db, clock, exportLimit })
  })
const portal = open()
afterAll(async () => await portal.app.close())

const INVENTORY = '/v1/mdm/reports/fleet-inventory.csv?org_id={org}'
const COMPLIANCE = '/v1/mdm/reports/compliance-summary.csv?org_id={org}'

/** Splits a table whose cells contain no line breaks. */
const linesOf = (text: string) => text.split('\r\n').slice(0, -1)
const MIDNIGHT_MS = Date.parse('2026-03-01T00:00:00.000Z')
const minutes = (count: number) =>
  Array.from({ length: count }, (_, index) => new Date(MIDNIGHT_MS + index * 60_000))

describe('the fleet inventory', () => {
  it('has every device that is not deleted, with the names of its group and policy', async () => {
    const { app, org_id, call } = open()
    const group_id = randomUUID()
    const policy_id = randomUUID()
    const at = new Date('2026-01-01T00:00:00.000Z')
    const times = { created_at: at, updated_at: at }
    const group = { org_id, id: group_id, name: 'Tills, Bern', policy_id, ...times }
    await db.insertInto('mdm_groups').values(group).execute()
    await db
      .insertInto('mdm_policies')
      .values({
        org_id,
        id: policy_id,
        name: '=Tills',
        description: '',
        management_mode: 'fully_managed',
        policy_json: {},
        version: 1,
        ...times,
      })
      .execute()
    const { id, serial_number } = await addDevice(db, {
      org_id,
      group_id,
      policy_id,
      name: 'Till "3"',
      custom_attributes: { store: 'Bern' },
    })
    await addDevice(db, { org_id, state: 'deleted' })
    await addDevice(db, { org_id: randomUUID() })
    const { status, headers, text } = await call({ as: 'member', path: INVENTORY })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="fleet-inventory-2026-03-01.csv"',
    })
    expect(linesOf(text)).toEqual([
      'id,name,state,management_mode,ownership_type,assigned_user_id,group_id,group_name,policy_id,policy_name,applied_policy_id,policy_error,compliance_state,brand,manufacturer,model,serial_number,os_version,security_patch_level,enrolled_at,last_report_at,deletion_requested_at,custom_attributes',
      `${id},"Till ""3""",active,fully_managed,company_owned,,${group_id},"Tills, Bern",${policy_id},'=Tills,,,compliant,google,Google,Pixel 9,${serial_number},16,2026-02-05,2026-02-01T08:00:00.000Z,2026-03-01T12:00:00.000Z,,"{""store"":""Bern""}"`,
    ])
    await app.close()
  })

  it('has each device once, newest first, across many pages', async () => {
    const { app, org_id, call } = open()
    const devices = minutes(2500).map((created_at) => managedDevice({ org_id, created_at }))
    await addDevices(db, devices)
    const { text } = await call({ as: 'owner', path: INVENTORY })
    const ids = linesOf(text)
      .slice(1)
      .map((line) => line.split(',')[0])
    expect(ids).toEqual(devices.map(({ id }) => id).toReversed())
    await app.close()
  })
})

describe('the compliance summary', () => {
  it('shows whether each device complies, and the settings that it violates', async () => {
    const { app, org_id, call } = open()
    const good = await addDevice(db, { org_id, name: 'Good', serial_number: 'S1' })
    const bad = await addDevice(db, {
      org_id,
      name: 'Bad',
      serial_number: 'S2',
      compliance_state: 'grace_period',
      grace_period_expires_at: new Date('2026-03-02T12:00:00.000Z'),
      created_at: new Date('2026-02-02T08:00:00.000Z'),
      non_compliance_details: [
        violation('passwordPolicies', { first_seen_at: '2026-03-01T12:00:00.000Z' }),
        violation('applications', {
          package_name: 'com.example.till',
          first_seen_at: '2026-03-01T11:00:00.000Z',
        }),
      ],
    })
    const { headers, text } = await call({ as: 'member', path: COMPLIANCE })
    expect(headers['content-disposition']).toBe(
      'attachment; filename="compliance-summary-2026-03-01.csv"',
    )
    expect(linesOf(text)).toEqual([
      'id,name,serial_number,state,management_mode,group_name,policy_id,policy_name,compliance_state,violations,settings_violated,violated_since,grace_period_expires_at,last_report_at',
      `${bad.id},Bad,S2,active,fully_managed,,,,grace_period,2,applications (com.example.till); passwordPolicies,2026-03-01T11:00:00.000Z,2026-03-02T12:00:00.000Z,2026-03-01T12:00:00.000Z`,
      `${good.id},Good,S1,active,fully_managed,,,,compliant,0,,,,2026-03-01T12:00:00.000Z`,
    ])
    await app.close()
  })

  it('names a setting once, even if it is violated more often', async () => {
    const { app, org_id, call } = open()
    const non_compliance_details = [
      violation('b'),
      violation('a'),
      violation('B'),
      violation('b', { field_path: 'x' }),
    ]
    await addDevice(db, { org_id, compliance_state: 'non_compliant', non_compliance_details })
    const { text } = await call({ as: 'member', path: COMPLIANCE })
    expect(linesOf(text)[1]).toContain('non_compliant,4,B; a; b,2026-03-01T12:00:00.000Z,,')
    await app.close()
  })
})

it.each([INVENTORY, COMPLIANCE])('strangers are refused: %s', async (path) => {
  expect((await portal.call({ as: 'stranger', path })).status).toBe(403)
  const elsewhere = path.replace('{org}', randomUUID())
  expect((await portal.call({ as: 'owner', path: elsewhere })).status).toBe(403)
})

it.each([INVENTORY, COMPLIANCE])(
  'one concurrent export too many gets a time to retry: %s',
  async (path) => {
    const exportLimit = createExportLimit({ mdm_exports_max: 1 })
    const { app, org_id, call } = open(exportLimit)
    const response = new PassThrough()
    exportLimit.begin(org_id, response as unknown as ServerResponse)
    const { status, body } = await call({ as: 'member', path })
    expect([status, body?.content]).toEqual([429, { retry_after: 10 }])
    response.destroy()
    await expect.poll(async () => (await call({ as: 'member', path })).status).toBe(200)
    // An export no longer counts once its response has ended.
    await expect.poll(async () => (await call({ as: 'member', path })).status).toBe(200)
    await app.close()
  },
)
