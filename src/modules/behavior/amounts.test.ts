import { describe, expect, it } from 'vitest'
import {
  AMOUNTS_PARAMETERS,
  type AmountContext,
  type AmountsState,
  assessAmount,
  EMPTY_AMOUNTS,
  learnAmount,
  momentsOf,
} from './amounts.ts'
import { EMPTY_RARITY } from './rarity.ts'

/** The square root 70 stands for 4,900 cents. */
const prior = { mean: 70, variance: 600 }
const quiet: AmountContext = {
  who: 'settled',
  own: undefined,
  prior,
  rarity: EMPTY_RARITY,
  stranger_rarity: EMPTY_RARITY,
  shared_rarity: EMPTY_RARITY,
  unusual: 0,
  day_cents: 0,
  record_cents: undefined,
  at_ms: 0,
}
const stranger = { who: 'guest' } as const

const learned = (
  amounts: number[],
  currency = 'EUR',
  state: AmountsState = EMPTY_AMOUNTS,
  ordinary = prior,
) =>
  amounts.reduce(
    (before, amount_cents) =>
      learnAmount(before, { currency, amount_cents }, ordinary, { weight: 1 }),
    state,
  )
const around = (usual: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.round(usual * (0.5 + ((i * 7) % 11) / 10)))

const assess = (context: Partial<AmountContext>, amount_cents: number) =>
  assessAmount({ ...quiet, ...context }, amount_cents, AMOUNTS_PARAMETERS)

describe('an amount', () => {
  it('is compared with the own past once there is one', () => {
    const big = momentsOf(learned(around(50_000, 40)), 'EUR')
    const small = momentsOf(learned(around(1000, 40)), 'EUR')
    expect(assess({ own: big }, 60_000).score).toBeLessThan(5)
    expect(assess({ own: small }, 60_000).score).toBe(AMOUNTS_PARAMETERS.settled_score_max)
  })

  it('is compared with the usual amount of the organization before that', () => {
    expect(assess(stranger, 9000).score).toBeLessThan(10)
    expect(assess(stranger, 50_000).score).toBeGreaterThan(25)
    expect(assess(stranger, 5_000_000).score).toBe(AMOUNTS_PARAMETERS.stranger_score_max)
    expect(assess({ ...stranger, prior: undefined }, 500_000)).toMatchObject({
      score: 0,
      numbers: {},
    })
  })

  it('of a settled account counts more when it is rare among all of them', () => {
    const own = momentsOf(learned(around(5000, 40)), 'EUR')
    const common = { n: 2000, share: 0.2, excess: 5 }
    const uncommon = { n: 2000, share: 0.05, excess: 0.3 }
    const rare = assess({ own, shared_rarity: uncommon }, 15_000)
    const usual = assess({ own, shared_rarity: common }, 15_000)
    expect(rare.strength).toBeGreaterThan(usual.strength + 5)
    expect(assess({ own, shared_rarity: common }, 5000)).toEqual(assess({ own }, 5000))
  })

  it('of a stranger is no rarer than among settled accounts', () => {
    const shared_rarity = { n: 2000, share: 0.2, excess: 5 }
    expect(assess({ ...stranger, shared_rarity }, 50_000).score).toBeLessThan(10)
  })

  it('scores the same in yen as in cents', () => {
    const of = (usual: number, scale: number) =>
      learned(around(usual * scale, 40), 'EUR', EMPTY_AMOUNTS, {
        mean: 70 * Math.sqrt(scale),
        variance: 600 * scale,
      })
    const [yen, dinar] = [of(5000, 1), of(5000, 1000)].map((state) => momentsOf(state, 'EUR'))
    const one = assess({ own: yen, prior: undefined }, 30_000)
    const other = assess({ own: dinar, prior: undefined }, 30_000_000)
    expect(other.z).toBeCloseTo(one.z ?? 0, 2)
  })

  it('that is large counts more after other large ones', () => {
    const own = momentsOf(learned(around(5000, 40)), 'EUR')
    const [before, after] = [assess({ own }, 14_000), assess({ own, unusual: 2 }, 14_000)]
    expect(after.strength).toBeGreaterThan(before.strength + 10)
    expect(after.numbers['unusual_lately']).toBe(2)
    expect(assess({ own, unusual: 2 }, 4000)).toMatchObject({ score: 0, finding: null })
  })

  it('that no settled account pays counts more, up to a medium score', () => {
    const often = { n: 2000, share: 0.16, excess: 0.5 }
    const rare = { n: 2000, share: 0.01, excess: 0.2 }
    const own = momentsOf(learned(around(7000, 40)), 'EUR')
    const scores = [often, rare].map((shared_rarity) => assess({ own, shared_rarity }, 16_000))
    const [among_others, alone] = scores.map(({ strength }) => strength)
    expect(alone).toBeGreaterThan((among_others ?? 0) + 10)
    expect(0.7 * (alone ?? 100)).toBeLessThan(50)
    expect(assess({ own, shared_rarity: rare }, 7000).score).toBe(0)
  })

  it('that is tiny counts a little, and nothing when it is free', () => {
    const own = momentsOf(learned(around(5000, 40)), 'EUR')
    expect(assess({ own }, 100)).toMatchObject({ score: 15, finding: 'unusually_small' })
    expect(assess({ own }, 0)).toMatchObject({ score: 0, finding: null })
  })

  it('never scores lower when it grows further above the usual', () => {
    const own = momentsOf(learned(around(5000, 40)), 'EUR')
    const scores = Array.from({ length: 60 }, (_, i) => assess({ own }, 5000 + i * 1000).strength)
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
  })
})

describe('learning of amounts', () => {
  it('clips outliers, so one hardly moves the usual amount', () => {
    const before = momentsOf(learned(around(5000, 60)), 'EUR')
    const after = momentsOf(learned([90_000_000], 'EUR', learned(around(5000, 60))), 'EUR')
    expect(after?.mean).toBeLessThan((before?.mean ?? 0) * 1.05)
    expect(assess({ own: after }, 40_000).score).toBeGreaterThanOrEqual(50)
  })

  it('follows a lasting change', () => {
    const own = momentsOf(learned(around(12_000, 200), 'EUR', learned(around(5000, 60))), 'EUR')
    expect(assess({ own }, 15_000).score).toBeLessThan(10)
  })

  it('keeps the four most recently used currencies', () => {
    let state = EMPTY_AMOUNTS
    for (const currency of ['EUR', 'USD', 'JPY', 'KWD', 'EUR', 'GBP']) {
      state = learned([5000], currency, state)
    }
    expect(state.map(({ currency }) => currency)).toEqual(['GBP', 'EUR', 'KWD', 'JPY'])
    expect(momentsOf(state, 'EUR')?.n).toBe(2)
  })

  it('skips free orders', () => {
    const state = learned([5000])
    expect(learnAmount(state, { currency: 'EUR', amount_cents: 0 }, prior, { weight: 1 })).toBe(
      state,
    )
  })
})
