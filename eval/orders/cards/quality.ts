/** How well scores rank the frauds of one test week: overall, by scenario, and without scenario 2. */
import {
  type AtThreshold,
  atThreshold,
  aucRoc,
  averagePrecision,
  cardPrecision,
  mean,
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
  /** The product's own threshold for review, whatever the ranking. */
  at_50: AtThreshold
}

/** @param k how many cards are looked at each day: 100 of 5,000 as published */
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

/** Mean of every number, over weeks or seeds. */
export function meanQuality(weeks: readonly WeekQuality[]): WeekQuality {
  const over = (read: (week: WeekQuality) => number) => mean(weeks.map(read))
  const rank = (read: (week: WeekQuality) => RankQuality): RankQuality => ({
    auc_roc: over((week) => read(week).auc_roc),
    average_precision: over((week) => read(week).average_precision),
    card_precision: over((week) => read(week).card_precision),
  })
  return {
    orders: over(({ orders }) => orders),
    frauds: over(({ frauds }) => frauds),
    overall: rank(({ overall }) => overall),
    scenario_1: rank(({ scenario_1 }) => scenario_1),
    scenario_2: rank(({ scenario_2 }) => scenario_2),
    scenario_3: rank(({ scenario_3 }) => scenario_3),
    without_2: rank(({ without_2 }) => without_2),
    at_50: {
      precision: over(({ at_50 }) => at_50.precision),
      recall: over(({ at_50 }) => at_50.recall),
      alert_rate: over(({ at_50 }) => at_50.alert_rate),
    },
  }
}
