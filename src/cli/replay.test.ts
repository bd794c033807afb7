import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { countRows } from '../../test/support/books.ts'
import { useCommands } from '../../test/support/commands.ts'
import {
  type Body,
  newOrder,
  pastOrders,
  settableClock,
  useOrders,
} from '../../test/support/orders.ts'
import { DAY_MS, MINUTE_MS } from '../platform/time-units.ts'

const START = new Date('2026-03-02T12:00:00Z')
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

const clock = settableClock(START)
const harness = useHarness({ clock })
const { bulk, order } = useOrders(harness)
const { vigil, vigilJson } = useCommands()

const folder = mkdtempSync(join(tmpdir(), 'vigil-rules-'))
afterAll(() => rmSync(folder, { recursive: true }))

function rulesFile(name: string, content: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

type Shop = { org_id: string; key: string; travellers: string[]; bursting: string[] }

/** 600 ordinary orders, then three impossible journeys and a burst, each on a day of its own. */
async function openShop(mode: 'live' | 'test' = 'live'): Promise<Shop> {
  const { keys, org_id } = await harness().createTenant()
  const key = keys[`${mode}_secret`]
  for (let n = 0; n < 6; n += 1) {
    const given = {
      external_id: `customer-${n}`,
      fingerprint_hash: `f-${n}`,
      ip_hash: `i-${n % 2}`,
    }
    await bulk(key, pastOrders(100, clock.now(), { ...given, payment_method: 'card', ...BERLIN }))
  }
  const send = async (given: Body): Promise<string> => {
    clock.advance(MINUTE_MS)
    const { body } = await order(key, newOrder(given))
    return body.content.risk.flagged_for_review ? body.content.order.id : ''
  }
  const travellers: string[] = []
  const bursting: string[] = []
  for (let n = 0; n < 3; n += 1) {
    clock.advance(DAY_MS)
    await send({ external_id: `customer-${n}`, ...BERLIN })
    travellers.push(await send({ external_id: `customer-${n}`, ...TOKYO }))
  }
  clock.advance(DAY_MS)
  for (let n = 0; n < 12; n += 1) bursting.push(await send({ external_id: 'burst' }))
  return { org_id, key, travellers, bursting: bursting.filter((id) => id !== '') }
}

const ALWAYS = ['--from', '2026-01-01', '--to', '2027-01-01']

describe('vigil replay', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop()
  })
  const replay = (...args: string[]) =>
    vigilJson<Replayed>('replay', ...ALWAYS, '--org', shop.org_id, ...args)

  it('with the current rules agrees with the stored score of every order', async () => {
    expect(shop.travellers).not.toContain('')
    expect(shop.bursting.length).toBeGreaterThan(0)
    const flagged = shop.travellers.length + shop.bursting.length
    const result = await replay()
    expect(result).toEqual({
      orders: 618,
      flagged_then: flagged,
      flagged_now: flagged,
      same_flag: 618,
      same_score: 618,
      newly_flagged: 0,
      no_longer_flagged: 0,
      newly_flagged_examples: [],
      no_longer_flagged_examples: [],
      decisions: {
        confirmed_fraud: 0,
        legitimate: 0,
        frauds_flagged_then: 0,
        frauds_flagged_now: 0,
        legitimate_flagged_then: 0,
        legitimate_flagged_now: 0,
        frauds_gained: 0,
        frauds_lost: 0,
        precision_then: null,
        recall_then: null,
        precision_now: null,
        recall_now: null,
      },
      amounts: [
        {
          currency: 'USD',
          flagged_then_cents: 4990 * flagged,
          flagged_now_cents: 4990 * flagged,
          frauds_flagged_then_cents: 0,
          frauds_flagged_now_cents: 0,
          legitimate_flagged_then_cents: 0,
          legitimate_flagged_now_cents: 0,
        },
      ],
      checks: null,
      cashier_actions: null,
      flag_rate_then: Math.round((10_000 * flagged) / 618) / 10_000,
      flag_rate_now: Math.round((10_000 * flagged) / 618) / 10_000,
      same_flag_rate: 1,
      same_score_rate: 1,
    })
  })

  it('compares only orders of the period, with the history before it', async () => {
    const from = ['--from', new Date(START.getTime() + DAY_MS).toISOString()]
    const to = ['--to', new Date(START.getTime() + 3.5 * DAY_MS).toISOString()]
    const result = await vigilJson<Replayed>('replay', ...from, ...to, '--org', shop.org_id)
    expect(result).toMatchObject({ orders: 6, flagged_then: 3, same_score: 6 })
    const never = ['--from', '2020-01-01', '--to', '2021-01-01', '--org', shop.org_id]
    expect(await vigilJson('replay', ...never)).toMatchObject({ orders: 0, flag_rate_now: null })
    expect((await vigil('replay', ...never)).stdout).toBe('No orders in this period\n')
  })

  it('with a draft reports what would change, with examples and their reasons', async () => {
    const milder = rulesFile('milder.json', { weights: { location_anomaly: 0.3 } })
    const result = await replay('--rules', milder)
    expect(result).toMatchObject({ orders: 618, newly_flagged: 0, no_longer_flagged: 3 })
    expect(result.same_flag).toBe(615)
    expect(result.no_longer_flagged_examples.map(({ order_id }) => order_id).toSorted()).toEqual(
      shop.travellers.toSorted(),
    )
    for (const example of result.no_longer_flagged_examples) {
      expect(example.score_then).toBeGreaterThanOrEqual(50)
      expect(example.score_now).toBeLessThan(50)
      expect(example.reason).toMatch(/^8,9\d\d km/)
    }
    const stricter = rulesFile('stricter.json', { velocity: { profile_per_day: 0.01 } })
    const more = await replay('--rules', stricter)
    expect(more.newly_flagged_examples.length).toBeLessThanOrEqual(5)
    expect(more.newly_flagged).toBe(more.flagged_now - more.flagged_then + more.no_longer_flagged)
  })

  it('reports rules that flag nearly everything', async () => {
    const rules = {
      amounts: { half_surprise: 0, steepness: 10 },
      weights: { amount_anomaly: 0.99 },
    }
    const result = await replay('--rules', rulesFile('absurd.json', rules))
    expect(result.newly_flagged).toBeGreaterThan(100)
    expect(result.newly_flagged_examples).toHaveLength(5)
    const changes = result.newly_flagged_examples.map((one) => one.score_now - one.score_then)
    expect(changes).toEqual(changes.toSorted((a, b) => b - a))
  })

  it('writes nothing but its result', async () => {
    const { db } = harness().stores
    const snapshot = async () => ({
      rows: { ...(await countRows(db, shop.org_id)), rules_replays: 'any' },
      states: await db
        .selectFrom('states')
        .select(['id', 'version'])
        .where('org_id', '=', shop.org_id)
        .orderBy('id')
        .execute(),
      funds: await harness().services.billing.funds(shop.org_id),
    })
    const before = await snapshot()
    await replay('--rules', rulesFile('other.json', { flag_scores: { velocity: 10 } }))
    expect(await snapshot()).toEqual(before)
  })

  it('prints the same result as text', async () => {
    const milder = rulesFile('lines.json', { weights: { location_anomaly: 0.3 } })
    const shopArgs = ['--org', shop.org_id, '--rules', milder]
    const { stdout, stderr, status } = await vigil('replay', ...ALWAYS, ...shopArgs)
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    const [compared, warmUp, ...rest] = stdout.split('\n')
    expect(warmUp).toContain('before --from, which teach what is usual')
    const lines = [compared, ...rest]
    expect(lines[0]).toBe('Orders compared    618')
    expect(lines[1]).toMatch(/^Flagged for review \d+ then \(\d\.\d+ %\), \d+ now \(\d\.?\d* %\)$/)
    expect(lines[2]).toBe('Same flag          99.51 %')
    expect(lines[4]).toBe('Newly flagged      0')
    expect(lines[5]).toBe('No longer flagged  3')
    expect(lines[6]).toMatch(
      /^ {2}[0-9a-f-]{36} {2}order-[0-9a-f-]{36} {2}\d\d → \d\d {2}[\d,]+ km from /,
    )
    expect(lines[9]).toMatch(/^Amount flagged {5}[\d.]+ then, [\d.]+ now \(USD\)$/)
    expect(lines[10]).toBe('Decisions          none')
  })
})

