/** Strength by count, as a few steps. */
export type Steps = readonly (readonly [least: number, score: number])[]

/** @param steps most first @returns 0 below the least */
export function step(steps: Steps, count: number): number {
  for (const entry of steps) if (count >= entry[0]) return entry[1]
  return 0
}
