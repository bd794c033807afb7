/**
 * Why a check got its score, for people: each signal with its findings and the points that it made,
 * what could not be learnt, and what was looked at and counted nothing. Pure.
 *
 * A score is a noisy-OR, 100 · (1 − Π(1 − w·s/100)). Its logarithm is a sum, and a signal's share is
 * its part of that sum, −ln(1 − w·s/100); so the shares do not depend on an order and add up to 1.
 */
import { apportion, type Evidence } from '../../risk/index.ts'
import type { Explanation } from '../result.ts'
import type { CheckExplanation, CheckPart } from './schema.ts'
import { isUnknown, unknownsOf } from './unknowns.ts'

/** The only reason there is for one: null MX, no such domain, no valid address. */
const FLOOR_REASON = 'The address cannot receive mail'

/** @param phone signals of the phone as they were answered, undefined when none was checked */
export function explainCheck(
  risk_score: number,
  { evidence, shares, hard_floor }: Explanation,
  phone: { carrier: string | null; line_type: string | null; ported: boolean } | undefined,
): CheckExplanation {
  const survival = shares.reduce((left, one) => left * (1 - (one.weight * one.strength) / 100), 1)
  // Worked out again it may differ in the last bit, and so by a whole point.
  const above = risk_score > hard_floor ? risk_score : Math.round(100 * (1 - survival))
  const made = shares.length === 0 ? 0 : Math.min(risk_score, above)
  const points = apportion(
    made,
    shares.map(({ share }) => share),
  )
  const parts: CheckPart[] = shares.map((part, index) => ({
    ...part,
    points: points[index] ?? 0,
    findings: findingsOf(evidence, part.signal, part.strength),
  }))
  const counted = new Set(parts.map(({ signal }) => signal))
  return {
    risk_score,
    parts,
    floor:
      hard_floor > 0
        ? { score: hard_floor, points: risk_score - made, reason: FLOOR_REASON }
        : null,
    silent: evidence
      .filter((one) => !counted.has(one.signal) && !isUnknown(one))
      .map(({ signal, finding, detail }) => ({ signal, finding, detail })),
    unknowns: unknownsOf(evidence, phone),
  }
}

function findingsOf(evidence: readonly Evidence[], signal: string, strength: number) {
  let isFirst = true
  return evidence
    .filter((one) => one.signal === signal && !isUnknown(one))
    .toSorted((a, b) => b.score - a.score)
    .map(({ finding, score, detail }) => {
      const counts = isFirst && score === strength
      isFirst = false
      return { finding, strength: score, detail, counts }
    })
}
