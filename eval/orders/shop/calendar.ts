/** When people shop: hours of the day by rhythm of life, days of the week, and the weeks before Christmas. */
import type { Random } from '../../../src/platform/random.ts'
import { DAY_MS, FIRST_DAY_MS, HOUR_MS } from './order.ts'

export type Rhythm = 'office' | 'early' | 'late' | 'shifts'

/** Share of a day's orders by local hour, any scale. */
const HOURS: Readonly<Record<Rhythm, readonly number[]>> = {
  office: [
    0.6, 0.2, 0.1, 0.05, 0.05, 0.2, 1, 2, 2, 2, 2, 2.5, 5, 4, 2, 2, 2.5, 4, 6, 8, 9, 8, 5, 2,
  ],
  early: [
    0.1, 0.05, 0.05, 0.05, 0.3, 1.5, 4, 6, 8, 9, 9, 7, 4, 3, 4, 5, 5, 4, 3, 3, 2, 1, 0.5, 0.2,
  ],
  late: [5, 4, 2.5, 1.5, 0.8, 0.3, 0.2, 0.3, 0.6, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 5, 6, 7, 8, 7],
  shifts: [3, 3, 3, 3, 3, 3, 4, 5, 5, 4, 4, 4, 4, 5, 6, 5, 4, 4, 4, 4, 4, 4, 4, 3],
}

const SHOP_HOURS = [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 5, 6, 7, 6, 5, 5, 7, 9, 9, 6, 0, 0, 0, 0] as const

const OFFICE_HOURS = [
  0, 0, 0, 0, 0, 0, 0.2, 1, 4, 7, 8, 7, 3, 5, 7, 6, 4, 2, 0.7, 0.2, 0, 0, 0, 0,
] as const

const HOURS_OF_DAY = Array.from({ length: 24 }, (_, hour) => hour)

/** ms since local midnight */
export const timeOfDay = (random: Random, rhythm: Rhythm): number => timeFrom(random, HOURS[rhythm])
export const shopTime = (random: Random): number => timeFrom(random, SHOP_HOURS)
export const officeTime = (random: Random): number => timeFrom(random, OFFICE_HOURS)

function timeFrom(random: Random, hours: readonly number[]): number {
  const hour = random.weighted(HOURS_OF_DAY, (each) => hours[each] ?? 0)
  return Math.floor((hour + random.uniform()) * HOUR_MS)
}

/** Hours at which somebody of this rhythm hardly ever orders. */
export function deadHours(rhythm: Rhythm): number[] {
  const most = Math.max(...HOURS[rhythm])
  return HOURS_OF_DAY.filter((hour) => (HOURS[rhythm][hour] ?? 0) < most / 30)
}

/** 0 Sunday to 6 Saturday */
export const weekday = (day: number): number => new Date(FIRST_DAY_MS + day * DAY_MS).getUTCDay()

/** Sales against an ordinary day: Black Friday to Cyber Monday, Advent, and the quiet after. */
export function season(day: number): number {
  const date = new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(5, 10)
  if (date >= '11-26' && date <= '11-30') return 3.5
  if (date >= '12-01' && date <= '12-21') return 1.7
  if (date >= '12-24' && date <= '12-26') return 0.3
  return 1
}

export const isGiftSeason = (day: number): boolean => season(day) > 1

/** 0 to 23 on the wall of a place. */
export function localHour(at_ms: number, utc_offset: number): number {
  return Math.floor((((at_ms + utc_offset * HOUR_MS) % DAY_MS) + DAY_MS) / HOUR_MS) % 24
}
