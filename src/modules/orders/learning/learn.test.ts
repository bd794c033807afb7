import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../platform/random.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { recordOf } from '../../risk/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../scoring/parameters.ts'
import { ORDER_SIGNALS, type OrderSignal } from '../scoring/signals.ts'
import { learn } from './learn.ts'
import { weighted } from './sample.store.ts'
import { isFlagged, learnWeights, type Outcome } from './weights.ts'

const SHIPPED = DEFAULT_ORDER_PARAMETERS.weights

type Dated = Outcome & { at: Date }
type Rates = Partial<Record<OrderSignal, number>>

/** Orders in which each signal is found with a known probability, by fraud or not. */
function history({
  frauds = 300,
  legitimate = 6000,
  of_fraud,
  of_legitimate,
  weight = 1,
}: {
  frauds?: number
  legitimate?: number
  of_fraud: Rates
  of_legitimate: Rates
  weight?: number
}): Dated[] {
  const random = createRandom(5, 'outcomes')
  const signalsOf = (rates: Rates) =>
    recordOf(ORDER_SIGNALS, (signal) =>
      random.chance(rates[signal] ?? 0) ? random.integer(40, 95) : 0,
    )
  const order = (is_fraud: boolean, index: number, count: number): Dated => ({
    signals: signalsOf(is_fraud ? of_fraud : of_legitimate),
    is_fraud,
    weight: is_fraud ? 1 : weight,
    at: new Date((index / count) * 100 * DAY_MS),
  })
  return [
    ...Array.from({ length: frauds }, (_, i) => order(true, i, frauds)),
    ...Array.from({ length: legitimate }, (_, i) => order(false, i, legitimate)),
  ]
}

/** A shop of travelers: places say nothing, devices a lot. */
const TRAVELERS = {
  of_fraud: { device_anomaly: 0.7, location_anomaly: 0.2, amount_anomaly: 0.5 },
  of_legitimate: { device_anomaly: 0.01, location_anomaly: 0.2, amount_anomaly: 0.02 },
}

const weightsOf = (outcomes: readonly Outcome[]) => {
  const learned = learnWeights(outcomes, 160)
  if ('refused' in learned) throw new Error(learned.refused)
  return learned.weights
}

describe('learned weights', () => {
  it('lower a signal that says nothing here, and find more fraud in fewer reviews', () => {
    const outcomes = history(TRAVELERS)
    const weights = weightsOf(outcomes)
    expect(weights.location_anomaly).toBeLessThan(SHIPPED.location_anomaly - 0.2)
    const result = learn(outcomes, SHIPPED, 160)
    expect(result.outcome).toBe('better')
    const { active, learned } = result.trial ?? { active: undefined, learned: undefined }
    expect(learned?.frauds).toBeGreaterThanOrEqual(active?.frauds ?? 0)
    expect(learned?.legitimate).toBeLessThan((active?.legitimate ?? 0) / 2)
  })

  it('are about the shipped ones where these fit', () => {
    const rates = Object.fromEntries(ORDER_SIGNALS.map((signal) => [signal, 0.5]))
    const rare = Object.fromEntries(ORDER_SIGNALS.map((signal) => [signal, 0.02]))
    const weights = weightsOf(history({ of_fraud: rates, of_legitimate: rare }))
    for (const signal of ORDER_SIGNALS) {
      expect(Math.abs(weights[signal] - SHIPPED[signal])).toBeLessThan(0.25)
    }
  })

  it('are not learned from too few frauds, or from one class', () => {
    const few = history({ ...TRAVELERS, frauds: 159 })
    expect(learnWeights(few, 160)).toEqual({ refused: 'too_few' })
    expect(learn(few, SHIPPED, 160)).toMatchObject({
      outcome: 'too_few',
      weights: null,
      trial: null,
    })
    expect(learnWeights(history({ ...TRAVELERS, legitimate: 0 }), 160)).toEqual({
      refused: 'too_few',
    })
    expect(learnWeights([], 0)).toEqual({ refused: 'too_few' })
  })

  it('are not learned from decisions that contradict every signal', () => {
    const swapped = history({
      of_fraud: TRAVELERS.of_legitimate,
      of_legitimate: TRAVELERS.of_fraud,
    })
    expect(learn(swapped, SHIPPED, 160)).toMatchObject({ outcome: 'contradiction', weights: null })
  })

  it('stay within a factor of the shipped ones, also when labels separate perfectly', () => {
    const separable = history({
      of_fraud: { pattern: 1 },
      of_legitimate: { location_anomaly: 0.1, velocity: 0.1 },
    })
    const weights = weightsOf(separable)
    for (const signal of ORDER_SIGNALS) {
      const factor = Math.log1p(-weights[signal]) / Math.log1p(-SHIPPED[signal])
      expect(factor).toBeGreaterThan(1 / 3 / 1.26)
      expect(factor).toBeLessThan(2 * 1.26)
    }
    // A signal that never occurs is scaled like the others, and not judged.
    expect(weights.time_anomaly).toBeGreaterThan(0)
  })

  it('do not send more orders to review than the shipped ones', () => {
    const outcomes = history(TRAVELERS)
    const flagged = (weights: typeof SHIPPED) =>
      outcomes.filter((one) => isFlagged(weights, one)).length
    expect(flagged(weightsOf(outcomes))).toBeLessThanOrEqual(flagged(SHIPPED))
  })

  it('are about the same from a sample, up to ten million orders', () => {
    const all = weightsOf(history({ ...TRAVELERS, legitimate: 20_000 }))
    const sample = weightsOf(history({ ...TRAVELERS, legitimate: 4000, weight: 5 }))
    for (const signal of ['device_anomaly', 'location_anomaly', 'amount_anomaly'] as const) {
      expect(Math.abs(all[signal] - sample[signal])).toBeLessThan(0.1)
    }
    const huge = learn(history({ ...TRAVELERS, legitimate: 10_000, weight: 1000 }), SHIPPED, 160)
    expect(huge.legitimate).toBe(10_000_000)
    expect(huge.weights).not.toBeNull()
  })
})

describe('the sample', () => {
  it('stands for all orders, whichever hours were busy', () => {
    const rows = [
      { slice: 1, seq: 1 },
      { slice: 1, seq: 2 },
      { slice: 2, seq: 101 },
      { slice: 2, seq: 102 },
      { slice: 5, seq: 901 },
    ]
    const weights = weighted(rows).map(({ weight }) => weight)
    expect(weights).toEqual([50, 50, 400, 400, 1])
  })
})
