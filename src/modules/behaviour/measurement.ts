/**
 * What a signal says of one event, with the numbers behind it, as they are stored and explained.
 */
export type Measurement = {
  /** 0-100, integer */
  score: number
  /** Name of the finding in snake_case, null when nothing stands out. */
  finding: string | null
  /**
   * By name, units last (count, expected, z, distance_km, speed_kmh, local_hour ...); the unknown is
   * left out. Rounded to what a person reads. Present also when the score is 0.
   */
  numbers: Record<string, number | string>
}

/** A measurement before its strength is cut to an integer; what ranks two low scores. */
export type Assessment = Measurement & {
  /** 0-100, `score` unrounded */
  strength: number
}

/** The measurement that is stored of an assessment. */
export function measured({ score, finding, numbers }: Assessment): Measurement {
  return { score, finding, numbers }
}
