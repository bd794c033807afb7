/** Scores fingerprints on pairs of errors that were judged manually. */
import { groupError } from '../../src/modules/error-groups/index.ts'
import type { ErrorPair, ErrorPairs } from './labeled-pairs.ts'
import { scoreVerdicts, type VerdictScore } from './metrics.ts'

export type PairMiss = { family: string; name: string; is_same: boolean; titles: string[] }

export type PairScore = VerdictScore & {
  families: Record<string, VerdictScore>
  misses: PairMiss[]
}

export function scorePairs(pairs: ErrorPairs): PairScore {
  const judged = Object.entries(pairs).flatMap(([family, list]) =>
    list.map((pair) => ({ family, ...judge(pair) })),
  )
  const scoreOf = (name: string) => scoreVerdicts(judged.filter(({ family }) => family === name))
  return {
    ...scoreVerdicts(judged),
    families: Object.fromEntries(Object.keys(pairs).map((name) => [name, scoreOf(name)])),
    misses: judged
      .filter(({ is_same, predicted_same }) => is_same !== predicted_same)
      .map(({ family, name, is_same, titles }) => ({ family, name, is_same, titles })),
  }
}

function judge({ name, is_same, first, second }: ErrorPair) {
  const [one, other] = [groupError(first), groupError(second)]
  const predicted_same = one.fingerprint === other.fingerprint
  return { name, is_same, predicted_same, titles: [one.title, other.title] }
}
