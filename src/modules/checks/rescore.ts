/** Scores stored checks again with drafted rules, from their stored evidence and facts. */
import {
  ADJUSTED_FINDINGS,
  type CompiledRules,
  type Rescored,
  type RuledSubject,
} from '../custom-rules/index.ts'
import { causeText } from '../reasons/index.ts'
import {
  type Adjustment,
  type Evidence,
  type EvidenceSignal,
  type ListMatch,
  recordOf,
  score,
  strengthOf,
  WEIGHTS,
} from '../risk/index.ts'
import { adjustCheck, HIGH_SCORE } from './adjusted.ts'
import { newestChecks, readChecks, type StoredCheck } from './rescore.store.ts'
import type { CheckRequest } from './schema.ts'

export const ruledChecks: RuledSubject = {
  rescore: async function* (db, query, custom) {
    for await (const check of readChecks(db, query)) yield rescored(check, custom)
  },
  newest: newestChecks,
}

const SIGNALS = Object.keys(WEIGHTS) as EvidenceSignal[]

function rescored(check: StoredCheck, custom: CompiledRules): Rescored {
  const { id, mode, created_at, result, explanation } = check
  const request = check.request as CheckRequest
  const then = result.risk_score
  // The documented outcome of a sandbox value has no facts, and no rule changes it.
  const isFixed = mode === 'test' && explanation.facts === undefined
  const now = isFixed ? { score: then, ...explanation } : scoreAgain(check, request, custom)
  const isFlagged = now.score >= HIGH_SCORE
  return {
    id,
    external_id: request.event_id ?? '',
    created_at,
    score_then: then,
    score_now: now.score,
    was_flagged: then >= HIGH_SCORE,
    is_flagged: isFlagged,
    amount: undefined,
    decision: null,
    reason: () => reasonOf(isFlagged ? now : explanation),
  }
}

function scoreAgain(
  { result, explanation, created_at }: StoredCheck,
  request: CheckRequest,
  custom: CompiledRules,
) {
  const { adjustments = [], facts = {} } = explanation
  const isAdjusted = adjustments.length > 0
  const evidence = isAdjusted
    ? explanation.evidence.filter(({ finding }) => !ADJUSTED_FINDINGS.has(finding))
    : explanation.evidence
  const found = {
    strengths: recordOf(SIGNALS, (signal) => strengthOf(evidence, signal)),
    hard_floor: explanation.floor_before ?? (isAdjusted ? 0 : explanation.hard_floor),
    evidence,
  }
  const subject = {
    request,
    created_at,
    email: result.email,
    phone: result.signals.phone,
    stored: { ...facts, lists: facts.lists ?? listsOf(adjustments) },
  }
  const after = adjustCheck(found, subject, custom)
  return { ...after, score: score(after.strengths, after.hard_floor).risk_score }
}

/** Checks of an earlier version of the program name only the entry that decided. */
const listsOf = (adjustments: readonly Adjustment[]): ListMatch[] =>
  adjustments.flatMap((one) => {
    if (one.by !== 'list') return []
    const { list, kind, id } = one as Adjustment & ListMatch
    return [{ list, kind, id }]
  })

type Explained = { evidence: readonly Evidence[]; adjustments?: readonly Adjustment[] }

function reasonOf({ evidence, adjustments = [] }: Explained): string {
  const cause = adjustments.findLast(({ score_after, score_before }) => score_after > score_before)
  if (cause) return causeText(cause)
  return evidence.toSorted((a, b) => b.score - a.score)[0]?.detail ?? ''
}
