import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addDevices, managedDevice, violation } from '../../../../test/support/mdm.ts'
import { createIds } from '../../../platform/ids.ts'
import { auditEntry, SYSTEM } from '../audit/entry.ts'
import { insertAuditEntries, listExportedEntries } from '../audit/store.ts'
import { pagesBy } from './pages.ts'
import { listInventoriedDevices, listSummarizedDevices } from './store.ts'

const db = testDatabase()
const PAGE_BYTES = 524_288
const bytesOf = (rows: readonly object[]) => JSON.stringify(rows).length

/** Text that the database cannot compress. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex')

/** @returns all pages, and the limit of each query */
async function readAll<Row extends { id: string }>(
  read: (before: string | undefined, limit: number) => Promise<Row[]>,
) {
  const limits: number[] = []
  const pages: Row[][] = []
  for await (const page of pagesBy(async (before, limit) => {
    limits.push(limit)
    return await read(before, limit)
  })) {
    pages.push(page)
  }
  return { pages, limits, ids: pages.flat().map(({ id }) => id) }
}

describe('a page', () => {
  it('has fewer devices where they are large, and no device is missing', async () => {
    const org_id = randomUUID()
    const devices = Array.from({ length: 1200 }, (_, index) =>
      managedDevice({
        org_id,
        created_at: new Date(Date.UTC(2026, 1, 1, 0, index)),
        custom_attributes: index < 600 ? { note: noise(16_000) } : {},
      }),
    )
    await addDevices(db, devices)
    const { pages, limits, ids } = await readAll(
      async (before, limit) => await listInventoriedDevices(db, { org_id, before, limit }),
    )
    expect(ids).toEqual(devices.map(({ id }) => id).toReversed())
    for (const page of pages) expect(bytesOf(page)).toBeLessThan(2 * PAGE_BYTES)
    expect(pages[0]?.length).toBeGreaterThan(500)
    // The database must not read a thousand large devices to return thirty of them.
    expect(limits.filter((limit) => limit > 200).length).toBeLessThan(5)
  })

  it('has fewer audit entries where they name many devices', async () => {
    const org_id = randomUUID()
    const newId = createIds()
    const device_ids = Array.from({ length: 1000 }, () => randomUUID())
    const entries = Array.from({ length: 100 }, (_, index) =>
      auditEntry(newId, new Date(Date.UTC(2026, 1, 1, 0, index)), {
        org_id,
        action: 'group.devices_assigned',
        actor: SYSTEM,
        target: { type: 'group', id: randomUUID() },
        after: { device_ids },
      }),
    )
    await insertAuditEntries(db, entries)
    const { pages, ids } = await readAll(
      async (before, limit) =>
        await listExportedEntries(db, org_id, { action: undefined, before, limit }),
    )
    expect(ids).toEqual(entries.map(({ id }) => id).toReversed())
    for (const page of pages) expect(bytesOf(page)).toBeLessThan(2 * PAGE_BYTES)
  })

  it('has a summary of violations instead of their details', async () => {
    const org_id = randomUUID()
    const non_compliance_details = Array.from({ length: 200 }, () =>
      violation('passwordPolicies', { field_path: noise(500) }),
    )
    const values = { org_id, compliance_state: 'non_compliant', non_compliance_details } as const
    await addDevices(
      db,
      Array.from({ length: 50 }, () => managedDevice(values)),
    )
    const page = await listSummarizedDevices(db, { org_id, before: undefined, limit: 1000 })
    expect(page).toHaveLength(50)
    expect(bytesOf(page)).toBeLessThan(50_000)
  })

  it('has at least one device, even if it is large', async () => {
    const org_id = randomUUID()
    const custom_attributes = { note: noise(2 * PAGE_BYTES) }
    const devices = [1, 2, 3].map(() => managedDevice({ org_id, custom_attributes }))
    await addDevices(db, devices)
    const { pages } = await readAll(
      async (before, limit) => await listInventoriedDevices(db, { org_id, before, limit }),
    )
    expect(pages.map((page) => page.length)).toEqual([1, 1, 1])
  })
})
