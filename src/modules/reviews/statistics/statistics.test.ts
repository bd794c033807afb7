import { describe, expect, it } from 'vitest'
import { type DecidedGroup, statisticsOf, weekOf } from './statistics.ts'

const MONDAY = new Date('2026-03-02T00:00:00.000Z')
const END = new Date('2026-03-16T00:00:00.000Z')

const group = (fields: Partial<DecidedGroup>): DecidedGroup => ({
  week: '2026-03-02',
  count: 1,
  subject: 'order',
  is_change: false,
  decision: 'confirmed_fraud',
  decided_by: 'ann',
  is_outcome: false,
  previous: null,
  previous_by: null,
  is_current: true,
  waited_ms: [3_600_000],
  is_flagged: true,
  flags: ['velocity_anomaly'],
  amount_cents: 1000,
  currency: 'EUR',
  rules: ['night'],
  shadow_rules: [],
  ...fields,
})

const computed = (...groups: DecidedGroup[]) => statisticsOf(groups, MONDAY, END)

describe('statistics about decisions', () => {
  it('begin a week on Monday in UTC, and list weeks without decisions', () => {
    expect(new Date(weekOf(Date.parse('2026-03-08T23:59:59.999Z')))).toEqual(MONDAY)
    expect(new Date(weekOf(MONDAY.getTime()))).toEqual(MONDAY)
    const { weeks } = computed(group({}))
    expect(weeks.map(({ week, decisions }) => [week, decisions])).toEqual([
      ['2026-03-02', 1],
      ['2026-03-09', 0],
    ])
  })

  it('count as saved what people found in time, by currency', () => {
    const { total } = computed(
      group({}),
      group({ currency: 'USD', amount_cents: 500 }),
      group({ decision: 'legitimate' }),
      group({ is_current: false }),
      group({ is_flagged: false }),
      group({ is_outcome: true }),
      group({ amount_cents: null }),
    )
    expect(total.saved).toEqual([
      { currency: 'EUR', amount_cents: 1000 },
      { currency: 'USD', amount_cents: 500 },
    ])
    expect(total).toMatchObject({ decisions: 6, frauds: 5, legitimate: 1, lost: [] })
  })

  it('count as lost what was reported later and missed before', () => {
    const lost = (...groups: DecidedGroup[]) => computed(...groups).total.lost
    const missed = group({ is_outcome: true, is_flagged: false })
    const overruled = group({
      is_outcome: true,
      is_change: true,
      previous: 'legitimate',
      previous_by: 'ann',
    })
    expect(lost(missed, overruled)).toEqual([{ currency: 'EUR', amount_cents: 2000 }])
    expect(lost(group({ is_outcome: true }), group({ is_flagged: false }))).toEqual([])
    expect(lost(group({ is_outcome: true, is_flagged: false, decision: 'legitimate' }))).toEqual([])
  })

  it('measure the time to the first decision of what was in the queue', () => {
    const after = (...minutes: number[]) =>
      group({ count: minutes.length, waited_ms: minutes.map((one) => 60_000 * one) })
    const { total } = computed(after(30, 10), after(20), group({ is_change: true, waited_ms: [] }))
    expect(total.decisions).toBe(4)
    expect([total.median_minutes, total.p90_minutes]).toEqual([20, 30])
    expect(computed().total).toMatchObject({ median_minutes: null, p90_minutes: null })
  })

  it('give the precision of signals and rules over current decisions', () => {
    const { signals, rules } = computed(
      group({}),
      group({ decision: 'legitimate', shadow_rules: ['young'] }),
      group({ flags: ['amount_anomaly', 'velocity_anomaly'], rules: [] }),
      group({ is_current: false }),
      group({ subject: 'cashier_action', flags: ['void_rate'], rules: [] }),
    )
    expect(signals).toEqual([
      { subject: 'order', name: 'velocity_anomaly', decided: 3, frauds: 2, precision: 0.667 },
      { subject: 'order', name: 'amount_anomaly', decided: 1, frauds: 1, precision: 1 },
      { subject: 'cashier_action', name: 'void_rate', decided: 1, frauds: 1, precision: 1 },
    ])
    expect(rules).toEqual([
      { name: 'night', decided: 2, frauds: 1, precision: 0.5, is_shadow: false },
      { name: 'young', decided: 1, frauds: 0, precision: 0, is_shadow: true },
    ])
  })

  it('list analysts with what others have changed, without outcomes', () => {
    const { analysts } = computed(
      group({ is_current: false }),
      group({
        decision: 'legitimate',
        decided_by: 'bob',
        is_change: true,
        previous: 'confirmed_fraud',
        previous_by: 'ann',
      }),
      group({ decided_by: 'cli', is_outcome: true }),
    )
    expect(analysts.map(({ by, decisions, overturned }) => [by, decisions, overturned])).toEqual([
      ['ann', 1, 1],
      ['bob', 1, 0],
    ])
  })
})
