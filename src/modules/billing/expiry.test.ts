/** Usage expires by the month, when it was folded and debited. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import { listPartitions } from '../../platform/postgres/partitions/index.ts'
import { createBilling, expireUsage, recordUsage } from './index.ts'

const db = ownDatabase()
const newId = createIds()
const billing = createBilling({ db, newId, clock: systemClock })
const exact = { ledger_difference: 0, usage_difference: 0 }

async function record(org_id: string, occurred_at: Date): Promise<string> {
  const [id, source_id] = [newId(occurred_at), newId(occurred_at)]
  const priced = { mode: 'live' as const, meter: 'check', quantity: 1, cost_units: 10_000 }
  await recordUsage(db, [{ ...priced, id, org_id, source_id, occurred_at }])
  return id
}

const idsOf = async (org: string) =>
  (
    await sql<{
      id: string
    }>`select id from usage_events where org_id = ${org} order by id`.execute(db)
  ).rows.map(({ id }) => id)

it('keeps what is not folded or not debited, and the books agree without dropped rows', async () => {
  const [first, second] = await listPartitions(db, 'usage_events')
  if (!first?.to || !second?.to) throw new Error('there are no partitions')
  const [last, next, end] = [new Date(first.to.getTime() - 1), first.to, second.to]
  const org = newId(last)
  await db.insertInto('organizations').values({ id: org, name: 'Usage', plan: 'free' }).execute()
  await record(org, last)
  await billing.postUsage(last)
  // This debit has usage of both periods.
  await record(org, last)
  const kept = [await record(org, next)]
  await billing.postUsage(next)
  kept.push(await record(org, next))
  await billing.postUsage(next)
  expect(await expireUsage(db, end, undefined)).toBe(false)
  expect(await expireUsage(db, end, last)).toBe(false)
  const late = await record(org, last)
  expect(await expireUsage(db, end, next)).toBe(false)
  expect(await idsOf(org)).toContain(late)
  await billing.postUsage(next)
  const before = await billing.balance(org)
  expect(before).toMatchObject({ balance_credits: -5, posted_usage_credits: 5, ...exact })
  expect(await expireUsage(db, end, next)).toBe(true)
  expect(await expireUsage(db, end, next)).toBe(false)
  expect(await idsOf(org)).toEqual(kept)
  expect(await billing.balance(org)).toEqual(before)
  // The last debit is still compared with its usage, and all debits with their parts.
  await sql`update usage_events set cost_units = 20000 where id = ${kept[1]}`.execute(db)
  expect(await billing.balance(org)).toMatchObject({ usage_difference: 1 })
  await sql`update usage_events set cost_units = 10000 where id = ${kept[1]}`.execute(db)
  await sql`update ledger_usage set cost_units = cost_units + 10000
    where transfer_id = (select min(transfer_id::text)::uuid from ledger_usage)`.execute(db)
  expect(await billing.balance(org)).toMatchObject({ usage_difference: 1 })
})
