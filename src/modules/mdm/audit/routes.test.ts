import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addAuditEntries } from '../../../../test/support/mdm.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import { createExportLimit } from '../reports/export-limit.ts'
import { createAuditReading } from './reading.ts'
import { auditRoutes } from './routes.ts'

const db = testDatabase()
const clock = { now: () => new Date('2026-03-01T23:00:00.000Z') }
const open = (exportLimit = createExportLimit({ mdm_exports_max: 2 })) =>
  createPortal((server) => {
    const reading = createAuditReading({ db })
    const field_limits = { mdm_page_max: 100 }
    auditRoutes(server, { reading, clock, exportLimit, field_limits })
  })
const portal = open()
afterAll(async () => await portal.app.close())

const LIST = '/v1/mdm/audit-log?org_id={org}'
const AUDIT = '/v1/mdm/audit-log/export.csv?org_id={org}'

/** Splits a table whose cells contain no line breaks. */
const linesOf = (text: string) => text.split('\r\n').slice(0, -1)
const descending = (a = '', b = '') => (a < b ? 1 : -1)
const MIDNIGHT_MS = Date.parse('2026-03-01T00:00:00.000Z')
const minutes = (count: number) =>
  Array.from({ length: count }, (_, index) => new Date(MIDNIGHT_MS + index * 60_000))

describe('the audit log', () => {
  it('is paged and filtered for members', async () => {
    const { app, org_id, call } = open()
    await addAuditEntries(db, org_id, minutes(3))
    const [id] = await addAuditEntries(db, org_id, minutes(1), { action: 'group.created' })
    const list = await call({ as: 'member', path: `${LIST}&limit=2` })
    expect(list.status).toBe(200)
    expect(list.body?.content).toMatchObject({
      pagination: { page: 1, limit: 2, total: 4, pages: 2 },
    })
    const path = `${LIST}&action=group.created`
    const { body } = await call({ as: 'member', path })
    expect(body?.content).toMatchObject({
      entries: [{ id, action: 'group.created', actor_type: 'provider', actor_id: null }],
      pagination: { page: 1, limit: 50, total: 1, pages: 1 },
    })
    await app.close()
  })

  it('refuses an unknown action', async () => {
    for (const path of [LIST, AUDIT]) {
      const { status, body } = await portal.call({ as: 'owner', path: `${path}&action=x` })
      expect([status, body?.content]).toEqual([400, { field: 'action' }])
    }
  })

  it('is exported in full, or filtered by action', async () => {
    const { app, org_id, call } = open()
    const device_id = randomUUID()
    const ids = await addAuditEntries(db, org_id, minutes(1200), { device_id })
    const [id] = await addAuditEntries(db, org_id, minutes(1), {
      action: 'device.deleted',
      device_id,
    })
    const { headers, text } = await call({ as: 'member', path: AUDIT })
    expect(headers['content-disposition']).toBe('attachment; filename="audit-log-2026-03-01.csv"')
    const [header, ...lines] = linesOf(text)
    expect(header).toBe(
      'id,created_at,action,actor_type,actor_id,target_type,target_id,before,after',
    )
    expect(lines.map((line) => line.slice(0, 36))).toEqual(
      [id, ...ids.toReversed()].toSorted(descending),
    )
    const deleted = await call({ as: 'member', path: `${AUDIT}&action=device.deleted` })
    expect(linesOf(deleted.text).slice(1)).toEqual([
      `${id},2026-03-01T00:00:00.000Z,device.deleted,provider,,device,${device_id},,`,
    ])
    await app.close()
  })
})

it('refuses one concurrent export too many, in whatever case the organization is written', async () => {
  const exportLimit = createExportLimit({ mdm_exports_max: 1 })
  const { app, org_id, call } = open(exportLimit)
  expect((await call({ as: 'stranger', path: AUDIT })).status).toBe(403)
  const response = new PassThrough()
  exportLimit.begin(org_id, response as unknown as ServerResponse)
  for (const path of [AUDIT, AUDIT.replace('{org}', org_id.toUpperCase())]) {
    const { status, body } = await call({ as: 'member', path })
    expect([status, body?.content]).toEqual([429, { retry_after: 10 }])
  }
  expect((await call({ as: 'member', path: LIST })).status).toBe(200)
  response.destroy()
  await expect.poll(async () => (await call({ as: 'member', path: AUDIT })).status).toBe(200)
  await app.close()
})

it.each([LIST, AUDIT])('strangers are refused: %s', async (path) => {
  expect((await portal.call({ as: 'stranger', path })).status).toBe(403)
  const elsewhere = path.replace('{org}', randomUUID())
  expect((await portal.call({ as: 'owner', path: elsewhere })).status).toBe(403)
})
