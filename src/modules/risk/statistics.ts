/** Probabilities of counts and the curves that turn them into strengths. */

/** Points by ascending x. */
export type Curve = readonly (readonly [x: number, y: number])[]

/** Creates a curve from its values of y by x. */
export const curve = (points: Readonly<Record<number, number>>): Curve =>
  Object.entries(points)
    .map(([x, y]) => [Number(x), y] as const)
    .toSorted(([a], [b]) => a - b)

/** Returns the y of the last point that x reaches; 0 before the first. */
export function step(points: Curve, x: number): number {
  return points.findLast(([from]) => x >= from)?.[1] ?? 0
}

/** Interpolates linearly between points and is constant beyond both ends. */
export function interpolate(points: Curve, x: number): number {
  let [x0, y0] = points[0] ?? [0, 0]
  if (x <= x0) return y0
  for (let i = 1; i < points.length; i += 1) {
    const [x1, y1] = points[i] ?? [x0, y0]
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
    x0 = x1
    y0 = y1
  }
  return y0
}

/**
 * P(X ≥ count) for a negative binomial with the given shape and mean: an exact sum for small counts
 * and the Chernoff bound for large ones, which overestimates the probability at constant cost.
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
  // Below the resolution of 1 - x, the geometric continuation of the series gives the tail.
  return Math.max(tail > 1e-9 ? tail : probability / (1 - success), Number.MIN_VALUE)
}

const TERMS_MAX = 100

function chernoffBound(count: number, shape: number, mean: number): number {
  if (count <= mean) return 1
  const exponent =
    count * Math.log(count / mean) - (count + shape) * Math.log((count + shape) / (mean + shape))
  return Math.max(Math.exp(-exponent), Number.MIN_VALUE)
}
