/** Pages of the queue when few rows match, on the real database. */
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { addReview } from '../../../test/support/reviews.ts'
import { createIds } from '../../platform/ids.ts'
import { listReviews, type ReviewQuery } from './queue.store.ts'

const db = testDatabase()
const newId = createIds()
const START = new Date('2026-03-01T12:00:00Z')
const EXAMINED_MAX = 4

let org_id = ''
/**
 * An alert and then orders, oldest first; every second order is in the other mode and two are
 * decided.
 */
beforeAll(async () => {
  org_id = newId(START)
  await db
    .insertInto('organizations')
    .values({ id: org_id, name: 'Walking', plan: 'starter', created_at: START })
    .execute()
  for (let minute = 0; minute < 24; minute += 1) {
    await addReview(db, org_id, {
      created_at: new Date(START.getTime() + minute * 60_000),
      external_id: `r${minute}`,
      risk_score: 50 + ((minute * 7) % 11),
      subject: minute === 0 ? 'alert' : 'order',
      mode: minute % 2 === 0 ? 'live' : 'test',
    })
  }
  await db
    .updateTable('reviews')
    .set({ decision: 'legitimate', decided_at: START, decided_by: 'cli' })
    .where('org_id', '=', org_id)
    .where('external_id', 'in', ['r4', 'r10'])
    .execute()
})

async function pagesOf(query: Partial<ReviewQuery>): Promise<string[][]> {
  const filters = {
    org_id,
    mode: 'live',
    state: 'all',
    order: 'newest',
    limit: 3,
    ...query,
  } as const
  const pages: string[][] = []
  let after: ReviewQuery['after']
  do {
    const { rows, examined } = await listReviews(db, { ...filters, after }, EXAMINED_MAX)
    pages.push(rows.map(({ external_id }) => external_id))
    const isFull = rows.length === filters.limit
    after = isFull ? rows.at(-1) : examined
  } while (after !== undefined && pages.length < 20)
  return pages
}

describe('a page looks at a bounded number of rows', () => {
  it('when matches are rare, and continues after them', async () => {
    expect(await pagesOf({ subject: 'alert' })).toEqual([[], [], ['r0'], []])
    // The alert has the lowest score.
    const highest = await pagesOf({ subject: 'alert', state: 'open', order: 'highest' })
    expect(highest).toEqual([[], [], ['r0']])
    expect(await pagesOf({ subject: 'alert', state: 'decided' })).toEqual([[]])
  })

  it('and finds each match once in any order', async () => {
    const live = Array.from({ length: 12 }, (_, index) => `r${22 - 2 * index}`)
    const orders = live.slice(0, -1)
    expect((await pagesOf({ subject: 'order' })).flat()).toEqual(orders)
    const highest = await pagesOf({ subject: 'order', state: 'open', order: 'highest' })
    expect(highest.flat().toSorted()).toEqual(
      orders.filter((name) => !['r4', 'r10'].includes(name)).toSorted(),
    )
    expect((await pagesOf({})).flat()).toEqual(live)
  })
})

it('state all lists the open and the decided reviews of a mode', async () => {
  const filters = { org_id, mode: 'test', state: 'all', order: 'newest', limit: 50 } as const
  const { rows } = await listReviews(db, filters)
  expect(rows).toHaveLength(12)
  expect(new Set(rows.map(({ mode }) => mode))).toEqual(new Set(['test']))
})
