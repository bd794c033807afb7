/**
 * Logistic regression with a normal prior for each coefficient, by Newton's method. Pure and
 * deterministic; the work is bounded by `ITERATIONS_MAX` passes over the examples.
 */
export type Example = {
  /** The same number of values for each example. */
  readonly values: readonly number[]
  readonly is_fraud: boolean
  /** Number of orders that the example stands for */
  readonly weight: number
}

export type Prior = {
  readonly mean: number
  /** One over the variance; 0 for a coefficient without a prior */
  readonly precision: number
}

const ITERATIONS_MAX = 50
const HALVINGS_MAX = 30
/** Newton's method doubles the exact digits with each step, so this is more than enough. */
const TOLERANCE = 1e-10

/**
 * @param priors one for each value of the examples
 * @returns the coefficients with the highest posterior density; undefined when there are none,
 *   because a coefficient has neither a prior nor an example that says anything about it
 */
export function fitLogistic(
  examples: readonly Example[],
  priors: readonly Prior[],
): number[] | undefined {
  let at = priors.map(({ mean }) => mean)
  let best = posterior(examples, priors, at)
  for (let i = 0; i < ITERATIONS_MAX; i += 1) {
    const step = solve(...slopes(examples, priors, at))
    if (step === undefined) return undefined
    const next = lineSearch(examples, priors, { at, step, best })
    if (next === undefined) return at
    const gain = next.density - best
    at = next.at
    best = next.density
    if (gain <= TOLERANCE * (1 + Math.abs(best))) return at
  }
  return at
}

type Found = { at: number[]; density: number }

/** Halves the step until it is an improvement. */
function lineSearch(
  examples: readonly Example[],
  priors: readonly Prior[],
  { at, step, best }: { at: readonly number[]; step: readonly number[]; best: number },
): Found | undefined {
  let share = 1
  for (let i = 0; i < HALVINGS_MAX; i += 1) {
    const next = at.map((value, index) => value + share * (step[index] ?? 0))
    const density = posterior(examples, priors, next)
    if (density > best) return { at: next, density }
    share /= 2
  }
  return undefined
}

/** Logarithm of the posterior density, up to a constant. */
function posterior(
  examples: readonly Example[],
  priors: readonly Prior[],
  at: readonly number[],
): number {
  let sum = 0
  for (const { values, is_fraud, weight } of examples) {
    const x = dot(values, at)
    sum -= weight * logOnePlusExp(is_fraud ? -x : x)
  }
  for (const [index, { mean, precision }] of priors.entries()) {
    sum -= (precision / 2) * ((at[index] ?? 0) - mean) ** 2
  }
  return sum
}

/** Returns the negative second derivatives and the gradient. */
function slopes(
  examples: readonly Example[],
  priors: readonly Prior[],
  at: readonly number[],
): [matrix: number[][], gradient: number[]] {
  const size = priors.length
  const matrix = priors.map(({ precision }, row) =>
    Array.from({ length: size }, (_, column) => (row === column ? precision : 0)),
  )
  const gradient = priors.map(({ mean, precision }, index) => precision * (mean - (at[index] ?? 0)))
  for (const { values, is_fraud, weight } of examples) {
    const probability = 1 / (1 + Math.exp(-dot(values, at)))
    const error = weight * ((is_fraud ? 1 : 0) - probability)
    const information = weight * probability * (1 - probability)
    for (let row = 0; row < size; row += 1) {
      const value = values[row] ?? 0
      if (value === 0) continue
      gradient[row] = (gradient[row] ?? 0) + error * value
      const line = matrix[row] ?? []
      for (let column = 0; column <= row; column += 1) {
        line[column] = (line[column] ?? 0) + information * value * (values[column] ?? 0)
      }
    }
  }
  return [matrix, gradient]
}

/**
 * Solves a symmetric positive definite system by Cholesky decomposition.
 * @param matrix its lower triangle, which is overwritten
 * @returns undefined when the matrix is singular
 */
function solve(matrix: number[][], right: readonly number[]): number[] | undefined {
  const size = right.length
  const at = (row: number, column: number): number => matrix[row]?.[column] ?? 0
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = at(row, column)
      for (let k = 0; k < column; k += 1) sum -= at(row, k) * at(column, k)
      const line = matrix[row] ?? []
      if (row !== column) line[column] = sum / at(column, column)
      else if (sum > SINGULAR) line[column] = Math.sqrt(sum)
      else return undefined
    }
  }
  const half: number[] = []
  for (let row = 0; row < size; row += 1) {
    let sum = right[row] ?? 0
    for (let k = 0; k < row; k += 1) sum -= at(row, k) * (half[k] ?? 0)
    half.push(sum / at(row, row))
  }
  const solution = half.slice()
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = half[row] ?? 0
    for (let k = row + 1; k < size; k += 1) sum -= at(k, row) * (solution[k] ?? 0)
    solution[row] = sum / at(row, row)
  }
  return solution
}

const SINGULAR = 1e-12

function dot(values: readonly number[], at: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < at.length; i += 1) sum += (values[i] ?? 0) * (at[i] ?? 0)
  return sum
}

const logOnePlusExp = (x: number): number =>
  x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x))
