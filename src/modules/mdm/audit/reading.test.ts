import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { addAuditEntries } from '../../../../test/support/mdm.ts'
import { createIds } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { auditEntry } from './entry.ts'
import { createAuditReading, locatePage } from './reading.ts'
import { insertAuditEntries } from './store.ts'

const db = testDatabase()
const reading = createAuditReading({ db })

const MIDNIGHT_MS = Date.parse('2026-03-01T00:00:00.000Z')
const descending = (a: string, b: string) => (a < b ? 1 : -1)
const hours = (count: number, every = 1) =>
  Array.from({ length: count }, (_, index) => new Date(MIDNIGHT_MS + index * every * HOUR_MS))

describe('the audit log', () => {
  it('is paged newest first across days, with each entry once', async () => {
    const org_id = randomUUID()
    const ids = (await addAuditEntries(db, org_id, hours(100, 5))).toReversed()
    await addAuditEntries(db, randomUUID(), hours(30))
    for (const limit of [1, 7, 50, 100]) {
      const read: string[] = []
      for (let page = 1; page <= Math.ceil(100 / limit); page += 1) {
        const { entries, pagination } = await reading.list(org_id, { page, limit })
        expect(pagination).toEqual({ page, limit, total: 100, pages: Math.ceil(100 / limit) })
        read.push(...entries.map(({ id }) => id))
      }
      expect(read).toEqual(ids)
    }
    const beyond = await reading.list(org_id, { page: 1_000_000_000, limit: 1000 })
    expect([beyond.entries, beyond.pagination.total]).toEqual([[], 100])
  })

  it('assigns an instant at the end of a day to that day', async () => {
    const org_id = randomUUID()
    const times = [-1, 0, 1].map((ms) => new Date(MIDNIGHT_MS + ms))
    const ids = await addAuditEntries(db, org_id, times)
    for (const [index, id] of ids.toReversed().entries()) {
      const { entries } = await reading.list(org_id, { page: index + 1, limit: 1 })
      expect(entries.map((entry) => entry.id)).toEqual([id])
    }
  })

  it('is filtered by action', async () => {
    const org_id = randomUUID()
    await addAuditEntries(db, org_id, hours(40, 3))
    const created = await addAuditEntries(db, org_id, hours(11, 7), { action: 'command.created' })
    const { entries, pagination } = await reading.list(org_id, {
      action: 'command.created',
      page: 2,
      limit: 4,
    })
    expect(pagination).toEqual({ page: 2, limit: 4, total: 11, pages: 3 })
    expect(entries.map(({ id }) => id)).toEqual(created.toReversed().slice(4, 8))
    const none = await reading.list(org_id, { action: 'policy.created', page: 1, limit: 4 })
    expect(none).toEqual({ entries: [], pagination: { page: 1, limit: 4, total: 0, pages: 0 } })
  })

  it('shows who did what to which record, with the values before and after', async () => {
    const org_id = randomUUID()
    const user = randomUUID()
    const now = new Date(MIDNIGHT_MS)
    const entry = auditEntry(createIds(), now, {
      org_id,
      action: 'policy.updated',
      actor: { type: 'user', id: user },
      target: { type: 'policy', id: 'p' },
      before: { name: 'a' },
      after: { name: 'b' },
    })
    await insertAuditEntries(db, [entry])
    expect((await reading.list(org_id, { page: 1, limit: 1 })).entries).toEqual([
      {
        id: entry.id,
        action: 'policy.updated',
        actor_type: 'user',
        actor_id: user,
        target_type: 'policy',
        target_id: 'p',
        before: { name: 'a' },
        after: { name: 'b' },
        created_at: '2026-03-01T00:00:00.000Z',
      },
    ])
  })

  it('is streamed in full, newest first, in pages, with or without a filter', async () => {
    const org_id = randomUUID()
    const times = Array.from({ length: 2300 }, (_, index) => new Date(MIDNIGHT_MS + index * 60_000))
    const ids = await addAuditEntries(db, org_id, times)
    const created = await addAuditEntries(db, org_id, hours(3), { action: 'command.created' })
    const pages: string[][] = []
    for await (const rows of reading.stream(org_id, 'device.state_changed')) {
      pages.push(rows.map(({ id }) => id))
    }
    expect(pages.map(({ length }) => length)).toEqual([1000, 1000, 300])
    expect(pages.flat()).toEqual(ids.toReversed())
    const all: string[] = []
    for await (const rows of reading.stream(org_id, undefined))
      all.push(...rows.map(({ id }) => id))
    expect(all).toEqual([...ids, ...created].toSorted(descending))
  })

  it('is append-only', async () => {
    const org_id = randomUUID()
    await addAuditEntries(db, org_id, hours(1))
    for (const change of [
      sql`update mdm_audit_log set action = 'x' where org_id = ${org_id}`,
      sql`delete from mdm_audit_log where org_id = ${org_id}`,
      sql`truncate mdm_audit_log`,
    ]) {
      await expect(change.execute(db)).rejects.toThrow('append-only')
    }
  })
})

describe('the counts of the audit log', () => {
  const counted = async (handle: Database, orgId: string): Promise<number> => {
    const list = await createAuditReading({ db: handle }).list(orgId, { page: 1, limit: 1 })
    return list.pagination.total
  }

  it('are right after concurrent inserts and a rollback', async () => {
    const org_id = randomUUID()
    const day = hours(1)
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const action = index % 2 === 0 ? 'command.sent' : 'command.created'
        await addAuditEntries(db, org_id, [...day, ...day], { action })
      }),
    )
    const undone = db.transaction().execute(async (tx) => {
      await addAuditEntries(tx, org_id, day)
      throw new Error('rolled back')
    })
    await expect(undone).rejects.toThrow('rolled back')
    expect(await counted(db, org_id)).toBe(80)
  })

  it('do not make an insert wait for an open transaction', async () => {
    const org_id = randomUUID()
    const [action, day] = ['command.sent', hours(1)] as const
    await addAuditEntries(db, org_id, day, { action })
    await db.transaction().execute(async (tx) => {
      await addAuditEntries(tx, org_id, day, { action })
      // A wait for the open transaction would be a deadlock, because that waits for this insert.
      await addAuditEntries(db, org_id, day, { action })
    })
    expect(await counted(db, org_id)).toBe(3)
  })

  it('stay few rows after many transactions', async () => {
    const org_id = randomUUID()
    for (const time of [...hours(30, 0.1), ...hours(30, 0.1)]) {
      await addAuditEntries(db, org_id, [time])
    }
    const rows = await db
      .selectFrom('mdm_audit_counts')
      .selectAll()
      .where('org_id', '=', org_id)
      .execute()
    expect(rows.map(({ entries }) => entries)).toEqual([60])
  })
})

describe('the start of a page', () => {
  const days = [
    { day_ms: MIDNIGHT_MS, entries: 3 },
    { day_ms: MIDNIGHT_MS - 24 * HOUR_MS, entries: 2 },
  ]

  it('is in the first day that is not skipped completely', () => {
    const start = '019ca6b1-dc00-0000-0000-000000000000'
    expect(parseInt(start.replace('-', '').slice(0, 12), 16)).toBe(MIDNIGHT_MS)
    expect(locatePage(days, 2)).toEqual({ before: undefined, skipped: 2 })
    expect(locatePage(days, 3)).toEqual({ before: start, skipped: 0 })
    expect(locatePage(days, 4)).toEqual({ before: start, skipped: 1 })
    expect(locatePage(days, 5)).toBeUndefined()
    expect(locatePage([], 0)).toBeUndefined()
  })
})
