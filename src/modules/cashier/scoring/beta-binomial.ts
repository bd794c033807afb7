/**
 * Tail of the beta-binomial distribution: the probability of a count or more among a number of trials,
 * when the rates of comparable people follow a beta distribution. Counts can be fractions, because
 * they are decayed, so factorials become gamma functions.
 */

/**
 * Returns ln P(X >= count), and 0 when the count does not exceed the expected one. It sums from the
 * count upward, so that small tails keep their precision.
 *
 * @param rate mean of the beta distribution, 0-1
 * @param strength its a + b, in pseudo-trials
 */
export function betaBinomialLogTail(
  count: number,
  trials: number,
  rate: number,
  strength: number,
): number {
  if (count <= trials * rate || trials <= 0) return 0
  const a = rate * strength
  const b = (1 - rate) * strength
  const first =
    logGamma(trials + 1) -
    logGamma(count + 1) -
    logGamma(Math.max(trials - count, 0) + 1) +
    logBeta(count + a, Math.max(trials - count, 0) + b) -
    logBeta(a, b)
  let term = 1
  let sum = 1
  for (let k = count, steps = 0; k + 1 <= trials && steps < TERMS_MAX; k += 1, steps += 1) {
    term *= ((trials - k) / (k + 1)) * ((a + k) / (b + trials - k - 1))
    sum += term
    if (term < sum * 1e-4) break
  }
  return Math.min(0, first + Math.log(sum))
}

const TERMS_MAX = 400

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b)

/** Stirling's series, after shifting the argument to where it is accurate to ten digits. */
export function logGamma(x: number): number {
  let shifted = x
  let product = 1
  while (shifted < 8) {
    product *= shifted
    shifted += 1
  }
  const inverse = 1 / (shifted * shifted)
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / shifted
  return (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_2_PI + series - Math.log(product)
}

const HALF_LOG_2_PI = 0.5 * Math.log(2 * Math.PI)
