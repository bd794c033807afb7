/** Uses a separate database, because posting takes the usage of all organizations. */
import * as fc from 'fast-check'
import { type KyselyPlugin, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { createBilling, recordUsage, toUnits, type UsageRow } from './index.ts'

const db = ownDatabase()
const newId = createIds()
const ROWS_PER_POSTING = 7

const node = (database: Database) =>
  createBilling({ db: database, newId, clock: systemClock, rows_per_posting: ROWS_PER_POSTING })
const billing = node(db)

async function newOrganization(credits = 0): Promise<string> {
  const id = newId(new Date())
  await db.insertInto('organizations').values({ id, name: 'Billing', plan: 'free' }).execute()
  if (credits > 0) await billing.grantCredits(id, credits, 'start', 'start')
  return id
}

function usage(org_id: string, credits: number, mode: 'live' | 'test' = 'live'): UsageRow {
  const now = new Date()
  const [id, source_id] = [newId(now), newId(now)]
  const cost_units = toUnits(credits)
  return { id, org_id, mode, meter: 'check', quantity: 1, cost_units, source_id, occurred_at: now }
}

const record = async (orgId: string, count: number, credits: number, mode?: 'live' | 'test') =>
  await Promise.all(
    Array.from({ length: count }, () => recordUsage(db, [usage(orgId, credits, mode)])),
  )
const post = async () => await billing.postUsage(new Date())

/** The books are correct when both differences are zero. */
const exact = { ledger_difference: 0, usage_difference: 0 }

describe('granting credits', () => {
  it('raises the balance by the granted credits', async () => {
    const org = await newOrganization()
    await billing.grantCredits(org, 100, 'purchase', 'order-1')
    await billing.grantCredits(org, 0.0001, 'purchase', 'order-2')
    expect(await billing.balance(org)).toEqual({
      balance_credits: 100.0001,
      unposted_usage_credits: 0,
      available_credits: 100.0001,
      granted_credits: 100.0001,
      posted_usage_credits: 0,
      ...exact,
    })
  })

  it('counts once per idempotency key, even when repeated concurrently', async () => {
    const org = await newOrganization()
    const grants = await Promise.all(
      Array.from({ length: 6 }, () => node(db).grantCredits(org, 5, 'purchase', 'order-1')),
    )
    expect(grants.filter((grant) => 'granted' in grant && grant.granted)).toHaveLength(1)
    expect(new Set(grants.map((one) => 'transfer_id' in one && one.transfer_id)).size).toBe(1)
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 5, ...exact })
  })

  it('refuses a key that was used for another grant, but not in another organization', async () => {
    const [org, other] = [await newOrganization(), await newOrganization()]
    await billing.grantCredits(org, 5, 'purchase', 'order-1')
    const refused = { refused: 'key_reused' }
    expect(await billing.grantCredits(org, 6, 'purchase', 'order-1')).toEqual(refused)
    expect(await billing.grantCredits(org, 5, 'gift', 'order-1')).toEqual(refused)
    expect(await billing.grantCredits(other, 6, 'gift', 'order-1')).toMatchObject({ granted: true })
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 5, ...exact })
  })

  it('refuses invalid amounts and unknown organizations', async () => {
    const org = await newOrganization()
    for (const credits of [0, -5, 0.00001, Number.NaN]) {
      const refused = { refused: 'credits_invalid' }
      expect(await billing.grantCredits(org, credits, 'x', `${credits}`)).toEqual(refused)
    }
    for (const unknown of [newId(new Date()), 'no-uuid']) {
      expect(await billing.grantCredits(unknown, 1, 'x', 'x')).toEqual({ refused: 'not_found' })
      expect(await billing.balance(unknown)).toBeUndefined()
      expect(await billing.funds(unknown)).toBeUndefined()
    }
  })
})

