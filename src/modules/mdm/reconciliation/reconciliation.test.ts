import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { at, createManaged, type Managed } from '../../../../test/support/managed-devices.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { endCommandsOfDevices } from '../commands/completion.ts'
import { createDeviceWriter } from '../devices/device-writer.ts'
import type { Answer, ProviderFault, WireDevice } from '../providers/port.ts'
import { createComplianceUpdates } from './compliance-updates.ts'
import { createDeviceListings } from './device-listings.ts'

const db = ownDatabase()
const newId = createIds()
const writer = createDeviceWriter({
  newId,
  settings: { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 },
  endCommandsOfDevices,
})
const START = Date.parse('2026-03-01T13:00:00Z')
const minute = (minutes: number) => new Date(START + minutes * 60_000)
const NEVER = new AbortController().signal

type Page = Answer<{ devices: WireDevice[]; nextPageToken?: string }>
const fault = (kind: ProviderFault['kind'], retry_after_s?: number): Page => ({
  ok: false,
  fault: { kind, message: 'No.', is_ambiguous: false, ...(retry_after_s && { retry_after_s }) },
})
const page = (devices: WireDevice[], nextPageToken?: string): Page => ({
  ok: true,
  value: { devices, ...(nextPageToken !== undefined && { nextPageToken }) },
})

