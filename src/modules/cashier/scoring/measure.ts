/** Makes and compares what the parts of the judgement say. */
import { type Assessment, clamp } from '../../behaviour/index.ts'

export const NOTHING: Assessment = { strength: 0, score: 0, finding: null, numbers: {} }

/** Numbers are rounded to four digits after the point: shares are small. */
export function measure(
  strength: number,
  finding: string | null,
  numbers: Readonly<Record<string, number | string | undefined>>,
): Assessment {
  const kept: Record<string, number | string> = {}
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined) continue
    kept[name] = typeof value === 'number' ? Math.round(value * 1e4) / 1e4 + 0 : value
  }
  const score = Math.round(clamp(strength, 0, 100))
  return { strength, score, finding: score > 0 ? finding : null, numbers: kept }
}

/** The first of the strongest, with the numbers of one that found nothing rather than none. */
export function strongestOf(assessments: readonly Assessment[]): Assessment {
  let strongest = NOTHING
  for (const each of assessments) {
    const tells = strongest === NOTHING && Object.keys(each.numbers).length > 0
    if (each.strength > strongest.strength || tells) strongest = each
  }
  return strongest
}