describe('usage', () => {
  it('lowers the available credits immediately, and the balance when posted', async () => {
    const org = await newOrganization(10)
    await record(org, 4, 1.1)
    const before = { balance_credits: 10, unposted_usage_credits: 4.4, available_credits: 5.6 }
    expect(await billing.funds(org)).toEqual(before)
    await post()
    const after = { balance_credits: 5.6, unposted_usage_credits: 0, available_credits: 5.6 }
    expect(await billing.balance(org)).toMatchObject({
      ...after,
      posted_usage_credits: 4.4,
      ...exact,
    })
  })

  it('of test mode is recorded, costs nothing and is never posted', async () => {
    const org = await newOrganization(10)
    await record(org, 3, 1, 'test')
    await post()
    expect(await billing.balance(org)).toMatchObject({ available_credits: 10, ...exact })
    const rows = await db.selectFrom('usage_events').selectAll().where('org_id', '=', org).execute()
    expect(
      rows.map(({ mode, cost_units, transfer_id }) => [mode, cost_units, transfer_id]),
    ).toEqual(Array.from({ length: 3 }, () => ['test', 0, null]))
  })

  it('is rolled back with the transaction that recorded it', async () => {
    const org = await newOrganization(10)
    const undone = db.transaction().execute(async (tx) => {
      await recordUsage(tx, [usage(org, 1)])
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await recordUsage(db, [])
    expect(await billing.funds(org)).toMatchObject({ available_credits: 10 })
  })

  it('is counted in whole units, despite floating-point prices', async () => {
    const org = await newOrganization(10)
    await recordUsage(db, [{ ...usage(org, 0), cost_units: 0.0035 * 10_000 + 1e-9 }])
    expect(await billing.funds(org)).toMatchObject({ unposted_usage_credits: 0.0035 })
  })

  it('can exceed the balance, which then is negative', async () => {
    const org = await newOrganization()
    await record(org, 3, 1)
    await post()
    expect(await billing.balance(org)).toMatchObject({ balance_credits: -3, ...exact })
  })

  it('belongs to one organization only', async () => {
    const [org, other] = [await newOrganization(10), await newOrganization(10)]
    await record(org, 8, 1)
    await post()
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 2, ...exact })
    expect(await billing.balance(other)).toMatchObject({ balance_credits: 10, ...exact })
  })
})

describe('whether usage is available', () => {
  it('is answered for concurrent callers, and includes unposted usage', async () => {
    const [rich, spent, empty] = [
      await newOrganization(1),
      await newOrganization(1),
      await newOrganization(),
    ]
    await record(spent, 10, 0.1)
    await record(rich, 9, 0.1)
    const orgIds = [rich, spent, empty, rich, 'no-uuid', newId(new Date())]
    const answers = await Promise.all(orgIds.map(async (org) => await billing.usageAvailable(org)))
    expect(answers).toEqual([true, false, false, true, false, false])
  })
})

describe('posting', () => {
  it('posts all usage exactly once, in portions', async () => {
    await post()
    const org = await newOrganization(100)
    await record(org, 3 * ROWS_PER_POSTING + 2, 1)
    expect(await post()).toEqual({ organizations: 1, rows: 23, units: 230_000 })
    expect(await post()).toEqual({ organizations: 0, rows: 0, units: 0 })
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 77, ...exact })
    const transfers = await db
      .selectFrom('ledger_transfers')
      .select('amount_units')
      .where('org_id', '=', org)
      .where('reason', '=', 'usage')
      .execute()
    expect(
      transfers.map(({ amount_units }) => amount_units / 10_000).toSorted((a, b) => a - b),
    ).toEqual([2, 7, 7, 7])
  })

  it('is exact on two nodes while usage is recorded and credits are granted', async () => {
    const orgs = [await newOrganization(50), await newOrganization(50), await newOrganization(50)]
    const nodes = [node(db), node(db)]
    const recording = orgs.flatMap((org) =>
      Array.from({ length: 10 }, async (_, n) => {
        await record(org, 3, 0.3)
        await billing.grantCredits(org, 1, 'more', `more-${n}`)
      }),
    )
    const posting = nodes.flatMap((one) =>
      Array.from({ length: 4 }, async () => await one.postUsage(new Date())),
    )
    await Promise.all([...recording, ...posting])
    for (const org of orgs) {
      expect(await billing.balance(org)).toMatchObject({ available_credits: 51, ...exact })
    }
    await Promise.all(nodes.map(async (one) => await one.postUsage(new Date())))
    for (const org of orgs) {
      const expected = { balance_credits: 51, unposted_usage_credits: 0, ...exact }
      expect(await billing.balance(org)).toMatchObject(expected)
    }
  })

  it('leaves the books exact when it fails at any statement, and completes later', async () => {
    const org = await newOrganization(100)
    await record(org, 2 * ROWS_PER_POSTING + 1, 1)
    let failures = 0
    while (await postingFailsAt(failures + 1)) {
      failures += 1
      expect(await billing.balance(org)).toMatchObject({ available_credits: 85, ...exact })
    }
    // At least the statements that list, lock, mark and book.
    expect(failures).toBeGreaterThanOrEqual(4)
    await post()
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 85, ...exact })
  })

  it('reverts the marks when the transfer cannot be booked, and posts the other organizations', async () => {
    const [broken, sound] = [await newOrganization(5), await newOrganization(5)]
    await record(broken, 2, 1)
    await record(sound, 2, 1)
    // So low that the debit does not fit into the column, and the ledger fails after the marking.
    const lowest = sql`balance_units - 50000 - 9223372036854775808 + 10000`
    await sql`update ledger_accounts set balance_units = ${lowest}
      where org_id = ${broken} and kind = 'wallet'`.execute(db)
    await expect(post()).rejects.toThrow('not posted completely')
    const marked = await db
      .selectFrom('usage_events')
      .select('transfer_id')
      .where('org_id', '=', broken)
      .execute()
    expect(marked).toEqual([{ transfer_id: null }, { transfer_id: null }])
    expect(await billing.balance(sound)).toMatchObject({ balance_credits: 3, ...exact })

    await sql`update ledger_accounts set balance_units = 50000
      where org_id = ${broken} and kind = 'wallet'`.execute(db)
    await post()
    expect(await billing.balance(broken)).toMatchObject({ balance_credits: 3, ...exact })
  })
})

