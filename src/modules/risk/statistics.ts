/**
 * What turns counts into strengths: how improbable a count is, and curves from one to the other.
 */

/** Points in ascending x. */
export type Curve = readonly (readonly [x: number, y: number])[]

/** Piecewise linear, flat beyond both ends. */
export function interpolate(curve: Curve, x: number): number {
  let [x0, y0] = curve[0] ?? [0, 0]
  if (x <= x0) return y0
  for (let i = 1; i < curve.length; i += 1) {
    const [x1, y1] = curve[i] ?? [x0, y0]
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
    x0 = x1
    y0 = y1
  }
  return y0
}

/**
 * P(X ≥ count) for a negative binomial with the given shape and mean: summed for small counts, for
 * large ones the Chernoff bound, which errs on the side of the ordinary and costs the same always.
 */
export function negativeBinomialTail(count: number, shape: number, mean: number): number {
  if (count > TERMS_MAX) return chernoffBound(count, shape, mean)
  const success = mean / (mean + shape)
  let probability = (1 - success) ** shape
  let below = 0
  for (let k = 0; k < count; k += 1) {
    below += probability
    probability *= ((k + shape) / (k + 1)) * success
  }
  const tail = 1 - below
  // Below the resolution of 1 - x, the next terms of the series are the tail.
  return Math.max(tail > 1e-9 ? tail : probability / (1 - success), Number.MIN_VALUE)
}

const TERMS_MAX = 100

function chernoffBound(count: number, shape: number, mean: number): number {
  if (count <= mean) return 1
  const exponent =
    count * Math.log(count / mean) - (count + shape) * Math.log((count + shape) / (mean + shape))
  return Math.max(Math.exp(-exponent), Number.MIN_VALUE)
}
