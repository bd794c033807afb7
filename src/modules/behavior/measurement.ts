/**
 * The strength of a signal for one event with the numbers behind it, as it is stored and explained.
 */
export type Measurement = {
  /** 0-100, integer */
  score: number
  /** Name of the finding in snake_case; null when nothing stands out. */
  finding: string | null
  /**
   * Numbers by name, units last (count, expected, z, distance_km, speed_kmh, local_hour …), rounded
   * for reading. Unknown ones are omitted; also present when the score is 0.
   */
  numbers: Record<string, number | string>
}

/** A measurement with its unrounded strength, which ranks low scores. */
export type Assessment = Measurement & {
  /** 0-100, `score` unrounded */
  strength: number
}

/** Returns the part of an assessment that is stored. */
export function measured({ score, finding, numbers }: Assessment): Measurement {
  return { score, finding, numbers }
}

/** The assessment of an event without a finding. */
export const QUIET: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }

/** Returns an assessment with its rounded score; without one the numbers remain. */
export function assessed(
  strength: number,
  finding: string,
  numbers: Assessment['numbers'],
): Assessment {
  const score = Math.round(strength)
  return { score, strength, finding: score > 0 ? finding : null, numbers }
}

/** Returns the stronger finding with the numbers of both. */
export function stronger(a: Assessment, b: Assessment): Assessment {
  if (b.strength === 0) return a
  const numbers = { ...a.numbers, ...b.numbers }
  return b.strength > a.strength ? { ...b, numbers } : { ...a, numbers }
}
