import { describe, expect, it } from 'vitest'
import {
  coverage,
  EMPTY_LABELS,
  forgetLabel,
  type LabelsState,
  labelRisk,
  learnDecided,
  learnLabel,
  learnSeen,
  type Outcome,
} from './labels.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)

/** One order a day and, from the eighth, the decision about the one of a week before. */
function days(outcomes: (Outcome | undefined)[]): LabelsState {
  return outcomes.reduce<LabelsState>((state, outcome, day) => {
    const at = NOW + (day - outcomes.length) * DAY
    const seen = learnSeen(state, at)
    return outcome === undefined ? seen : learnLabel(seen, outcome, at)
  }, EMPTY_LABELS)
}
const of = (count: number, outcome?: Outcome) =>
  Array.from({ length: count }, (): Outcome | undefined => outcome)

describe('the risk of a key', () => {
  it('is 0 without a fraud', () => {
    expect(labelRisk(days(of(30, 'legitimate')), 1, NOW)).toBe(0)
    expect(labelRisk(EMPTY_LABELS, 0, NOW)).toBe(0)
  })

  it('exceeds one half when all orders of the last days were fraud, under any coverage', () => {
    const frauds = days([...of(20), ...of(8, 'confirmed_fraud')])
    expect(labelRisk(frauds, 1, NOW)).toBeGreaterThan(0.5)
    expect(labelRisk(frauds, 0, NOW)).toBeGreaterThan(0.4)
  })

  it('counts silent orders as legitimate when only frauds are decided', () => {
    const busy = Array.from({ length: 300 }).reduce<LabelsState>(
      (state, _, i) => learnSeen(state, NOW - i * 60_000),
      EMPTY_LABELS,
    )
    const one = learnLabel(busy, 'confirmed_fraud', NOW)
    expect(labelRisk(one, 0, NOW)).toBeLessThan(0.02)
    expect(labelRisk(one, 1, NOW)).toBeGreaterThan(0.3)
  })

  it('halves within days and disappears within weeks', () => {
    const state = days(of(8, 'confirmed_fraud'))
    const [today, soon, late] = [0, 4, 40].map((day) => labelRisk(state, 1, NOW + day * DAY))
    expect(soon).toBeLessThan((today ?? 0) * 0.6)
    expect(late).toBeLessThan(0.001)
  })

  it('falls with legitimate orders', () => {
    const bad = days(of(6, 'confirmed_fraud'))
    const better = days([...of(6, 'confirmed_fraud'), ...of(6, 'legitimate')])
    expect(labelRisk(better, 1, NOW)).toBeLessThan(labelRisk(bad, 1, NOW) / 2)
  })

  it('counts only the key’s own blame', () => {
    const whole = learnLabel(EMPTY_LABELS, 'confirmed_fraud', NOW)
    const part = learnLabel(EMPTY_LABELS, 'confirmed_fraud', NOW, 0.1)
    expect(labelRisk(part, 1, NOW)).toBeLessThan(labelRisk(whole, 1, NOW) / 5)
  })
})

it('taking back a decision removes its decayed weight', () => {
  const state = days(of(3, 'legitimate'))
  const later = learnDecided(learnDecided(state, 'confirmed_fraud', NOW), 'legitimate', NOW + DAY)
  const cleared = forgetLabel(later, 'confirmed_fraud', NOW)
  expect(cleared.fraud).toBeLessThan(0.001)
  expect(cleared.legitimate).toBe(later.legitimate)
})

it('coverage measures the share of decided orders', () => {
  expect(coverage(EMPTY_LABELS)).toBe(0)
  expect(coverage(days(of(30, 'legitimate')))).toBeCloseTo(1)
  expect(coverage(learnDecided(days(of(29)), 'confirmed_fraud', NOW))).toBeLessThan(0.5)
})
