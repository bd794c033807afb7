/**
 * Splits a score into whole points by shares that add up to 1. The shares are those of the noisy-OR:
 * each signal's −ln(1 − w·s/100) out of the sum of all, the one split in which the order of the
 * signals does not matter.
 *
 * @returns integers that add up to the score exactly, what rounding leaves goes to the largest rests;
 *   only zeros where nothing has a share
 */
export function apportion(score: number, shares: readonly number[]): number[] {
  if (shares.every((share) => share === 0)) return shares.map(() => 0)
  const points = shares.map((share) => Math.floor(share * score))
  const rests = shares.map((share, index) => share * score - (points[index] ?? 0))
  const byRest = rests
    .map((_, index) => index)
    .toSorted((a, b) => (rests[b] ?? 0) - (rests[a] ?? 0))
  let left = score - points.reduce((sum, one) => sum + one, 0)
  for (const index of byRest) {
    if (left <= 0) break
    points[index] = (points[index] ?? 0) + 1
    left -= 1
  }
  return points
}
