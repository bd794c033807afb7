/**
 * Splits a score into whole points by shares that add up to 1. The shares are those of the
 * noisy-OR: each signal's −ln(1 − w·s/100) divided by the sum of all, the only split that does not
 * depend on the order of the signals.
 *
 * @returns integers that add up to the score, with the rounding difference given to the largest
 *   remainders; only zeros when no signal has a share
 */
export function apportion(score: number, shares: readonly number[]): number[] {
  if (shares.every((share) => share === 0)) return shares.map(() => 0)
  const points = shares.map((share) => Math.floor(share * score))
  const remainders = shares.map((share, index) => share * score - (points[index] ?? 0))
  const byRemainder = remainders
    .map((_, index) => index)
    .toSorted((a, b) => (remainders[b] ?? 0) - (remainders[a] ?? 0))
  let left = score - points.reduce((sum, one) => sum + one, 0)
  for (const index of byRemainder) {
    if (left <= 0) break
    points[index] = (points[index] ?? 0) + 1
    left -= 1
  }
  return points
}
