/** Replays all card transactions by time through a scorer, with decisions that arrive days later. */
import type { OrderSignal } from '../../../src/modules/orders/scoring/signals.ts'
import { DELAY_DAYS } from './protocol.ts'
import { type CardWorld, DAY_S } from './world.ts'

/**
 * The orders that are decided seven days later: none, every order (the published protocol), or only the
 * frauds, as a shop learns of them from chargebacks.
 */
export type Feedback = 'none' | 'every_order' | 'frauds_only'

type Signals = Readonly<Record<OrderSignal, number>>

export type CardScorer = {
  score: (row: number) => { probability: number; risk_score: number; signals?: Signals }
  decide: (row: number, isFraud: boolean) => void
}

export type CardScores = {
  /** By row, unrounded, 0 to 1 */
  probability: Float64Array
  /** By row, as in the response, 0 to 100 */
  risk_score: Uint8Array
  decisions: number
  /** CPU time per order, including decisions */
  cost_us: number
}

export function replayCards(
  world: CardWorld,
  scorer: CardScorer,
  { feedback, onProgress }: { feedback: Feedback; onProgress: (step: string) => void },
): CardScores {
  const probability = new Float64Array(world.count)
  const risk_score = new Uint8Array(world.count)
  const delay_s = DELAY_DAYS * DAY_S
  const started = process.cpuUsage()
  let [undecided, decisions] = [0, 0]
  for (let row = 0; row < world.count; row += 1) {
    const decided_until = (world.second[row] ?? 0) - delay_s
    for (; (world.second[undecided] ?? 0) <= decided_until; undecided += 1) {
      const isFraud = (world.scenario[undecided] ?? 0) > 0
      if (feedback === 'none' || (feedback === 'frauds_only' && !isFraud)) continue
      scorer.decide(undecided, isFraud)
      decisions += 1
    }
    const scored = scorer.score(row)
    probability[row] = scored.probability
    risk_score[row] = scored.risk_score
    if (row % 250_000 === 0) onProgress(`${feedback}: ${row} of ${world.count}`)
  }
  const { user, system } = process.cpuUsage(started)
  const cost_us = (user + system) / world.count
  return { probability, risk_score, decisions, cost_us }
}
