/** Hours of the day at which people order, by their rhythm of life. */
import type { Random } from '../src/platform/random.ts'

/** Share of a day's orders by local hour, on any scale. */
const RHYTHMS = {
  office: hours('.6 .2 .1 .05 .05 .2 1 2 2 2 2 2.5 5 4 2 2 2.5 4 6 8 9 8 5 2'),
  early: hours('.1 .05 .05 .05 .3 1.5 4 6 8 9 9 7 4 3 4 5 5 4 3 3 2 1 .5 .2'),
  late: hours('5 4 2.5 1.5 .8 .3 .2 .3 .6 1 2 3 4 4 4 4 4 4 4 5 6 7 8 7'),
  shifts: hours('3 3 3 3 3 3 4 5 5 4 4 4 4 5 6 5 4 4 4 4 4 4 4 3'),
  /** Businesses order while they work. */
  business: hours('0 0 0 0 0 0 .2 1 4 7 8 7 3 5 7 6 4 2 .7 .2 0 0 0 0'),
} as const

export type Rhythm = keyof typeof RHYTHMS

function hours(weights: string): readonly number[] {
  return weights.split(' ').map(Number)
}

/** An hour of the day with a fraction. */
export function hourOf(random: Random, rhythm: Rhythm): number {
  const weights = RHYTHMS[rhythm]
  return random.weighted([...weights.keys()], (hour) => weights[hour] ?? 0) + random.uniform()
}

/** Hours at which someone of this rhythm hardly ever orders. */
export function deadHours(rhythm: Rhythm): number[] {
  const weights = RHYTHMS[rhythm]
  const most = Math.max(...weights)
  return [...weights.keys()].filter((hour) => (weights[hour] ?? 0) < most / 30)
}
