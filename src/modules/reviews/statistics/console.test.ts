import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addFlaggedOrders } from '../../../../test/support/flagged-orders.ts'
import { newOrder } from '../../../../test/support/orders.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { ReviewStatistics } from './schema.ts'
import type { DecidedGroup } from './statistics.ts'
import { readDecided } from './store.ts'

const DAWN = new Date(0)

const sorted = (groups: readonly DecidedGroup[]) =>
  groups.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))

const harness = useHarness()

it('statistics have decisions, what they saved, and what outcomes showed to be lost', async () => {
  const { org_id, keys } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  const [first = '', second = ''] = await addFlaggedOrders(harness(), keys.live_secret, [
    'one',
    'two',
  ])
  const decide = async (id: string, decision: string) => {
    const path = `/console/api/reviews/${id}/decision`
    expect((await harness().post(path, { org_id, decision }, { token })).status).toBe(200)
  }
  await decide(first, 'confirmed_fraud')
  await decide(second, 'legitimate')
  const missed = newOrder({ external_id: 'new customer', amount_cents: 700, currency: 'EUR' })
  await harness().post('/v1/orders', missed, { key: keys.live_secret })
  const reported = [missed['external_order_id'], 'two'].map((external_order_id) => ({
    external_order_id,
    kind: 'fraud',
    date: new Date(Date.now() + 1000).toISOString(),
  }))
  const date = new Date().toISOString()
  const outcomes = reported.map((outcome) => ({ ...outcome, date }))
  const answer = await harness().post('/console/api/outcomes', { org_id, outcomes }, { token })
  expect(answer.body.content).toMatchObject({ decided: 2 })
  const read = async (query = '') => {
    const path = `/console/api/reviews/statistics?org_id=${org_id}${query}`
    return (await harness().get<ReviewStatistics & { field: string }>(path, { token })).body.content
  }
  const { total, weeks, analysts, signals, people, is_complete } = await read()
  expect(is_complete).toBe(true)
  expect(total).toMatchObject({ decisions: 2, frauds: 1, legitimate: 1, changes: 0 })
  expect(total.saved).toEqual([{ currency: 'USD', amount_cents: 4990 }])
  expect(total.lost).toEqual([
    { currency: 'EUR', amount_cents: 700 },
    { currency: 'USD', amount_cents: 4990 },
  ])
  expect(total.median_minutes).not.toBeNull()
  expect(weeks.length).toBe(12)
  expect(weeks.at(-1)?.decisions).toBe(2)
  expect(analysts).toMatchObject([{ decisions: 2, overturned: 1 }])
  expect(Object.keys(people)).toEqual([analysts[0]?.by])
  expect(signals.find(({ name }) => name === 'location_anomaly')).toMatchObject({
    frauds: 2,
    precision: 1,
  })
  const { db } = harness().stores
  const owner = { org_id, mode: 'live' } as const
  const groups = async (tx: Db = db) => sorted(await readDecided(tx, owner, DAWN, new Date()))
  const stored = await groups()
  expect(await rowsRead(db, 'orders', async (tx) => void (await groups(tx)))).toBe(0)
  // As nodes of the previous version write decisions.
  await sql`update review_decisions set amount_cents = null, currency = null, rules = null, shadow_rules = null
    where org_id = ${org_id}`.execute(db)
  expect(await groups()).toEqual(stored)
  expect(await read()).toMatchObject({ total, weeks, analysts, signals })
  expect((await read('&weeks=1')).weeks.length).toBe(1)
  expect((await read('&mode=test')).total.decisions).toBe(0)
  expect((await read('&weeks=54')).field).toBe('weeks')
})

it('groups of decisions are those of the plain statement', async () => {
  const { org_id } = await harness().createTenant()
  const { db } = harness().stores
  await addDecisions(db, org_id, 400)
  const { rows } = await sql<Plain>`
    select d.decision, d.decided_by, d.number > 1 as is_change, d.source is not null as is_outcome,
      upper(o.request ->> 'currency') as currency, (o.request ->> 'amount_cents')::float8 as amount_cents,
      d.number = (select max(number) from review_decisions l where l.org_id = d.org_id
        and l.subject_id = d.subject_id) as is_current,
      (select decision from review_decisions p where p.org_id = d.org_id
        and p.subject_id = d.subject_id and p.number = d.number - 1) as previous
    from review_decisions d join orders o on o.org_id = d.org_id and o.id = d.subject_id
    where d.org_id = ${org_id}`.execute(db)
  expect(rows.length).toBe(500)
  const groups = await readDecided(db, { org_id, mode: 'live' }, DAWN, new Date())
  expect(groups.length).toBeLessThan(100)
  const keyOf = ({ count: _count, amount_cents: _amount, ...key }: Summed) => JSON.stringify(key)
  const summed = (list: readonly Summed[]) => {
    const sums = new Map<string, Summed>()
    for (const each of list) {
      const sum = sums.get(keyOf(each))
      if (!sum) sums.set(keyOf(each), { ...each })
      else {
        sum.count += each.count
        sum.amount_cents += each.amount_cents
      }
    }
    return [...sums.values()].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))
  }
  const plain = rows.map((row) => ({ ...row, count: 1 }))
  const grouped = groups.map((group) => ({
    decision: group.decision,
    decided_by: group.decided_by,
    is_change: group.is_change,
    is_outcome: group.is_outcome,
    currency: group.currency,
    amount_cents: group.amount_cents ?? 0,
    is_current: group.is_current,
    previous: group.previous,
    count: group.count,
  }))
  expect(summed(grouped)).toEqual(summed(plain))
})

type Plain = Pick<
  DecidedGroup,
  'decision' | 'decided_by' | 'is_change' | 'is_outcome' | 'currency' | 'is_current' | 'previous'
> & { amount_cents: number }
type Summed = Plain & { count: number }

/** Adds orders with a decision each, half of them without their facts, and a second decision about every fourth. */
async function addDecisions(db: Db, orgId: string, count: number): Promise<void> {
  await sql`
    insert into orders (org_id, id, mode, seq, external_order_id, risk_score, request, assessment, ordered_at, created_at)
    select ${orgId}, gen_random_uuid(), 'live', n, 'order-' || n, 0,
      json_build_object('amount_cents', n, 'currency', (array['EUR', 'usd'])[1 + n % 2]), '{}', now(), now()
    from generate_series(1, ${count}::integer) n`.execute(db)
  await sql`
    insert into review_decisions (org_id, subject_id, number, mode, subject, decision, after_seq,
      decided_at, decided_by, source, amount_cents, currency, rules, shadow_rules)
    select o.org_id, o.id, number, 'live', 'order', (array['legitimate', 'confirmed_fraud'])[1 + (seq + number) % 2],
      seq, now() - interval '1 hour', (array['ann', 'bob', 'cli'])[1 + seq % 3],
      case when seq % 5 = 0 then 'outcome' end,
      case when is_stored then (request ->> 'amount_cents')::float8 end,
      case when is_stored then upper(request ->> 'currency') end,
      case when is_stored then '{}'::text[] end, case when is_stored then '{}'::text[] end
    from orders o cross join generate_series(1, 2) number
      cross join lateral (select seq % 2 = 0 as is_stored) s
    where o.org_id = ${orgId} and (number = 1 or seq % 4 = 0)`.execute(db)
}
