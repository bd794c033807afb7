/**
 * History scored again, with today's rules or a draft of others, beside what it was scored with: what
 * would change if they had been in force. Nothing is written.
 */
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { StateId } from '../../platform/states/index.ts'
import type { Label } from '../reviews/index.ts'
import { reasonOf } from './explain.ts'
import { readHistory } from './history.ts'
import type { OrderRisk } from './schema.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import { REVIEW_SCORE, type ScoredOrder } from './scoring/scoring.ts'
import { createScratch } from './scratch.ts'
import type { WholeOrder } from './store.ts'

export type ReplayQuery = {
  /** Organisations are replayed one after another. */
  owners: readonly { org_id: string; mode: Mode }[]
  /** Compared are the orders that arrived from here on, and before `to`. */
  from: Date
  to: Date
  parameters: OrderParameters
  /** Told every now and then. */
  onProgress?: (orders: number, until: Date) => void
}

export type Replay = {
  /** Compared; earlier ones only warm up what is remembered. */
  orders: number
  flagged_then: number
  flagged_now: number
  /** Orders that are flagged for review by both or by neither. */
  same_flag: number
  same_score: number
  newly_flagged: number
  no_longer_flagged: number
  /** Those whose score changes most. */
  newly_flagged_examples: ReplayExample[]
  no_longer_flagged_examples: ReplayExample[]
  decisions: ReplayDecisions
}

export type ReplayExample = {
  org_id: string
  order_id: string
  external_order_id: string
  score_then: number
  score_now: number
  /** Why it is flagged now; of one that no longer is, why it was. */
  reason: string
}

/** Of orders about which people decided, by the last decision. */
export type ReplayDecisions = {
  confirmed_fraud: number
  legitimate: number
  /** Confirmed frauds, and legitimate orders, that are flagged for review. */
  frauds_flagged_then: number
  frauds_flagged_now: number
  legitimate_flagged_then: number
  legitimate_flagged_now: number
  /** Confirmed frauds that only the new rules, or only the old ones, flag. */
  frauds_gained: number
  frauds_lost: number
}

const EXAMPLES_MAX = 5
const PROGRESS_ORDERS = 10_000
/** Nodes that score at the same time may differ by so much; what is later changes nothing before. */
const NODES_APART_MS = 60_000

export async function replay(
  { db, stateId }: { db: Db; stateId: StateId },
  query: ReplayQuery,
): Promise<Replay> {
  const counted = emptyReplay()
  let read = 0
  for (const owner of query.owners) {
    const scratch = createScratch({ stateId, parameters: query.parameters })
    /** Of orders that are compared and have another score now. */
    const changed = new Map<string, number>()
    const isDue = ({ created_at }: WholeOrder) =>
      created_at.getTime() < query.to.getTime() + NODES_APART_MS
    for await (const entry of readHistory(db, owner)) {
      const { order, label, previous } = entry
      const scored = isDue(order) ? scratch.apply(entry) : undefined
      const isCompared = order.created_at >= query.from && order.created_at < query.to
      if (label !== undefined) {
        if (!isCompared) continue
        const now = changed.get(order.id) ?? order.risk.risk_score
        if (previous !== undefined) countDecision(counted, order, now, previous, -1)
        countDecision(counted, order, now, label, 1)
        continue
      }
      read += 1
      if (read % PROGRESS_ORDERS === 0) query.onProgress?.(read, order.created_at)
      if (scored === undefined || !isCompared) continue
      compare(counted, order, scored)
      if (scored.risk.risk_score !== order.risk.risk_score) {
        changed.set(order.id, scored.risk.risk_score)
      }
    }
  }
  return counted
}

function compare(counted: Replay, order: WholeOrder, now: ScoredOrder): void {
  const wasFlagged = order.risk.flagged_for_review
  const isFlagged = now.risk.flagged_for_review
  counted.orders += 1
  if (wasFlagged) counted.flagged_then += 1
  if (isFlagged) counted.flagged_now += 1
  if (order.risk.risk_score === now.risk.risk_score) counted.same_score += 1
  if (wasFlagged === isFlagged) counted.same_flag += 1
  else if (isFlagged) {
    counted.newly_flagged += 1
    keepExample(counted.newly_flagged_examples, order, now.risk, now)
  } else {
    counted.no_longer_flagged += 1
    keepExample(counted.no_longer_flagged_examples, order, now.risk, order)
  }
}

function keepExample(
  examples: ReplayExample[],
  { org_id, id, request, risk }: WholeOrder,
  now: OrderRisk,
  flagged: Pick<ScoredOrder, 'risk' | 'measurements'>,
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
  const reason = reasonOf(flagged.risk, flagged.measurements)
  const { external_order_id } = request
  examples.push({ org_id, order_id: id, external_order_id, score_then, score_now, reason })
  examples.sort((a, b) => change(b) - change(a))
  examples.length = Math.min(examples.length, EXAMPLES_MAX)
}

/** @param by -1 for a decision that is changed */
function countDecision(
  { decisions }: Replay,
  order: WholeOrder,
  scoreNow: number,
  { decision }: Label,
  by: 1 | -1,
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

const emptyReplay = (): Replay => ({
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
