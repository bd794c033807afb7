import { type Assessment, clamp } from '../../behavior/index.ts'

export const NOTHING: Assessment = { strength: 0, score: 0, finding: null, numbers: {} }

/** Rounds numbers to four decimals, because shares are small. */
export function measure(
  strength: number,
  finding: string | null,
  numbers: Readonly<Record<string, number | string | undefined>>,
): Assessment {
  const rounded: Record<string, number | string> = {}
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined) continue
    rounded[name] = typeof value === 'number' ? Math.round(value * 1e4) / 1e4 + 0 : value
  }
  const score = Math.round(clamp(strength, 0, 100))
  return { strength, score, finding: score > 0 ? finding : null, numbers: rounded }
}

/** Returns the first of the strongest; among those of strength 0, one with numbers. */
export function strongestOf(assessments: readonly Assessment[]): Assessment {
  let strongest = NOTHING
  for (const each of assessments) {
    const hasNumbers = strongest === NOTHING && Object.keys(each.numbers).length > 0
    if (each.strength > strongest.strength || hasNumbers) strongest = each
  }
  return strongest
}
