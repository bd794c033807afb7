import { describe, expect, it } from 'vitest'
import { DEFAULT_ORDER_PARAMETERS } from '../../../src/modules/orders/scoring/parameters.ts'
import { orderFacts, type ShopOrder } from '../facts.ts'
import { evaluateShop, type ScoredShopOrder, shopQuality } from './evaluate.ts'
import { printMisses, printShop } from './report.ts'
import { QUICK_SHOP_SIZE } from './shop.ts'

const scored = (truth: ShopOrder['truth'], score: number): ScoredShopOrder =>
  ({
    truth,
    arrives_ms: 0,
    facts: orderFacts({ amount_cents: 100, ordered_at_ms: 0, local_hour: 12 }),
    probability: score / 100,
    risk: { risk_score: score },
    measurements: {},
  }) as ScoredShopOrder

const honest = (score: number) => scored({ is_fraud: false, kind: 'at_home' }, score)
const burst = (episode: number, score: number) =>
  scored({ is_fraud: true, scenario: 'velocity_burst', variant: 'own_device', episode }, score)

/** 1,000 honest orders, five of them at 60, the others at 20. */
const HONEST = [
  ...Array.from({ length: 5 }, () => honest(60)),
  ...Array.from({ length: 995 }, () => honest(20)),
]

describe('detection in the shop', () => {
  const quality = shopQuality(
    1,
    [...HONEST, burst(1, 10), burst(1, 90), burst(2, 30), burst(2, 55)],
    1,
  )

  it('takes the threshold that 0.5 % of the honest orders reach', () => {
    expect(quality.threshold).toBe(0.6)
    expect(quality.clean_orders).toBe(1_000)
  })

  it('counts an episode as found by any of its orders, and its orders each', () => {
    expect(quality.scenarios.velocity_burst.at_rate).toEqual({
      episodes: 1 / 2,
      orders: 1 / 4,
      orders_until_found: 2,
    })
    expect(quality.scenarios.velocity_burst.at_50).toMatchObject({ episodes: 1, orders: 1 / 2 })
  })

  it("counts honest orders at the product's own threshold, by kind", () => {
    expect(quality.clean_at_50).toBe(5 / 1_000)
    expect(quality.clean_at_70).toBe(0)
    expect(quality.clean_at_50_by_kind.at_home).toBe(5 / 1_000)
    expect(quality.clean_at_50_by_kind.business).toBeNaN()
  })

  it('shows what was missed', () => {
    const text = printMisses([...HONEST, burst(1, 10)], 0.6)
    expect(text).toContain('Missed velocity_burst: 1 episodes\n  1 orders; the highest: own_device')
    expect(text).toContain('False alarms: 5')
  })
})

describe('the evaluation of the shop', () => {
  const size = { ...QUICK_SHOP_SIZE, customers: 150, days: 60, episodes_per_scenario: 2 }
  const run = () =>
    evaluateShop({
      seeds: [1, 2],
      size,
      parameters: DEFAULT_ORDER_PARAMETERS,
      onProgress: () => {},
    })

  it('scores the same orders to the same numbers', () => {
    const timeless = (result: ReturnType<typeof run>) =>
      result.seeds.map((seed) => ({ ...seed, cost_us: 0 }))
    expect(timeless(run())).toEqual(timeless(run()))
  })

  it('prints every scenario', () => {
    expect(printShop(run()).match(/^ {2}\w+ +[01]\.\d{3} /gm)).toHaveLength(6)
  })
})
