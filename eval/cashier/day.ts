/** One day of a shop: who works where, what is sold, and what honest cashiers do besides. */
import type { Random } from '../../src/platform/random.ts'
import { createShift, type Event } from './shift.ts'
import type { Cashier, Store } from './world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A Monday. */
export const FIRST_DAY_MS = Date.UTC(2026, 7, 3)

export type Season = { traffic: number; refunds: number; overrides: number; voids: number }

/** @returns in the order of time */
export function createDay(
  random: Random,
  store: Store,
  day: number,
  season: Season,
): { events: Event[]; shifts: number } {
  const weekday = day % 7
  const working = store.cashiers.filter(({ rest_days }) => !rest_days.includes(weekday))
  const traffic = season.traffic * (weekday === 5 ? 1.4 : weekday === 6 ? 0.7 : 1)
  const atDesk = new Set<Cashier>()
  for (const isLate of [false, true]) {
    const ofShift = working.filter(({ is_late }) => is_late === isLate)
    const desk = ofShift.find(({ is_desk }) => is_desk)
    if (desk !== undefined) atDesk.add(desk)
  }
  const events = working.flatMap((cashier, index) => {
    const begin = FIRST_DAY_MS + day * DAY_MS + (cashier.is_late ? 13 : 8) * HOUR_MS
    const isDesk = atDesk.has(cashier)
    return createShift(random.fork(`${day} ${cashier.id}`), {
      store,
      cashier,
      day,
      begin,
      hours: 8,
      is_desk: isDesk,
      till: isDesk ? `${store.name} desk` : `${store.name} till ${(index % 4) + 1}`,
      traffic,
      season,
    })
  })
  return { events: events.toSorted((a, b) => a.at - b.at), shifts: working.length }
}

/** A sale of two weeks and the week of returns after it; quieter in the month before. */
export function seasonOf(day: number): Season {
  const ordinary = { traffic: 1, refunds: 1, overrides: 1, voids: 1 }
  if (day >= 60 && day < 74) return { traffic: 1.8, refunds: 1, overrides: 1.5, voids: 1.2 }
  if (day >= 74 && day < 82) return { traffic: 1.1, refunds: 2.5, overrides: 1, voids: 1 }
  return ordinary
}
