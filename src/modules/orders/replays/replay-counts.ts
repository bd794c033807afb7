/** Counts what a replay changes and derives the rates that are reported. */
import type { Label } from '../../reviews/index.ts'
import { reasonOf } from '../explanation.ts'
import type { OrderRisk } from '../schema.ts'
import type { OrderParameters } from '../scoring/parameters.ts'
import { REVIEW_SCORE, type ScoredOrder } from '../scoring/scoring.ts'
import type { WholeOrder } from '../store.ts'
import type { Replay, ReplayExample, ReplayResult } from './schema.ts'

const EXAMPLES_MAX = 5

/** @param parametersThen returns the parameters that scored an order at its arrival */
export function comparing(
  counted: Replay,
  parametersThen: (order: WholeOrder) => OrderParameters,
  parameters: OrderParameters,
) {
  return (order: WholeOrder, now: ScoredOrder): void => {
    const wasFlagged = order.risk.flagged_for_review
    const isFlagged = now.risk.flagged_for_review
    counted.orders += 1
    if (wasFlagged) counted.flagged_then += 1
    if (isFlagged) counted.flagged_now += 1
    if (order.risk.risk_score === now.risk.risk_score) counted.same_score += 1
    if (wasFlagged === isFlagged) counted.same_flag += 1
    else if (isFlagged) {
      counted.newly_flagged += 1
      addExample(counted.newly_flagged_examples, order, now.risk, { ...now, parameters })
    } else {
      counted.no_longer_flagged += 1
      const then = { ...order, parameters: parametersThen(order) }
      addExample(counted.no_longer_flagged_examples, order, now.risk, then)
    }
  }
}

function addExample(
  examples: ReplayExample[],
  { org_id, id, request, risk }: WholeOrder,
  now: OrderRisk,
  flagged: Pick<ScoredOrder, 'risk' | 'measurements'> & { parameters: OrderParameters },
): void {
  const change = ({ score_then, score_now }: ReplayExample) => Math.abs(score_now - score_then)
  const [score_then, score_now] = [risk.risk_score, now.risk_score]
  const least = examples.at(-1)
  if (
    examples.length === EXAMPLES_MAX &&
    least &&
    change(least) >= Math.abs(score_now - score_then)
  )
    return
  const { risk: of, measurements, parameters } = flagged
  const reason = reasonOf({ request, risk: of, measurements }, parameters)
  const { external_order_id } = request
  examples.push({ org_id, order_id: id, external_order_id, score_then, score_now, reason })
  examples.sort((a, b) => change(b) - change(a))
  examples.length = Math.min(examples.length, EXAMPLES_MAX)
}

/** @param by -1 to take back a decision that was replaced */
export function countDecision(
  { decisions }: Replay,
  order: WholeOrder,
  scoreNow: number,
  { label: { decision }, by }: { label: Label; by: 1 | -1 },
): void {
  const wasFlagged = order.risk.flagged_for_review
  const isFlagged = scoreNow >= REVIEW_SCORE
  decisions[decision] += by
  const kind = decision === 'confirmed_fraud' ? 'frauds' : 'legitimate'
  if (wasFlagged) decisions[`${kind}_flagged_then`] += by
  if (isFlagged) decisions[`${kind}_flagged_now`] += by
  if (decision !== 'confirmed_fraud' || wasFlagged === isFlagged) return
  decisions[isFlagged ? 'frauds_gained' : 'frauds_lost'] += by
}

export const emptyReplay = (): Replay => ({
  orders: 0,
  flagged_then: 0,
  flagged_now: 0,
  same_flag: 0,
  same_score: 0,
  newly_flagged: 0,
  no_longer_flagged: 0,
  newly_flagged_examples: [],
  no_longer_flagged_examples: [],
  decisions: {
    confirmed_fraud: 0,
    legitimate: 0,
    frauds_flagged_then: 0,
    frauds_flagged_now: 0,
    legitimate_flagged_then: 0,
    legitimate_flagged_now: 0,
    frauds_gained: 0,
    frauds_lost: 0,
  },
})

/** Rounded to four decimals; null when there is nothing to divide by. */
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((10_000 * part) / whole) / 10_000

/** Adds rates. Precision and recall cover only the orders that were decided in review. */
export function replayResult({ decisions, ...counted }: Replay): ReplayResult {
  const precision = (frauds: number, legitimate: number) => share(frauds, frauds + legitimate)
  const recall = (frauds: number) => share(frauds, decisions.confirmed_fraud)
  return {
    ...counted,
    flag_rate_then: share(counted.flagged_then, counted.orders),
    flag_rate_now: share(counted.flagged_now, counted.orders),
    same_flag_rate: share(counted.same_flag, counted.orders),
    same_score_rate: share(counted.same_score, counted.orders),
    decisions: {
      ...decisions,
      precision_then: precision(decisions.frauds_flagged_then, decisions.legitimate_flagged_then),
      recall_then: recall(decisions.frauds_flagged_then),
      precision_now: precision(decisions.frauds_flagged_now, decisions.legitimate_flagged_now),
      recall_now: recall(decisions.frauds_flagged_now),
    },
  }
}
