import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { createIds, lowestIdAt } from '../ids.ts'
import {
  EXAMINED_MAX,
  type HistoryBounds,
  type HistoryQuery,
  readHistoryPage,
  readHistoryPageWithin,
} from './history-page.ts'

const db = testDatabase()
const START = Date.UTC(2026, 0, 1)

async function insertChecks(count: number): Promise<{ org_id: string; ids: string[] }> {
  const org_id = randomUUID()
  const newId = createIds()
  const ids = Array.from({ length: count }, (_, n) => newId(new Date(START + n * 1000)))
  await sql`
    insert into checks (org_id, id, mode, risk_score, request, result, evidence, created_at)
    select ${org_id}::uuid, i, 'live', (n % 100), '{}', '{}', '{}',
      to_timestamp(${START / 1000} + n - 1)
    from unnest(${ids}::uuid[]) with ordinality as u (i, n)`.execute(db)
  return { org_id, ids }
}

async function insertAfter(org_id: string): Promise<void> {
  await sql`
    insert into checks (org_id, id, mode, risk_score, request, result, evidence, created_at)
    values (${org_id}::uuid, ${createIds()(new Date())}, 'live', 0, '{}', '{}', '{}', now())`.execute(
    db,
  )
}

const queryOf = (org_id: string, score: number): HistoryQuery => ({
  table: 'checks',
  within: sql`t.org_id = ${org_id}`,
  columns: ['risk_score'],
  where: sql`e.risk_score >= ${score}`,
  shown: sql`e.id`,
})

const readPage = async (org_id: string, score: number, bounds: Partial<HistoryBounds>) =>
  await readHistoryPage<{ id: string }>(db, queryOf(org_id, score), { limit: 10, ...bounds })

describe('a page of the history', () => {
  it('begins with the oldest rows when it is turned around', async () => {
    const { org_id, ids } = await insertChecks(25)
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await readPage(org_id, 0, { after, limit: 7, sort: 'oldest' })
      seen.push(...page.rows.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(seen).toEqual(ids)
  })

  it('continues the previous one until all rows were read once, newest first', async () => {
    const { org_id, ids } = await insertChecks(25)
    const seen: string[] = []
    let after: string | undefined
    do {
      const { rows, next, examined_until } = await readPage(org_id, 0, { after, limit: 7 })
      seen.push(...rows.map(({ id }) => id))
      expect(examined_until).toBeUndefined()
      after = next
    } while (after !== undefined)
    expect(seen).toEqual(ids.toReversed())
  })

  it('includes rows at the bounds of its times', async () => {
    const { org_id, ids } = await insertChecks(5)
    const { rows } = await readPage(org_id, 0, { from_ms: START + 1000, until_ms: START + 3000 })
    expect(rows.map(({ id }) => id)).toEqual([ids[3], ids[2], ids[1]])
  })

  it('ends after a bounded number of rows and says how far it examined them', async () => {
    const { org_id, ids } = await insertChecks(EXAMINED_MAX + 10)
    const first = await readPage(org_id, 1000, {})
    expect(first).toEqual({
      rows: [],
      next: ids[10],
      examined_until: new Date(START + 10 * 1000),
    })
    expect(await readPage(org_id, 1000, { after: first.next })).toEqual({
      rows: [],
      next: undefined,
      examined_until: undefined,
    })
  })

  it('continues where the previous one stopped even if rows are inserted in the meantime', async () => {
    const { org_id, ids } = await insertChecks(EXAMINED_MAX + 10)
    let isInserted = false
    const disturbed = db.withPlugin({
      transformQuery: ({ node }) => node,
      // Inserts after the rows were found and before the last examined row is read.
      transformResult: async ({ result }) => {
        if (!isInserted && result.rows.length === 50) {
          isInserted = true
          await insertAfter(org_id)
        }
        return result
      },
    })
    const query = queryOf(org_id, 99)
    const { rows, next } = await readHistoryPage<{ id: string }>(disturbed, query, { limit: 60 })
    expect([isInserted, rows.length, next]).toEqual([true, 50, ids[10]])
  })

  it('reads no more rows than needed, whatever the statistics of the table are', async () => {
    const { org_id } = await insertChecks(3000)
    const read = await rowsRead(db, 'checks', async (tx) => {
      const { rows } = await readHistoryPageWithin(tx, queryOf(org_id, 0), { limit: 10 })
      expect(rows.length).toBe(10)
    })
    expect(read).toBeLessThan(20)
  })

  it('has the lowest id of any time as a bound', () => {
    expect(lowestIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
    expect(lowestIdAt(Number.MAX_SAFE_INTEGER)).toBe('ffffffff-ffff-0000-0000-000000000000')
    expect(lowestIdAt(START) < createIds()(new Date(START))).toBe(true)
  })
})
