import { describe, expect, it } from 'vitest'
import { explainOrder, isOfNewOrganization, reasonOf } from './explanation.ts'
import type { OrderRisk } from './schema.ts'
import { DEFAULT_ORDER_PARAMETERS } from './scoring/parameters.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import { ORDER_SIGNALS, type OrderSignal } from './scoring/signals.ts'

type Measurements = ScoredOrder['measurements']

const request = { external_order_id: 'o-1', amount_cents: 5000 }

function scored(given: Partial<Measurements>) {
  const quiet = { score: 0, finding: null, numbers: {} }
  const measurements = Object.fromEntries(
    ORDER_SIGNALS.map((signal) => [signal, given[signal] ?? quiet]),
  ) as Measurements
  const strengths = ORDER_SIGNALS.map((signal) => [signal, measurements[signal].score])
  const signals = Object.fromEntries(strengths) as Record<OrderSignal, number>
  const risk: OrderRisk = {
    risk_score: 71,
    risk_level: 'critical',
    signals,
    flags: [],
    flagged_for_review: true,
  }
  return { request, measurements, risk }
}

const TRAVEL = {
  score: 90,
  finding: 'impossible_travel',
  numbers: { distance_km: 8918, hours: 0.5, speed_kmh: 17_686 },
}
const HOUR = { score: 20, finding: 'unusual_hour', numbers: { local_hour: 3, hour_share: 0.02 } }

describe('the explanation of an order', () => {
  it('has all six signals with weight and share, largest share first', () => {
    const order = scored({ time_anomaly: HOUR, location_anomaly: TRAVEL })
    const explained = explainOrder(order, DEFAULT_ORDER_PARAMETERS)
    expect(explained.map(({ signal }) => signal).toSorted()).toEqual(ORDER_SIGNALS.toSorted())
    const [first, second, ...others] = explained
    expect(first).toEqual({
      signal: 'location_anomaly',
      strength: 90,
      weight: DEFAULT_ORDER_PARAMETERS.weights.location_anomaly,
      share: expect.any(Number) as number,
      points: expect.any(Number) as number,
      finding: 'impossible_travel',
      sentence: expect.stringContaining('8,918 km') as string,
      numbers: TRAVEL.numbers,
    })
    expect(second?.signal).toBe('time_anomaly')
    expect(first?.share).toBeGreaterThan(second?.share ?? 1)
    expect((first?.share ?? 0) + (second?.share ?? 0)).toBeCloseTo(1, 9)
    for (const { share, sentence } of others) expect([share, sentence]).toEqual([0, null])
  })

  it('puts the reason that matters most first', () => {
    const order = scored({ time_anomaly: HOUR, location_anomaly: TRAVEL })
    expect(reasonOf(order, DEFAULT_ORDER_PARAMETERS)).toMatch(/^8,918 km .* 17,686 km\/h/)
    expect(reasonOf(scored({}), DEFAULT_ORDER_PARAMETERS)).toBe('Score 71')
    const nameless = scored({ pattern: { score: 5, finding: null, numbers: {} } })
    expect(reasonOf(nameless, DEFAULT_ORDER_PARAMETERS)).toBe('Score 71')
  })

  it('treats an organization as new up to its last known-orders order', () => {
    const { known_orders } = DEFAULT_ORDER_PARAMETERS.history
    expect(
      [1, known_orders, known_orders + 1].map((seq) =>
        isOfNewOrganization({ seq }, DEFAULT_ORDER_PARAMETERS),
      ),
    ).toEqual([true, true, false])
  })
})
