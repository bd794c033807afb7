/** Scores fingerprints on pairs of errors that were judged by hand. */
import { groupError } from '../../src/modules/error-groups/index.ts'
import { scoreVerdicts, type VerdictScore } from './metrics.ts'
import type { ErrorPair } from './pairs.ts'

export type PairMiss = { family: string; name: string; is_same: boolean; titles: string[] }

export type PairScore = VerdictScore & {
  families: Record<string, VerdictScore>
  misses: PairMiss[]
}

export function scorePairs(pairs: Readonly<Record<string, readonly ErrorPair[]>>): PairScore {
  const judged = Object.entries(pairs).flatMap(([family, list]) =>
    list.map((pair) => ({ family, ...judge(pair) })),
  )
  return {
    ...scoreVerdicts(judged),
    families: Object.fromEntries(
      Object.keys(pairs).map((name) => [
        name,
        scoreVerdicts(judged.filter(({ family }) => family === name)),
      ]),
    ),
    misses: judged
      .filter(({ is_same, said_same }) => is_same !== said_same)
      .map(({ family, name, is_same, titles }) => ({ family, name, is_same, titles })),
  }
}

function judge({ name, is_same, first, second }: ErrorPair) {
  const [one, other] = [groupError(first), groupError(second)]
  const said_same = one.fingerprint === other.fingerprint
  return { name, is_same, said_same, titles: [one.title, other.title] }
}
