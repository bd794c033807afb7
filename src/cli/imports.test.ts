import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { countRows } from '../../test/support/books.ts'
import { useCommands } from '../../test/support/commands.ts'
import { compareWithFold } from '../../test/support/fold.ts'
import { orderOf } from '../../test/support/order-mix.ts'
import { type Body, settableClock, useOrders } from '../../test/support/orders.ts'

const START = new Date('2026-03-01T12:00:00Z')
const clock = settableClock(START)
const harness = useHarness({ clock })
const { order } = useOrders(harness)
const { vigil, vigilJson } = useCommands()

const folder = mkdtempSync(join(tmpdir(), 'vigil-imports-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Counts = { added: number; known: number; refused: number; refused_file: string | null }

const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const linesOf = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const refusalsOf = ({ refused_file }: Counts): { line: number; field: string; message: string }[] =>
  readFileSync(refused_file ?? '', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { line: number; field: string; message: string })

/** Orders one minute apart. */
const history = (count: number): Body[] =>
  Array.from({ length: count }, (_, n) => ({
    ...orderOf('past', n),
    ordered_at: new Date(START.getTime() - (count - n) * 60_000).toISOString(),
  }))

const statesOf = async (orgId: string): Promise<Record<string, string | null>> => {
  const rows = await harness()
    .stores.db.selectFrom('states')
    .select(['id', 'state_text'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()
  return Object.fromEntries(rows.map(({ id, state_text }) => [id, state_text]))
}

const scoresOf = async (orgId: string) =>
  await harness()
    .stores.db.selectFrom('orders')
    .select(['external_order_id', 'risk_score', 'assessment', 'profile_id', 'seq', 'created_at'])
    .where('org_id', '=', orgId)
    .orderBy('seq')
    .execute()

const TABLES_OF_ORDERS = ['orders', 'states', 'profiles', 'usage_events', 'events', 'reviews']

describe('vigil import orders', () => {
  it('leaves the scores and states that the same orders leave when they come live', async () => {
    const { org_id, keys } = await harness().createTenant()
    // More than one transaction of an import.
    const orders = history(300)
    clock.advance(-300 * 60_000)
    for (const body of orders) {
      expect((await order(keys.live_secret, body)).status).toBe(200)
      clock.advance(60_000)
    }
    const [states, scores] = [await statesOf(org_id), await scoresOf(org_id)]
    expect(Object.keys(states).length).toBeGreaterThan(50)
    for (const table of TABLES_OF_ORDERS) {
      await sql`delete from ${sql.table(table)} where org_id = ${org_id}`.execute(
        harness().stores.db,
      )
    }
    // In another order than that of their times.
    const shuffled = orders.toSorted((a, b) =>
      String(a['external_order_id']).localeCompare(String(b['external_order_id'])),
    )
    const file = fileOf('history.ndjson', linesOf(shuffled))
    const counts = await vigilJson<Counts>('import', 'orders', file, '--org', org_id)
    expect(counts).toEqual({ added: 300, known: 0, refused: 0, refused_file: null })
    expect(await scoresOf(org_id)).toEqual(scores)
    expect(await statesOf(org_id)).toEqual(states)
  })

  it('continues where it was interrupted, and costs and sends nothing', async () => {
    const { org_id } = await harness().createTenant()
    const orders = history(200)
    const part = fileOf('part.ndjson', linesOf(orders.slice(0, 120)))
    const whole = fileOf('whole.ndjson', linesOf(orders))
    const run = async (file: string) =>
      await vigilJson<Counts>('import', 'orders', file, '--org', org_id)
    expect(await run(part)).toMatchObject({ added: 120, known: 0 })
    expect(await run(whole)).toMatchObject({ added: 80, known: 120 })
    expect(await run(whole)).toMatchObject({ added: 0, known: 200, refused: 0 })
    const compared = await compareWithFold(harness().stores, org_id)
    expect(compared).toMatchObject({ orders: 200, wrong_seqs: [], wrong_scores: [] })
    expect(compared.wrong_states).toEqual([])
    const rows = await countRows(harness().stores.db, org_id)
    expect(rows).toMatchObject({ orders: 200, usage_events: 0, events: 0, reviews: 0 })
  })

  it('writes every line that it refuses into a file, with the reason', async () => {
    const { org_id } = await harness().createTenant()
    const ordered_at = '2026-02-01T12:00:00Z'
    const valid = { external_order_id: 'a', amount_cents: 100, ordered_at }
    const lines = [
      JSON.stringify(valid),
      '{"external_order_id":',
      JSON.stringify({ ...valid, external_order_id: 'b', amount_cents: '1' }),
      JSON.stringify({ external_order_id: 'c', amount_cents: 100 }),
      JSON.stringify({ ...valid, external_order_id: 'd', ordered_at: '2100-01-01T00:00:00Z' }),
      JSON.stringify({ ...valid, amount_cents: 200, ordered_at: '2026-02-02T12:00:00Z' }),
      JSON.stringify({ ...valid, external_order_id: 'nul\0' }),
      JSON.stringify({ ...valid, external_order_id: 'text\\u0000' }),
    ]
    const file = fileOf('faults.ndjson', `${lines.join('\n')}\n`)
    const counts = await vigilJson<Counts>('import', 'orders', file, '--org', org_id)
    expect(counts).toMatchObject({ added: 2, known: 0, refused: 6 })
    expect(counts.refused_file).toBe(join(folder, 'faults.refused.ndjson'))
    expect(refusalsOf(counts)).toMatchObject([
      { line: 2, field: 'line', message: 'The line is not JSON' },
      { line: 3, field: 'amount_cents', message: 'amount_cents must be integer' },
      { line: 4, field: 'ordered_at', message: 'ordered_at is required' },
      { line: 5, field: 'ordered_at', message: 'ordered_at must not be in the future' },
      { line: 7, field: 'line', message: 'The line contains characters that cannot be stored' },
      { line: 6, field: 'external_order_id', record: { amount_cents: 200 } },
    ])
  })

  it('reads a CSV file through a mapping', async () => {
    const { org_id } = await harness().createTenant()
    const mapping = fileOf(
      'mapping.json',
      JSON.stringify({
        separator: ';',
        members: {
          external_order_id: 'No',
          amount_cents: { column: 'Total', decimals: 2 },
          currency: { value: 'EUR' },
          payment_method: { column: 'Paid with', values: { CC: 'card', Cash: 'cash' } },
          ordered_at: { column: 'Date', time_zone: 'Europe/Berlin' },
          location_city: 'City',
        },
      }),
    )
    const file = fileOf(
      'shop.csv',
      [
        '\uFEFFNo;Total;Paid with;Date;City;Unused',
        '1;49,90;CC;2026-02-01 12:30;"Bad ""Ems"";\nLahn";x',
        '2;-7.5;Cash;2025-07-01T00:30:15;;x',
        '3;1.234,56;CC;2026-02-01 12:30;;x',
        '',
      ].join('\r\n'),
    )
    const options = ['--org', org_id, '--mapping', mapping, '--mode', 'test']
    const counts = await vigilJson<Counts>('import', 'orders', file, ...options)
    expect(counts).toMatchObject({ added: 2, refused: 1 })
    expect(refusalsOf(counts)).toMatchObject([{ line: 5, field: 'amount_cents' }])
    const rows = await harness()
      .stores.db.selectFrom('orders')
      .select(['request', 'mode', 'ordered_at'])
      .where('org_id', '=', org_id)
      .orderBy('external_order_id')
      .execute()
    expect(rows).toMatchObject([
      {
        mode: 'test',
        request: {
          amount_cents: 4990,
          currency: 'EUR',
          payment_method: 'card',
          location_city: 'Bad "Ems";\nLahn',
        },
        ordered_at: new Date('2026-02-01T11:30:00Z'),
      },
      { request: { amount_cents: -750 }, ordered_at: new Date('2025-06-30T22:30:15Z') },
    ])
  })

  it('fails with a message for what it cannot read', async () => {
    const { org_id } = await harness().createTenant()
    const failed = async (...args: string[]) =>
      (await vigil('import', 'orders', ...args, '--org', org_id)).stderr
    expect(await failed('none.csv')).toContain('Cannot read none.csv')
    expect(await failed(fileOf('empty.ndjson', ''))).toContain('The file has no records')
    const csv = fileOf('columns.csv', 'a,b\n1,2\n')
    const mapping = (members: object) => fileOf('m.json', JSON.stringify({ members }))
    const missing = mapping({ external_order_id: 'Order' })
    expect(await failed(csv, '--mapping', missing)).toContain(
      'The file has no column Order. It has a, b',
    )
    const zone = mapping({ ordered_at: { column: 'a', time_zone: 'Mars' } })
    expect(await failed(csv, '--mapping', zone)).toContain('The time zone Mars is unknown')
    const wrong = mapping({ ordered_at: { decimals: 2 } })
    expect(await failed(csv, '--mapping', wrong)).toContain('members.ordered_at')
    expect(existsSync(join(folder, 'columns.refused.ndjson'))).toBe(false)
  })
})

describe('vigil import profiles', () => {
  it('adds each line once and leaves the same states when it is repeated', async () => {
    const { org_id } = await harness().createTenant()
    const of = (external_id: string, seen_at: string, more: object = {}) => ({
      external_id,
      seen_at,
      ...more,
    })
    const lines = [
      of('ann', '2026-01-01T12:00:00Z', { fingerprint_hash: 'one', country_code: 'de' }),
      of('ann', '2026-01-02T12:00:00Z', { latitude: 52.5, longitude: 13.4 }),
      of('bob', '2026-01-03T12:00:00Z', { profile_type: 'employee' }),
      of('eve', '2026-01-03T12:00:00Z', { profile_type: 'robot' }),
    ]
    const file = fileOf('profiles.ndjson', linesOf(lines))
    const run = async () => await vigilJson<Counts>('import', 'profiles', file, '--org', org_id)
    expect(await run()).toMatchObject({ added: 3, known: 0, refused: 1 })
    const states = await statesOf(org_id)
    expect(Object.keys(states)).toHaveLength(3)
    expect(await run()).toMatchObject({ added: 0, known: 3, refused: 1 })
    expect(await statesOf(org_id)).toEqual(states)
    const { rows } = await sql<{ external_id: string; created_at: Date }>`
      select external_id, created_at from profiles where org_id = ${org_id}
      order by external_id`.execute(harness().stores.db)
    expect(rows).toEqual([
      { external_id: 'ann', created_at: new Date('2026-01-01T12:00:00Z') },
      { external_id: 'bob', created_at: new Date('2026-01-03T12:00:00Z') },
    ])
    expect(await countRows(harness().stores.db, org_id)).toMatchObject({ events: 0 })
  })
})

describe('vigil import cashier-actions', () => {
  it('scores past actions once, without events and reviews', async () => {
    const { org_id } = await harness().createTenant()
    const actions = Array.from({ length: 60 }, (_, n) => ({
      cashier_external_id: n % 3 === 0 ? 'cashier-1' : `cashier-${n % 7}`,
      action_type: n % 3 === 0 ? 'drawer_open' : 'void',
      edge_device_id: `till-${n % 4}`,
      amount_cents: 1000 + n,
      performed_at: new Date(START.getTime() - (100 - n) * 60_000).toISOString(),
    }))
    const [{ action_type: _type, ...incomplete }] = actions as [(typeof actions)[number]]
    const file = fileOf('actions.ndjson', linesOf([...actions, incomplete]))
    const run = async () =>
      await vigilJson<Counts>('import', 'cashier-actions', file, '--org', org_id)
    expect(await run()).toMatchObject({ added: 60, known: 0, refused: 1 })
    const states = await statesOf(org_id)
    expect(await run()).toMatchObject({ added: 0, known: 60, refused: 1 })
    expect(await statesOf(org_id)).toEqual(states)
    const rows = await countRows(harness().stores.db, org_id)
    expect(rows).toMatchObject({ cashier_actions: 60, events: 0, reviews: 0, usage_events: 0 })
  })
})

describe('vigil import outcomes', () => {
  it('teaches what late decisions teach, and changes nothing when it is repeated', async () => {
    const { org_id } = await harness().createTenant()
    const orders = fileOf('orders.ndjson', linesOf(history(80)))
    await vigilJson('import', 'orders', orders, '--org', org_id)
    const csv = [
      'external_order_id,kind,reason_code,date,note',
      'past-10,chargeback,10.4,2026-02-28,Visa',
      'past-11,legitimate,,2026-02-28T12:00:00Z,',
      'past-12,chargeback,13.1,2026-02-28,',
      'past-13,chargeback,,2026-02-28,',
      'past-11,fraud,,2026-03-01T11:00:00Z,',
      'past-unknown,fraud,,2026-02-28,',
      'past-14,fraud,,yesterday,',
    ]
    const file = fileOf('outcomes.csv', csv.join('\n'))
    const run = async () => await vigilJson<Counts>('import', 'outcomes', file, '--org', org_id)
    const counts = await run()
    expect(counts).toMatchObject({ added: 3, known: 0, refused: 4 })
    expect(refusalsOf(counts)).toMatchObject([
      { line: 8, field: 'date' },
      { line: 4, field: 'reason_code' },
      { line: 5, message: 'reason_code is required for a chargeback' },
      { line: 7, message: 'No order has the external_order_id past-unknown' },
    ])
    const compared = await compareWithFold(harness().stores, org_id)
    expect(compared).toMatchObject({ decisions: 3, wrong_scores: [], wrong_states: [] })
    const states = await statesOf(org_id)
    // The outdated line about an order that was decided later is refused now.
    expect(await run()).toMatchObject({ added: 0, known: 2, refused: 5 })
    expect(await statesOf(org_id)).toEqual(states)
    const { rows } = await sql`
      select external_id, decision, note, decided_by, decided_at from reviews
      where org_id = ${org_id} order by external_id`.execute(harness().stores.db)
    expect(rows).toMatchObject([
      { external_id: 'past-10', decision: 'confirmed_fraud', note: 'Chargeback 10.4: Visa' },
      { external_id: 'past-11', decision: 'confirmed_fraud', decided_by: 'cli' },
    ])
    expect(await countRows(harness().stores.db, org_id)).toMatchObject({ events: 0 })
  })
})
