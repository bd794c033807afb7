/** Applies several changes to a score, one after another, and records what each one did. Pure. */
import { type Adjustable, adjust, type Change, type Effect } from './adjust.ts'
import { scoreOf, type Weights } from './combine.ts'

/** What changes a score: the entry of a list, or a custom rule. */
export type Cause =
  | { by: 'list'; id: string; list: string; kind: string; reason: string | null }
  | { by: 'rule'; rule: string }

/** A recorded change, which explanations show. Scores are 0-100. */
export type Adjustment = Cause & {
  effect: Effect
  value: number
  score_before: number
  score_after: number
}

/** An adjustment with what it did as a sentence. */
export type ShownAdjustment = Adjustment & { sentence: string }

export type AdjustmentStep<Signal extends string> = {
  cause: Cause
  change: Change<Signal>
  /** Only recorded: what the step would have done in its place. */
  is_shadow?: boolean
}

type Adjusted<Signal extends string> = Adjustable<Signal> & {
  adjustments: Adjustment[]
  shadows: Adjustment[]
  /** What strengthened a signal most. */
  raised: Partial<Record<Signal, Cause>>
}

export function adjustAll<Signal extends string>(
  weights: Weights<Signal>,
  base: Adjustable<Signal>,
  steps: readonly AdjustmentStep<Signal>[],
): Adjusted<Signal> {
  const adjustments: Adjustment[] = []
  const shadows: Adjustment[] = []
  const raised: Partial<Record<Signal, Cause>> = {}
  const most: Partial<Record<Signal, number>> = {}
  let now = base
  for (const { cause, change, is_shadow = false } of steps) {
    const next = adjust(weights, now, change)
    const records = is_shadow ? shadows : adjustments
    records.push({
      ...cause,
      effect: change.effect,
      value: change.value,
      score_before: scoreOf(now.probability, 0),
      score_after: scoreOf(next.probability, 0),
    })
    if (is_shadow) continue
    const { signal } = change
    const more = next.strengths[signal] - now.strengths[signal]
    if (more > (most[signal] ?? 0)) {
      most[signal] = more
      raised[signal] = cause
    }
    now = next
  }
  return { ...now, adjustments, shadows, raised }
}

/** The finding of a signal that a cause has strengthened, with its numbers. */
export function findingOf(cause: Cause): { finding: string; numbers: Record<string, string> } {
  if (cause.by === 'rule') return { finding: 'custom_rule', numbers: { rule_name: cause.rule } }
  const { list, kind, reason } = cause
  const why = reason === null ? {} : { list_reason: reason }
  return { finding: `${list}_list`, numbers: { list_kind: kind, ...why } }
}
