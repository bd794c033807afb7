import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { openShop, START } from '../../../../test/support/scoring.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  limitsOf,
  type NumbersBySection,
  overridesOf,
  readOrderParameters,
  storedOrderParameters,
} from './parameters.ts'

it('an empty draft gives the defaults', () => {
  expect(readOrderParameters({})).toEqual(DEFAULT_ORDER_PARAMETERS)
})

it('a -0 becomes 0, as it does in the database', () => {
  const read = readOrderParameters({ weights: { pattern: -0 } })
  expect(Object.is(read.weights.pattern, 0)).toBe(true)
})

it('a draft contains only numbers that differ', () => {
  const read = readOrderParameters({ weights: { velocity: 0.5 }, history: { known_orders: 0 } })
  expect(read.weights).toEqual({ ...DEFAULT_ORDER_PARAMETERS.weights, velocity: 0.5 })
  expect(read.history.known_orders).toBe(0)
  expect(read.places).toEqual(DEFAULT_ORDER_PARAMETERS.places)
})

it.each([
  [null, 'The rules must be an object'],
  [[], 'The rules must be an object'],
  [{ weight: {} }, 'Unknown rule "weight"'],
  [{ constructor: {} }, 'Unknown rule "constructor"'],
  [{ weights: 3 }, '"weights" must be an object'],
  [{ weights: { speed: 1 } }, 'Unknown rule "weights.speed"'],
  [{ weights: { velocity: '1' } }, '"weights.velocity" must be a number of at least 0'],
  [{ weights: { velocity: -1 } }, '"weights.velocity" must be a number of at least 0'],
  [{ weights: { velocity: 1 } }, '"weights.velocity" must be at most 0.99'],
  [{ flag_scores: { velocity: 101 } }, '"flag_scores.velocity" must be at most 100'],
  [{ hours: { score_max: 1000 } }, '"hours.score_max" must be at most 100'],
  [{ velocity: { ip_people: 0 } }, '"velocity.ip_people" must be more than 0'],
])('%j is refused by name', (json, message) => {
  expect(() => readOrderParameters(json)).toThrow(message)
})

it.each([
  [{ velocity: { ip_people: 0.001 } }, '"velocity.ip_people" must be at least 0.01'],
  [{ places: { far_km: 1e7 } }, '"places.far_km" must be at most 1000000'],
  [{ places: { fast_kmh: 1000 } }, '"places.impossible_kmh" must be more than "places.fast_kmh"'],
  [{ places: { impossible_score: 0 } }, '"places.impossible_score" must be more than 0'],
])('%j, which could make a score NaN, is refused', (json, message) => {
  expect(() => readOrderParameters(json)).toThrow(message)
})

it('overrides are the numbers that differ from the defaults', () => {
  const overrides = { weights: { pattern: 0.5 }, places: { far_km: 1 } }
  expect(overridesOf(readOrderParameters(overrides))).toEqual(overrides)
  const same = { weights: { pattern: DEFAULT_ORDER_PARAMETERS.weights.pattern } }
  expect(overridesOf(readOrderParameters(same))).toEqual({})
})

it('stored rules of another program version apply as far as they are valid', () => {
  const stored = { weights: { pattern: 0.5, gone: 3 }, removed: { x: 1 }, places: { far_km: -1 } }
  const read = storedOrderParameters(stored)
  expect(read.weights).toEqual({ ...DEFAULT_ORDER_PARAMETERS.weights, pattern: 0.5 })
  expect(read.places).toEqual(DEFAULT_ORDER_PARAMETERS.places)
  expect(storedOrderParameters(null)).toEqual(DEFAULT_ORDER_PARAMETERS)
})

it('scores are integers from 0 to 100 under any allowed rules', () => {
  const sections = Object.entries(DEFAULT_ORDER_PARAMETERS as NumbersBySection)
  const drawn = fc.record(
    Object.fromEntries(
      sections.map(([section, values]) => [
        section,
        fc.record(
          Object.fromEntries(
            Object.keys(values).map((name) => {
              const { min, max } = limitsOf(section, name)
              return [
                name,
                fc.oneof(fc.constant(min), fc.constant(max), fc.double({ min, max, noNaN: true })),
              ]
            }),
          ),
          { requiredKeys: [] },
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(drawn, (json) => {
      const { places = {} } = json as Record<string, Record<string, number>>
      fc.pre((places['impossible_kmh'] ?? 1000) > (places['fast_kmh'] ?? 500))
      const shop = openShop(readOrderParameters(json))
      for (let n = 0; n < 40; n += 1) {
        const { risk } = shop.order(unusualOrder(n))
        const scores = [risk.risk_score, ...Object.values(risk.signals)]
        expect(scores.filter((one) => !(Number.isInteger(one) && one >= 0 && one <= 100))).toEqual(
          [],
        )
      }
    }),
    { numRuns: 60 },
  )
})

/** Journeys, devices, amounts and payments that trigger as many rules as possible. */
const unusualOrder = (n: number) => ({
  ordered_at_ms: START + n * (n % 5 === 0 ? DAY_MS : MINUTE_MS),
  amount_cents: n % 7 === 0 ? 1 : n % 6 === 0 ? 9_000_000 : 5000,
  latitude: n % 3 === 0 ? 52.5 : 35.7,
  longitude: n % 3 === 0 ? 13.4 : 139.7,
  country: n % 4 === 0 ? 'JP' : 'DE',
  fingerprint_hash: `device-${n % 9}`,
  ip_hash: `ip-${n % 3}`,
  edge_device_id: n % 2 === 0 ? 'till' : undefined,
  payment_method: n % 5 === 0 ? ('crypto' as const) : ('card' as const),
  order_type: n % 4 === 1 ? ('in_store' as const) : ('online' as const),
  items: [
    {
      quantity: n % 8 === 0 ? 5000 : 1,
      unit_price_cents: 100,
      total_price_cents: 100,
      discount_cents: 0,
      discount_type: undefined,
    },
  ],
  local_hour: n % 24,
  check_risk: n % 10 === 0 ? 90 : 0,
})