describe('vigil replay with decisions', () => {
  it('reports precision and recall then and now, and the number of frauds lost', async () => {
    const shop = await openShop()
    const { reviews } = harness().services
    const decide = async (id: string, decision: 'confirmed_fraud' | 'legitimate') => {
      clock.advance(MINUTE_MS)
      const scope = { org_id: shop.org_id, mode: 'live' } as const
      const decided = await reviews.decide(id, scope, { decision, by: 'test' })
      expect(decided).toMatchObject({ changed: true })
    }
    const [one = '', two = '', three = ''] = shop.travellers
    const [burst = ''] = shop.bursting
    await decide(one, 'legitimate')
    await decide(one, 'confirmed_fraud')
    await decide(two, 'confirmed_fraud')
    await decide(three, 'legitimate')
    await decide(burst, 'confirmed_fraud')
    clock.advance(DAY_MS)
    const { body } = await order(shop.key, newOrder({ external_id: 'customer-5', ...BERLIN }))
    await decide(body.content.order.id, 'confirmed_fraud')

    const replay = ['replay', ...ALWAYS, '--org', shop.org_id]
    const today = await vigilJson<Replayed>(...replay)
    expect(today).toMatchObject({ same_flag_rate: 1, same_score_rate: 1 })
    expect(today.decisions).toMatchObject({
      confirmed_fraud: 4,
      legitimate: 1,
      precision_then: 0.75,
      recall_then: 0.75,
      precision_now: 0.75,
      recall_now: 0.75,
      frauds_gained: 0,
      frauds_lost: 0,
    })
    const milder = rulesFile('decided.json', { weights: { location_anomaly: 0.3 } })
    const other = await vigilJson<Replayed>(...replay, '--rules', milder)
    expect(other.decisions).toMatchObject({
      confirmed_fraud: 4,
      legitimate: 1,
      precision_then: 0.75,
      recall_then: 0.75,
      precision_now: 1,
      recall_now: 0.25,
      frauds_gained: 0,
      frauds_lost: 2,
    })
    const { stdout } = await vigil(...replay, '--rules', milder)
    expect(stdout).toMatch(
      /\nDecisions {10}4 confirmed frauds, 1 legitimate\nPrecision {10}75 % then, 100 % now\nRecall {13}75 % then, 25 % now\nConfirmed frauds {3}0 gained, 2 lost\n$/,
    )
    // Decisions about orders outside the period do not count.
    const early = ['--from', '2026-01-01', '--to', '2026-01-02', '--org', shop.org_id]
    const none = await vigilJson<Replayed>('replay', ...early)
    expect(none.decisions).toMatchObject({ confirmed_fraud: 0, legitimate: 0 })
  })
})

