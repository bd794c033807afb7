/** Explains the reputation of an identity to the operator: which opinions count, and why not. */
import { DAY_MS } from '../../platform/time-units.ts'
import {
  agrees,
  fade,
  type Hindrance,
  hindranceOf,
  judge,
  type SharingRule,
  voiceBalances,
} from './judge.ts'
import type { NamedOpinion } from './store.ts'

export type ExplainedOpinion = {
  org_id: string
  name: string
  voice_id: string
  /** Decayed weights. */
  bad: number
  good: number
  /** The part of `bad` that counts for other organizations. */
  shared_bad: number
  updated_at: Date
  is_trusted: boolean | null
  /** Days since the organization was created; null until the recurring job has seen it. */
  age_days: number | null
  requests: number | null
  counts: boolean
  /** `weak`: the opinions of the voice do not add up to agreement. Null when the opinion counts. */
  why_not: Hindrance | 'weak' | null
}

export type Explanation = {
  /** For an organization that has no opinion. */
  shared_score: number
  voices: number
  voices_needed: number
  opinions: ExplainedOpinion[]
}

export function explainOpinions(
  opinions: readonly NamedOpinion[],
  now: Date,
  rule: SharingRule,
): Explanation {
  const balances = voiceBalances(opinions, now, rule)
  const { shared, others } = judge(opinions, now, rule)
  return {
    shared_score: shared,
    voices: others,
    voices_needed: rule.reputation_voices,
    opinions: opinions.map((opinion) => {
      const { org_id, name, updated_at, is_trusted, since, requests } = opinion
      const voice_id = opinion.voice_id ?? org_id
      const isWeak = !agrees(balances.get(voice_id) ?? 0)
      const why_not = hindranceOf(opinion, now, rule) ?? (isWeak ? ('weak' as const) : null)
      return {
        org_id,
        name,
        voice_id,
        bad: fade(opinion.bad, updated_at, now),
        good: fade(opinion.good, updated_at, now),
        shared_bad: fade(opinion.shared_bad, updated_at, now),
        updated_at,
        is_trusted,
        age_days: since && Math.floor((now.getTime() - since.getTime()) / DAY_MS),
        requests,
        counts: why_not === null,
        why_not,
      }
    }),
  }
}
