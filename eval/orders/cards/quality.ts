/**
 * Measures how well scores rank the frauds of one test week: overall, by scenario, and without scenario
 * 2.
 */
import {
  type AtThreshold,
  atThreshold,
  aucRoc,
  averagePrecision,
  cardPrecision,
} from '../metrics.ts'
import { dayOf } from './frauds.ts'
import { testRows } from './protocol.ts'
import type { CardScores } from './replay.ts'
import type { CardWorld } from './world.ts'

export type Ranking = 'probability' | 'risk_score'

export type RankQuality = { auc_roc: number; average_precision: number; card_precision: number }

export type WeekQuality = {
  orders: number
  frauds: number
  /** Against all frauds of the week. */
  overall: RankQuality
  scenario_1: RankQuality
  scenario_2: RankQuality
  scenario_3: RankQuality
  /** Scenarios 1 and 3; transactions of scenario 2 are left out. */
  without_2: RankQuality
  /** The product's own threshold for review, which does not depend on the ranking. */
  at_50: AtThreshold
}

/** @param options `k` is the number of cards that are inspected each day: 100 of 5,000 as published */
export function weekQuality(
  world: CardWorld,
  scores: CardScores,
  { start, k, ranking }: { start: string; k: number; ranking: Ranking },
): WeekQuality {
  const judged = testRows(world, start).map((row) => ({
    score: scores[ranking][row] ?? 0,
    risk_score: scores.risk_score[row] ?? 0,
    scenario: world.scenario[row] ?? 0,
    is_fraud: (world.scenario[row] ?? 0) > 0,
    card: world.customer[row] ?? 0,
    day: dayOf(world, row),
  }))
  const against = (...scenarios: number[]): RankQuality => {
    const some = judged.filter(({ scenario }) => scenario === 0 || scenarios.includes(scenario))
    return {
      auc_roc: aucRoc(some),
      average_precision: averagePrecision(some),
      card_precision: cardPrecision(some, k),
    }
  }
  const at_50 = atThreshold(
    judged.map(({ risk_score, is_fraud }) => ({ score: risk_score, is_fraud })),
    50,
  )
  return {
    orders: judged.length,
    frauds: judged.filter(({ is_fraud }) => is_fraud).length,
    overall: against(1, 2, 3),
    scenario_1: against(1),
    scenario_2: against(2),
    scenario_3: against(3),
    without_2: against(1, 3),
    at_50,
  }
}
