/**
 * What requests read in tables that fill up before their first statistics exist. The planner then compares indexes by
 * the number of columns that a query has, so a new index can attract look-ups that belong to another one.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../test/database.ts'
import { useHarness } from '../../test/harness.ts'
import { withoutLimits } from '../../test/support/calls.ts'

const harness = useHarness({ db: ownDatabase(), settings: withoutLimits() })
const ROUNDS = 12
const AT_ONCE = 50
/** Above it, the rows that were read grow with those of the table. */
const READ_PER_LOOKUP_MAX = 20

type Index = { name: string; scans: number; read: number }

async function indexes(): Promise<Map<string, Index>> {
  const { rows } = await sql<Index>`
    select indexrelname as name, idx_scan::float8 as scans, idx_tup_read::float8 as read
    from pg_stat_user_indexes`.execute(harness().stores.db)
  return new Map(rows.map((row) => [row.name, row]))
}

it('reads few rows for each order, check and cashier action', async () => {
  const key = (await harness().createTenant()).keys.test_secret
  const before = await indexes()
  const post = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await harness().post(path, body, { key })
    expect(status, answer.message).toBe(200)
  }
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const id = `${round}-${index}`
        await post('/v1/orders', {
          external_order_id: `order-${id}`,
          external_user_id: `user-${id}`,
          amount_cents: 1000 + index,
          currency: 'EUR',
        })
        await post('/v1/check', { email: `user-${id}@example.com`, event_type: 'signup' })
        await post('/v1/cashier/actions', {
          external_action_id: `action-${id}`,
          cashier_external_id: `cashier-${id}`,
          action_type: 'void',
          amount_cents: 500,
          currency: 'EUR',
        })
      }),
    )
  }
  // Connections report what they have read when they have been idle for a second.
  await wait(1500)
  const read = [...(await indexes()).values()].map(({ name, scans, read: rows }) => {
    const former = before.get(name) ?? { scans: 0, read: 0 }
    return { name, scans: scans - former.scans, read: rows - former.read }
  })
  expect(read.some(({ scans }) => scans > ROUNDS)).toBe(true)
  const costly = read.filter(
    ({ scans, read: rows }) => rows > AT_ONCE * ROUNDS && rows > scans * READ_PER_LOOKUP_MAX,
  )
  expect(costly).toEqual([])
})
