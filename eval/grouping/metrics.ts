/** Measures of a grouping against labels, as the literature on log parsing defines them. */

export type GroupScore = {
  /** Grouping accuracy: share of the lines whose predicted group is exactly a true group */
  ga: number
  /** F1 of groups: predicted groups that are exactly a true group, against both numbers of groups */
  fga: number
  /** F1 of pairs of lines in one group */
  pair_f1: number
  predicted_groups: number
  true_groups: number
}

/** The two lists contain the group of each line, in the same order. */
export function scoreGroups(predicted: readonly string[], truth: readonly string[]): GroupScore {
  const cells = new Map<string, Map<string, number>>()
  const sizes = new Map<string, number>()
  for (const [index, group] of predicted.entries()) {
    const label = truth[index] ?? ''
    const cell = cells.get(group) ?? new Map<string, number>()
    cells.set(group, cell.set(label, (cell.get(label) ?? 0) + 1))
    sizes.set(label, (sizes.get(label) ?? 0) + 1)
  }
  let [lines, groups, together, predictedPairs] = [0, 0, 0, 0]
  for (const cell of cells.values()) {
    let size = 0
    for (const [label, count] of cell) {
      size += count
      together += pairsOf(count)
      const isExact = cell.size === 1 && count === sizes.get(label)
      lines += isExact ? count : 0
      groups += isExact ? 1 : 0
    }
    predictedPairs += pairsOf(size)
  }
  const truePairs = [...sizes.values()].reduce((sum, size) => sum + pairsOf(size), 0)
  return {
    ga: lines / predicted.length,
    fga: (2 * groups) / (cells.size + sizes.size),
    pair_f1: predictedPairs + truePairs === 0 ? 1 : (2 * together) / (predictedPairs + truePairs),
    predicted_groups: cells.size,
    true_groups: sizes.size,
  }
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2

export type VerdictScore = { pairs: number; precision: number; recall: number; f1: number }

/** Precision, recall and F1 of the verdict "same". */
export function scoreVerdicts(
  verdicts: readonly { is_same: boolean; predicted_same: boolean }[],
): VerdictScore {
  const predicted = verdicts.filter(({ predicted_same }) => predicted_same).length
  const same = verdicts.filter(({ is_same }) => is_same).length
  const both = verdicts.filter(({ is_same, predicted_same }) => is_same && predicted_same).length
  return {
    pairs: verdicts.length,
    precision: both / predicted,
    recall: both / same,
    f1: (2 * both) / (predicted + same),
  }
}
