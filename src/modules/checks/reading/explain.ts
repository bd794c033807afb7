/**
 * Explains the score of a check: each signal with its findings and points, facts that stayed unknown,
 * and findings that added nothing. Pure.
 */

import { shownAdjustment, shownShadow } from '../../reasons/index.ts'
import { apportion, type Evidence } from '../../risk/index.ts'
import type { Explanation } from '../result.ts'
import type { CheckExplanation, CheckPart } from './schema.ts'
import { isUnknown, unknownsOf } from './unknowns.ts'

/** The only reason for a floor without rules and lists: null MX, no such domain, or an invalid address. */
const FLOOR_REASON = 'The address cannot receive mail'
const ADJUSTED_FLOOR_REASON = 'A rule or a list of the organization'

/** @param phone phone signals of the result; undefined for a check without a phone */
export function explainCheck(
  risk_score: number,
  { evidence, shares, hard_floor, adjustments = [], shadows = [] }: Explanation,
  phone: { carrier: string | null; line_type: string | null; ported: boolean } | undefined,
): CheckExplanation {
  const survival = shares.reduce((left, one) => left * (1 - (one.weight * one.strength) / 100), 1)
  // A recomputed score can differ in the last bit, and after rounding by a whole point.
  const above = risk_score > hard_floor ? risk_score : Math.round(100 * (1 - survival))
  const bySignals = shares.length === 0 ? 0 : Math.min(risk_score, above)
  const points = apportion(
    bySignals,
    shares.map(({ share }) => share),
  )
  const parts: CheckPart[] = shares.map((part, index) => ({
    ...part,
    points: points[index] ?? 0,
    findings: findingsOf(evidence, part.signal, part.strength),
  }))
  const isAdjusted = adjustments.length > 0
  const counted = new Set(parts.map(({ signal }) => signal))
  return {
    risk_score,
    parts,
    floor:
      hard_floor > 0
        ? {
            score: hard_floor,
            points: risk_score - bySignals,
            reason: isAdjusted ? ADJUSTED_FLOOR_REASON : FLOOR_REASON,
          }
        : null,
    silent: evidence
      .filter((one) => !counted.has(one.signal) && !isUnknown(one))
      .map(({ signal, finding, detail }) => ({ signal, finding, detail })),
    unknowns: unknownsOf(evidence, phone),
    adjustments: adjustments.map(shownAdjustment),
    shadows: shadows.map(shownShadow),
  }
}

function findingsOf(evidence: readonly Evidence[], signal: string, strength: number) {
  let isFirst = true
  return evidence
    .filter((one) => one.signal === signal && !isUnknown(one))
    .toSorted((a, b) => b.score - a.score)
    .map(({ finding, score, detail }) => {
      const counts = isFirst && score >= strength
      isFirst = false
      return { finding, strength: score, detail, counts }
    })
}
