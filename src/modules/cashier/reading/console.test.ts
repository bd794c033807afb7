import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, useHarness } from '../../../../test/harness.ts'
import { addStore } from '../../../../test/support/cashiers.ts'
import { settableClock } from '../../../../test/support/orders.ts'
import type {
  CashierActions,
  CashierPeers,
  CashierStores,
  CashierSummary,
  CashierTimeline,
  ExplainedCashierAction,
} from './schema.ts'

const NOW = new Date('2026-03-20T06:00:00.000Z')
const clock = settableClock(NOW)
const harness = useHarness({ clock, settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' } })
const HERE = 'location main street'
const PERIOD = { days: 12, until: NOW }
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Member = { org_id: string; token: string; key: string }
type Query = Record<string, string>

async function createMember(): Promise<Member> {
  const { org_id, keys } = await harness().createTenant('business')
  return { org_id, key: keys.live_secret, token: await harness().signIn(org_id, 'member') }
}

const get = async <Content>(
  { org_id, token }: Member,
  path: string,
  query: Query = {},
): Promise<Answer<Content & { field: string }>> =>
  await harness().call({
    method: 'GET',
    path: `/console/api/cashiers/${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
    token,
  })

/** One store for all tests that only read it. */
let member: Member
beforeAll(async () => {
  member = await createMember()
  await addStore(harness(), member.key, PERIOD)
})

const peers = async (query: Query = {}) =>
  await get<CashierPeers>(member, 'peers', { location: HERE, action_type: 'void', ...query })
const actions = async (query: Query = {}) =>
  (await get<CashierActions>(member, 'actions', query)).body.content
const thief = async () => {
  const { body } = await peers()
  return body.content.cashiers[0]?.cashier_id ?? ''
}

describe('the stores', () => {
  it('are the locations where actions were compared, with their flagged actions', async () => {
    const { status, body } = await get<CashierStores>(member, 'stores')
    expect(status).toBe(200)
    const [store, ...others] = body.content.stores.filter(({ location }) => location === HERE)
    expect(store).toMatchObject({ location: HERE, cashiers: 4 })
    expect(store?.flagged).toBeGreaterThan(0)
    expect(store?.highest_score).toBeGreaterThanOrEqual(50)
    expect(others).toEqual([])
    expect(body.content.period).toMatchObject({ until: NOW.toISOString(), is_complete: true })
  })

  it('leave out the other mode and actions before the period', async () => {
    const shown = async (query: Query) =>
      (await get<CashierStores>(member, 'stores', query)).body.content.stores
    expect(await shown({ mode: 'test' })).toEqual([])
    const all = (await shown({ days: '90' })).find(({ location }) => location === HERE)
    const week = (await shown({ days: '3' })).find(({ location }) => location === HERE)
    expect(all?.actions).toBeGreaterThan(week?.actions ?? 0)
    expect(week?.actions).toBeGreaterThan(0)
  })
})

describe('the comparison of peers', () => {
  it('lists the most conspicuous cashier first, with the numbers of the scoring', async () => {
    const { body } = await peers()
    const { cashiers, medians, currency, counted_with } = body.content
    expect([currency, counted_with]).toEqual(['EUR', []])
    expect(cashiers.map(({ cashier_external_id }) => cashier_external_id)).toEqual([
      'thief',
      'ann',
      'bob',
      'carl',
    ])
    const [first, honest] = cashiers
    // The first shift began while the location of its till was unknown.
    expect(first).toMatchObject({ count: 60, active_days: 12, shifts: 12, shift_hours: 99 })
    expect(first?.per_shift).toBe(5)
    expect(first?.flagged).toBeGreaterThan(0)
    expect(first?.score?.strength).toBeGreaterThanOrEqual(50)
    expect(first?.score?.sentence).toMatch(/voids/i)
    const week = first?.score?.comparisons.find(({ window }) => window === 'week')
    expect(week?.share).toBeGreaterThan(3 * (week?.peers_share ?? 1))
    expect(week?.peers).toBe(3)
    expect(honest?.score?.strength).toBe(0)
    expect(medians).toMatchObject({ count: 6, per_shift: 0.5 })
  })

  it('agrees with the last scored action', async () => {
    const { actions: all } = await actions({ cashier_id: await thief(), action_type: 'void' })
    const { body } = await get<ExplainedCashierAction>(member, `actions/${all[0]?.id}`)
    const scored = body.content.signals.find(({ signal }) => signal === 'excessive_voids')
    const now = (await peers()).body.content.cashiers[0]?.score
    expect(now?.finding).toBe(scored?.finding)
    expect(Math.abs((now?.strength ?? 0) - (scored?.strength ?? 99))).toBeLessThan(15)
  })

  it('counts levels, amounts and days of the requested action type', async () => {
    const { cashiers } = (await peers()).body.content
    const [first] = cashiers
    const { low = 0, medium = 0, high = 0, critical = 0 } = first?.levels ?? {}
    expect(low + medium + high + critical).toBe(60)
    expect(high + critical).toBeGreaterThanOrEqual(1)
    expect(first).toMatchObject({
      amount_sum_cents: 12 * (5 * 1990 + 10),
      amount_median_cents: 1992,
      amount_largest_cents: 1994,
    })
    const starts = (await peers({ action_type: 'shift_start' })).body.content
    expect(starts.cashiers.map(({ count, score }) => [count, score])).toEqual(
      Array.from({ length: 4 }, () => [11, null]),
    )
    const refunds = (await peers({ action_type: 'refund' })).body.content
    expect(refunds.cashiers[0]).toMatchObject({ count: 0, highest_score: null })
  })

  it('names the types that the scoring counts together', async () => {
    const { body } = await peers({ action_type: 'no_sale' })
    expect(body.content.counted_with).toEqual(['drawer_open'])
  })
})

describe('the actions', () => {
  it('are paged, newest first, without gaps or repetitions', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: CashierActions = await actions({
        action_type: 'void',
        limit: '7',
        ...(cursor !== '' && { cursor }),
      })
      seen.push(...page.actions.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen).toHaveLength(60 + 3 * 6)
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
  })

  it('are filtered by cashier, place, score, flag, order and time', async () => {
    const cashier_id = await thief()
    const of = async (query: Query) => (await actions({ limit: '200', ...query })).actions
    const own = await of({ cashier_id })
    expect(new Set(own.map(({ cashier_external_id }) => cashier_external_id))).toEqual(
      new Set(['thief']),
    )
    const flagged = await of({ is_flagged: 'true' })
    expect(flagged.length).toBeGreaterThan(0)
    expect(flagged.every(({ flags }) => flags.includes('excessive_voids'))).toBe(true)
    expect((await of({ score_min: '50' })).every(({ risk_score }) => risk_score >= 50)).toBe(true)
    expect(await of({ location: 'location elsewhere' })).toEqual([])
    expect(await of({ order_external_id: 'thief-3-1' })).toMatchObject([
      { action_type: 'void', amount_cents: 1991, edge_device_id: 'pos-3', location: HERE },
    ])
    const day = { start_date: '2026-03-19T00:00:00Z', end_date: '2026-03-19' }
    expect(await of({ ...day, action_type: 'void' })).toHaveLength(8)
  })

  it('are explained with their order and decisions', async () => {
    const [flagged] = (await actions({ is_flagged: 'true' })).actions
    const path = `actions/${flagged?.id}`
    const { body } = await get<ExplainedCashierAction>(member, path)
    const { action, signals, order, review_id, decisions } = body.content
    expect(action).toMatchObject({ ...flagged, mode: 'live', reason: 'Wrong item' })
    expect(signals).toHaveLength(7)
    expect(signals[0]).toMatchObject({ signal: 'excessive_voids', share: 1 })
    expect(signals[0]?.sentence).toMatch(/^Voids: \d+(\.\d+)?% of about \d+ transactions/)
    expect(order?.external_order_id).toBe(flagged?.order_external_id)
    expect(order?.matched).toMatchObject({ cashier: 'same', currency: 'EUR' })
    expect(order?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(decisions).toEqual([])
    const decided = await harness().call({
      method: 'POST',
      path: `/console/api/reviews/${review_id}/decision`,
      token: member.token,
      body: { org_id: member.org_id, decision: 'confirmed_fraud', note: 'Seen on camera' },
    })
    expect(decided.status).toBe(200)
    const after = (await get<ExplainedCashierAction>(member, path)).body.content
    expect(after.decisions).toMatchObject([{ decision: 'confirmed_fraud', note: 'Seen on camera' }])
    expect(after.people[after.decisions[0]?.decided_by ?? '']).toMatch(/@/)
  })
})

describe('one cashier', () => {
  it('is summed up by the quarters of an hour with actions', async () => {
    const path = await thief()
    const { body } = await get<CashierSummary>(member, path)
    expect(body.content).toMatchObject({
      cashier_external_id: 'thief',
      location: HERE,
      actions: 12 * 7,
      is_complete: true,
    })
    expect(body.content.quarters[0]).toMatchObject({ at: '2026-03-08T08:00:00.000Z', actions: 2 })
  })

  it('has a timeline with its shift, even if that began on the day before', async () => {
    const path = `${await thief()}/timeline`
    const whole = { start_date: '2026-03-19T00:00:00Z', end_date: '2026-03-20T00:00:00Z' }
    const day = (await get<CashierTimeline>(member, path, whole)).body.content
    const shift = {
      started_at: '2026-03-19T08:00:00.000Z',
      ended_at: '2026-03-19T17:00:00.000Z',
      how: 'ended',
    }
    expect(day.shifts).toEqual([shift])
    expect(day.actions.map(({ action_type }) => action_type)).toEqual([
      'shift_start',
      ...Array.from({ length: 5 }, () => 'void'),
      'shift_end',
    ])
    const later = { ...whole, start_date: '2026-03-19T12:00:00Z' }
    const evening = (await get<CashierTimeline>(member, path, later)).body.content
    expect(evening.shifts).toEqual([shift])
    expect(evening.actions.at(-1)?.action_type).toBe('shift_end')
  })
})

describe('a shift over midnight', () => {
  it('ends on the day after, and is open on neither day', async () => {
    const night = await createMember()
    const key = (await harness().services.keys.create(night.org_id, 'live_secret'))?.key ?? ''
    const act = async (action_type: string, performed_at: string) => {
      const { body } = await harness().call<{ action: { cashier_id: string } }>({
        method: 'POST',
        path: '/v1/cashier/actions',
        key,
        body: { cashier_external_id: 'owl', edge_device_id: 'pos-1', action_type, performed_at },
      })
      expect(body.message).toBeTruthy()
      expect(body.success).toBe(true)
    }
    await act('shift_start', '2026-03-17T22:00:00Z')
    await act('shift_end', '2026-03-18T06:00:00Z')
    // This shift has no end event.
    await act('shift_start', '2026-03-18T12:00:00Z')
    // This shift has no start event.
    await act('shift_end', '2026-03-20T02:00:00Z')
    const [action] = (await get<CashierActions>(night, 'actions')).body.content.actions
    const shiftsOf = async (day: number) => {
      const dates = {
        start_date: `2026-03-${day}T00:00:00Z`,
        end_date: `2026-03-${day}T23:59:59.999Z`,
      }
      const path = `${action?.cashier_id}/timeline`
      const { shifts, actions: done } = (await get<CashierTimeline>(night, path, dates)).body
        .content
      return [
        shifts.map(({ started_at, ended_at, how }) => [
          started_at?.slice(8, 13),
          ended_at?.slice(8, 13),
          how,
        ]),
        done.length,
      ]
    }
    const first = ['17T22', '18T06', 'ended']
    const second = ['18T12', '19T04', 'expired']
    expect(await shiftsOf(17)).toEqual([[first], 1])
    expect(await shiftsOf(18)).toEqual([[first, second], 2])
    expect(await shiftsOf(19)).toEqual([[second], 0])
  })
})

describe('a request', () => {
  it.each(['stores', 'peers', 'actions', NO_ONE, `${NO_ONE}/timeline`, `actions/${NO_ONE}`])(
    'of a user who is not a member is refused: %s',
    async (path) => {
      const stranger = await createMember()
      const query: Query = {
        org_id: member.org_id,
        ...(path === 'peers' && { location: HERE, action_type: 'void' }),
        ...(path.endsWith('timeline') && { start_date: '2026-03-19', end_date: '2026-03-19' }),
      }
      expect((await get(stranger, path, query)).status).toBe(404)
      expect((await get({ ...stranger, token: 'x' }, path, query)).status).toBe(401)
    },
  )

  it('for records of another organization answers as if they did not exist', async () => {
    const stranger = await createMember()
    const id = await thief()
    const [action] = (await actions()).actions
    for (const path of [id, `actions/${action?.id}`, 'x', 'actions/x']) {
      expect((await get(stranger, path)).status).toBe(404)
    }
    expect(
      (await get<CashierActions>(stranger, 'actions', { cashier_id: id })).body.content,
    ).toEqual({ actions: [], next_cursor: null })
    const seen = await get<CashierPeers>(stranger, 'peers', { location: HERE, action_type: 'void' })
    expect(seen.body.content.cashiers).toEqual([])
  })

  it.each<[string, Query, string]>([
    ['stores', { days: '0' }, 'days'],
    ['stores', { days: '91' }, 'days'],
    ['peers', { action_type: 'void' }, 'location'],
    ['peers', { location: '\0', action_type: 'void' }, 'location'],
    ['peers', { location: HERE, action_type: 'sale' }, 'action_type'],
    ['actions', { cursor: 'x' }, 'cursor'],
    ['actions', { cashier_id: 'x' }, 'cashier_id'],
    ['actions', { score_min: '101' }, 'score_min'],
    ['actions', { start_date: 'x' }, 'start_date'],
    ['actions', { order_external_id: 'a\0' }, 'order_external_id'],
    [`${NO_ONE}/timeline`, { start_date: '2026-03-01', end_date: '2026-03-08' }, 'end_date'],
    [`${NO_ONE}/timeline`, { start_date: '2026-03-01' }, 'end_date'],
  ])('with invalid input is a 400 that names the field: %s %j', async (path, query, field) => {
    const { status, body } = await get(member, path, query)
    expect([status, body.content.field]).toEqual([400, field])
  })
})
