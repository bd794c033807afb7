/**
 * Calibration: how many of 100 orders with a score were fraud. An isotonic regression (pool adjacent
 * violators), which assumes only that a higher score is no less likely to be fraud. For display; it
 * changes no score.
 */
import type { CalibrationStep } from './schema.ts'

export type ScoredOutcome = { score: number; is_fraud: boolean; weight: number }

type Block = CalibrationStep & { frauds: number; examples: number }

/** Steps with fewer examples are joined with the next ones. */
const EXAMPLES_MIN = 20

/** @returns steps by ascending score and share; empty without outcomes */
export function calibrate(outcomes: readonly ScoredOutcome[]): CalibrationStep[] {
  const blocks: Block[] = []
  for (const block of byScore(outcomes)) {
    blocks.push(block)
    let top = block
    for (let before = blocks.at(-2); before && violates(before, top); before = blocks.at(-2)) {
      top = joined(before, top)
      blocks.splice(-2, 2, top)
    }
  }
  const [last, before] = [blocks.at(-1), blocks.at(-2)]
  if (last && before && last.examples < EXAMPLES_MIN) {
    blocks.splice(-2, 2, joined(before, last))
  }
  return blocks.map(({ frauds, examples: _examples, ...step }) => ({
    ...step,
    fraud_share: Math.round(1e4 * (frauds / step.orders)) / 1e4,
    orders: Math.round(step.orders),
  }))
}

/** Returns the step of a score; undefined for scores that no example is close to. */
export const stepOf = (
  steps: readonly CalibrationStep[],
  score: number,
): CalibrationStep | undefined =>
  steps.find(({ from_score, to_score }) => score >= from_score && score <= to_score)

const violates = (before: Block, top: Block): boolean =>
  before.examples < EXAMPLES_MIN || before.frauds * top.orders >= top.frauds * before.orders

const joined = (a: Block, b: Block): Block => ({
  from_score: a.from_score,
  to_score: b.to_score,
  fraud_share: 0,
  orders: a.orders + b.orders,
  frauds: a.frauds + b.frauds,
  examples: a.examples + b.examples,
})

/** One block for each score that occurs; it reaches up to the next one. */
function byScore(outcomes: readonly ScoredOutcome[]): Block[] {
  const orders = Array.from({ length: 101 }, () => ({ orders: 0, frauds: 0, examples: 0 }))
  for (const { score, is_fraud, weight } of outcomes) {
    const at = orders[score]
    if (at === undefined) continue
    at.orders += weight
    at.frauds += is_fraud ? weight : 0
    at.examples += 1
  }
  const blocks = orders.flatMap((counted, score): Block[] =>
    counted.examples === 0
      ? []
      : [{ from_score: score, to_score: score, fraud_share: 0, ...counted }],
  )
  return blocks.map((block, index) => ({
    ...block,
    from_score: index === 0 ? 0 : block.from_score,
    to_score: (blocks[index + 1]?.from_score ?? 101) - 1,
  }))
}