describe('vigil replay by mode and organization', () => {
  it('covers live orders by default, and all organizations unless one is named', async () => {
    const { org_id } = await openShop('test')
    const orgArgs = ['replay', ...ALWAYS, '--org', org_id]
    expect(await vigilJson(...orgArgs)).toMatchObject({ orders: 0 })
    expect(await vigilJson(...orgArgs, '--mode', 'test')).toMatchObject({
      orders: 618,
      same_score: 618,
    })
    const all = await vigilJson<Replayed>('replay', ...ALWAYS, '--mode', 'test')
    expect(all.orders).toBeGreaterThanOrEqual(618)
  })
})

describe('vigil replay with invalid arguments', () => {
  it.each([
    [['--from', '2026-03-02', '--to', '2026-03-01'], '--from must be before --to'],
    [['--from', '2026-03-01', '--to', '2026-03-01T00:00:00Z'], '--from must be before --to'],
    [[...ALWAYS, '--org', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [[...ALWAYS, '--org', 'x'], 'Organization x does not exist'],
  ])('fails with one message: %j', async (args, error) => {
    expect(await vigil('replay', ...args)).toEqual({ status: 1, stdout: '', stderr: `${error}\n` })
    const { stdout } = await vigil('replay', ...args, '--json')
    expect(stdout).toBe(`${JSON.stringify({ error })}\n`)
  })

  it.each([
    ['missing.json', undefined, 'ENOENT'],
    ['no-json.json', '{', 'Expected property name'],
    ['a-list.json', '[]', 'must be an object'],
    ['section.json', '{"weight":{}}', 'Unknown rule "weight"'],
    ['name.json', '{"weights":{"velocty":1}}', 'Unknown rule "weights.velocty"'],
    ['value.json', '{"weights":{"velocity":"1"}}', '"weights.velocity" must be a number'],
    [
      'range.json',
      '{"flag_scores":{"velocity":101}}',
      '"flag_scores.velocity" must be at most 100',
    ],
  ])('names a draft that cannot be used, and its fault: %s', async (name, content, fault) => {
    const file = content === undefined ? join(folder, name) : rulesFile(name, content)
    const { status, stdout, stderr } = await vigil('replay', ...ALWAYS, '--rules', file)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr.startsWith(`Cannot use the rules ${file}: `)).toBe(true)
    expect(stderr).toContain(fault)
    expect(stderr).not.toMatch(/^ {4}at /m)
  })

  it.each([
    [['--to', '2026-03-01'], "required option '--from <time>' not specified"],
    [['--from', '2026-03-01'], "required option '--to <time>' not specified"],
    ...['yesterday', '2026-13-01', '2026-02-30', '2026-03-01T12:00', '1772359200', ''].map(
      (day): [string[], RegExp] => [['--from', day, '--to', '2026-03-01'], /must be a date \(2026/],
    ),
    [[...ALWAYS, '--mode', 'both'], /argument 'both' is invalid/],
  ] as [string[], string | RegExp][])('is a usage error: %j', async (args, error) => {
    const { status, stdout } = await vigil('replay', ...args, '--json')
    expect(status).toBe(1)
    expect((JSON.parse(stdout) as { error: string }).error).toMatch(error)
  })
})

type Example = { order_id: string; score_then: number; score_now: number; reason: string }

type Replayed = {
  orders: number
  flagged_then: number
  flagged_now: number
  same_flag: number
  newly_flagged: number
  no_longer_flagged: number
  newly_flagged_examples: Example[]
  no_longer_flagged_examples: Example[]
  decisions: Record<string, number | null>
}