describe('the ledger', () => {
  it('rejects updates and deletions', async () => {
    const org = await newOrganization(5)
    const changes = [
      sql`update ledger_transfers set amount_units = 1 where org_id = ${org}`,
      sql`delete from ledger_transfers where org_id = ${org}`,
      sql`truncate ledger_transfers`,
    ]
    for (const change of changes) await expect(change.execute(db)).rejects.toThrow('append-only')
    expect(await billing.balance(org)).toMatchObject({ balance_credits: 5, ...exact })
  })

  it('reveals a balance or a mark that was changed directly in the database', async () => {
    const org = await newOrganization(5)
    await record(org, 2, 1)
    await post()
    await sql`update ledger_accounts set balance_units = balance_units + 1
      where org_id = ${org} and kind = 'wallet'`.execute(db)
    await sql`update usage_events set transfer_id = null
      where id = (select id from usage_events where org_id = ${org} limit 1)`.execute(db)
    expect(await billing.balance(org)).toMatchObject({
      ledger_difference: 0.0001,
      usage_difference: 1,
    })
    // Restored, because posting in other tests would find the row.
    await sql`update usage_events set cost_units = 0 where org_id = ${org} and transfer_id is null`.execute(
      db,
    )
  })

  it('agrees with a plain sum after any sequence of grants, usage and postings', async () => {
    const units = fc.integer({ min: 1, max: 1_000_000 })
    const step = fc.oneof(
      fc.record({ kind: fc.constant('grant' as const), units }),
      fc.record({
        kind: fc.constant('use' as const),
        units,
        mode: fc.constantFrom('live', 'test'),
      }),
      fc.record({ kind: fc.constant('post' as const) }),
    )
    const steps = fc.array(step, { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (sequence, atOnce) => {
        const org = await newOrganization()
        let expected = 0
        const work = sequence.map((one, n) => async () => {
          if (one.kind === 'post') return await post()
          if (one.kind === 'grant') {
            return await billing.grantCredits(org, one.units / 10_000, 'any', `${n}`)
          }
          return await record(org, 1, one.units / 10_000, one.mode)
        })
        for (const one of sequence) {
          if (one.kind === 'grant') expected += one.units
          if (one.kind === 'use' && one.mode === 'live') expected -= one.units
        }
        if (atOnce) await Promise.all(work.map(async (run) => await run()))
        else for (const run of work) await run()

        const balance = await billing.balance(org)
        expect(balance).toMatchObject({ available_credits: expected / 10_000, ...exact })
        await post()
        expect(await billing.balance(org)).toMatchObject({
          balance_credits: expected / 10_000,
          ...exact,
        })
      }),
      { numRuns: 25 },
    )
  })
})

async function postingFailsAt(statement: number): Promise<boolean> {
  const failing = node(db.withPlugin(failAtStatement(statement)))
  const outcome = await failing.postUsage(new Date()).catch(() => 'failed')
  return outcome === 'failed'
}

/** Lets statements through up to this number, and refuses all further ones. */
function failAtStatement(number: number): KyselyPlugin {
  let statements = 0
  return {
    transformQuery: ({ node: query }) => {
      statements += 1
      if (statements >= number) throw new Error(`statement ${statements} failed`)
      return query
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
}