/** Runs the listing job once, at the given minute after the start. */
async function list(managed: Managed, minutes: number, pages: Page[]) {
  const requested: (string | undefined)[] = []
  const waits: number[] = []
  const warnings: string[] = []
  const listings = createDeviceListings({
    db,
    provider: {
      listDevices: (enterprise, pageToken) => {
        if (enterprise !== managed.enterprise) return Promise.resolve(fault('unavailable'))
        requested.push(pageToken)
        return Promise.resolve(pages[requested.length - 1] ?? fault('unavailable'))
      },
    },
    writer,
    clock: { now: () => minute(minutes) },
    newId,
    log: createLog('warn', { write: (line: string) => void warnings.push(line) }),
    mdm_reconcile_minutes: 60,
    wait: (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
  })
  await sql`update mdm_enterprises set listing_due_at = 'epoch' where org_id = ${managed.org_id}`.execute(
    db,
  )
  const listed = await listings(minute(minutes), NEVER)
  return { listed, requested, waits, warnings }
}

async function enrolled(count: number): Promise<{ managed: Managed; reports: WireDevice[] }> {
  // Only the organization of this test is due.
  await sql`update mdm_enterprises set listing_due_at = 'infinity'`.execute(db)
  const managed = await createManaged(db)
  const reports = Array.from({ length: count }, (_, i) => managed.report(`d${i}`))
  const inputs = reports.map((device) => {
    return { kind: 'report' as const, source: 'notification' as const, device }
  })
  await db.transaction().execute((tx) => writer.apply(tx, minute(0), inputs))
  return { managed, reports }
}

const statesOf = async ({ org_id }: Managed) => {
  const rows = await db
    .selectFrom('mdm_devices')
    .select(['provider_name', 'state', 'missing_since', 'compliance_state'])
    .where('org_id', '=', org_id)
    .orderBy('provider_name')
    .execute()
  return rows
}
const countOf = async (managed: Managed, state: string) =>
  (await statesOf(managed)).filter((row) => row.state === state).length

describe('a listing of all devices', () => {
  it('makes up for lost notifications of new and changed devices', async () => {
    const { managed, reports } = await enrolled(2)
    const disabled = { ...reports[1], state: 'DISABLED' }
    const { listed, requested } = await list(managed, 1, [
      page([reports[0] ?? {}, disabled], 'next'),
      page([managed.report('d9')]),
    ])
    expect(requested).toEqual([undefined, 'next'])
    expect(listed).toEqual({ enterprises: 1, devices: 3, missing: 0 })
    expect((await statesOf(managed)).map(({ state }) => state)).toEqual([
      'active',
      'disabled',
      'active',
    ])
    const { rows } = await sql<{ is_over: boolean }>`
      select listing_lease_id is null and listing_due_at > now() + interval '30 minutes' as is_over
      from mdm_enterprises where org_id = ${managed.org_id}`.execute(db)
    expect(rows).toEqual([{ is_over: true }])
  })

  it('deletes a device that is missing in two consecutive listings, ten minutes apart', async () => {
    const { managed, reports } = await enrolled(2)
    const without = [page(reports.slice(1))]
    await list(managed, 1, without)
    await list(managed, 10, without)
    expect(await countOf(managed, 'deleted')).toBe(0)
    await list(managed, 11, [page(reports)])
    await list(managed, 12, without)
    expect(await countOf(managed, 'deleted')).toBe(0)
    await list(managed, 22, without)
    expect(await statesOf(managed)).toMatchObject([{ state: 'deleted' }, { state: 'active' }])
  })

  it('deletes nothing when it is incomplete', async () => {
    const { managed } = await enrolled(1)
    const partial: Page[][] = [
      [fault('unavailable')],
      [page([], 'next'), fault('unavailable')],
      [page([], 'next'), page([], 'next')],
      [page([{}])],
      [fault('refused')],
    ]
    for (const [index, pages] of [...partial, ...partial].entries()) {
      const { listed } = await list(managed, index * 20, pages)
      expect(listed).toEqual({ enterprises: 0, devices: 0, missing: 0 })
    }
    expect(await statesOf(managed)).toMatchObject([{ state: 'active', missing_since: null }])
  })

  it('waits for as long as the provider requires when it is rate limited', async () => {
    const { managed, reports } = await enrolled(1)
    const pages = [fault('rate_limited', 7), page([], 'next'), fault('rate_limited'), page(reports)]
    const { listed, requested, waits } = await list(managed, 1, pages)
    expect(listed.enterprises).toBe(1)
    expect(requested).toEqual([undefined, undefined, 'next', 'next'])
    expect(waits).toEqual([7000, 10_000])
  })

  it('is repeated a third time before most of a fleet is deleted', async () => {
    const { managed, reports } = await enrolled(30)
    const most = [page(reports.slice(0, 5))]
    await list(managed, 0, most)
    const second = await list(managed, 20, most)
    expect(await countOf(managed, 'deleted')).toBe(0)
    expect(second.warnings.join()).toContain('most devices are missing')
    await list(managed, 40, most)
    expect(await countOf(managed, 'deleted')).toBe(25)
  })

  it('starts counting again when a listing in between contains the fleet', async () => {
    const { managed, reports } = await enrolled(30)
    await list(managed, 0, [page([])])
    await list(managed, 20, [page([])])
    await list(managed, 40, [page(reports)])
    await list(managed, 60, [page([])])
    await list(managed, 80, [page([])])
    expect(await countOf(managed, 'deleted')).toBe(0)
  })

  it('deletes a few of many, and all of a handful, without a third one', async () => {
    const many = await enrolled(30)
    for (const minutes of [0, 20]) await list(many.managed, minutes, [page(many.reports.slice(14))])
    expect(await countOf(many.managed, 'deleted')).toBe(14)
    const few = await enrolled(10)
    for (const minutes of [0, 20]) await list(few.managed, minutes, [page([])])
    expect(await countOf(few.managed, 'deleted')).toBe(10)
  })

  it('is read by one process at a time', async () => {
    const { managed, reports } = await enrolled(1)
    let reads = 0
    const stopping = new AbortController()
    const run = () =>
      createDeviceListings({
        db,
        provider: {
          listDevices: async () => {
            reads += 1
            await new Promise((resolve) => setImmediate(resolve))
            return page(reports)
          },
        },
        writer,
        clock: { now: () => minute(1) },
        newId,
        log: createLog('silent'),
        mdm_reconcile_minutes: 60,
      })(minute(1), stopping.signal)
    await Promise.all([run(), run(), run()])
    expect(reads).toBe(1)
    const { listed } = await list(managed, 2, [page(reports)])
    expect(listed.enterprises).toBe(1)
  })
})

describe('the passing of time', () => {
  it('ends each grace period once, also with many devices and several processes', async () => {
    const { managed } = await enrolled(0)
    const inputs = Array.from({ length: 450 }, (_, i) => ({
      kind: 'report' as const,
      source: 'notification' as const,
      device: managed.report(`d${i}`, {
        policyCompliant: false,
        lastStatusReportTime: at(0),
        nonComplianceDetails: [{ settingName: 'applications', nonComplianceReason: 'PENDING' }],
      }),
    }))
    await db.transaction().execute((tx) => writer.apply(tx, minute(0), inputs))
    const update = createComplianceUpdates({ db, writer })
    const inState = async (state: string) =>
      (await statesOf(managed)).filter((row) => row.compliance_state === state).length
    expect(await inState('grace_period')).toBe(450)
    const end = new Date(Date.parse(at(0)) + 24 * 3_600_000)
    expect(await update(new Date(end.getTime() - 1), NEVER)).toBe(0)
    expect(await inState('grace_period')).toBe(450)
    await Promise.all([update(end, NEVER), update(end, NEVER), update(end, NEVER)])
    await update(end, NEVER)
    expect(await inState('non_compliant')).toBe(450)
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from events
      where org_id = ${managed.org_id} and type = 'mdm.device.compliance_changed'`.execute(db)
    expect(rows[0]?.n).toBe(900)
    expect(await update(end, NEVER)).toBe(0)
  })
})
