/**
 * Selects the transactions of a test week that are judged (Fraud Detection Handbook, chapters 3 and 5):
 * one week of training, one week of delay, one week of test. Customers with a known fraud are left out,
 * and a fraud becomes known seven days after its day.
 */
import { dayOf } from './frauds.ts'
import { type CardWorld, DAY_S, FIRST_DAY_MS } from './world.ts'

/** The third week is the published one; the same constants have to hold in the others. */
export const TEST_WEEKS = ['2018-07-11', '2018-07-25', '2018-08-08', '2018-08-22', '2018-09-05']

const WEEK_DAYS = 7
export const DELAY_DAYS = 7

/** Rows of the seven days from `start`, in order of time, without customers known to be compromised. */
export function testRows(world: CardWorld, start: string): number[] {
  const first_day = Math.round((Date.parse(start) - FIRST_DAY_MS) / (DAY_S * 1_000))
  const training_day = first_day - DELAY_DAYS - WEEK_DAYS
  const known = new Set<number>()
  const learn = (day: number) => {
    for (const row of rowsOfDay(world, day)) {
      if ((world.scenario[row] ?? 0) > 0) known.add(world.customer[row] ?? 0)
    }
  }
  for (let day = training_day; day < training_day + WEEK_DAYS; day += 1) learn(day)
  const rows: number[] = []
  for (let day = first_day; day < first_day + WEEK_DAYS; day += 1) {
    // As published, the day before (day - 7) is the last day that is fully known.
    learn(day - DELAY_DAYS - 1)
    rows.push(...rowsOfDay(world, day).filter((row) => !known.has(world.customer[row] ?? 0)))
  }
  return rows
}

function rowsOfDay(world: CardWorld, day: number): number[] {
  const rows: number[] = []
  for (let row = firstRowOf(world, day); row < world.count && dayOf(world, row) === day; row += 1) {
    rows.push(row)
  }
  return rows
}

/** Binary search: the rows are sorted by time. */
function firstRowOf(world: CardWorld, day: number): number {
  let [low, high] = [0, world.count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (dayOf(world, middle) < day) low = middle + 1
    else high = middle
  }
  return low
}
