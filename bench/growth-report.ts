/** Whether an order costs more the more orders its profile has behind it. Pure. */
import { aimLine, fine, spread, table, whole } from './report.ts'
import { median } from './statistics.ts'

/** One short run of orders of one profile. */
export type GrowthRun = {
  round: number
  past_orders: number
  callers: number
  per_second: number
  flagged: number
  orders: number
}

export type GrowthRow = {
  past_orders: number
  /** Characters of the profile's state as JSON. */
  state_chars: number
  flagged_share: number
  by_callers: GrowthCost[]
}

type GrowthCost = {
  callers: number
  per_second: number
  /** To that of the profile with the fewest past orders, median over the rounds. */
  cost_ratio: number
  cost_ratio_each: number[]
}

export type StateSize = { past_orders: number; state_chars: number }

const AIM_RATIO = 1.1

export function growthRows(runs: GrowthRun[], sizes: StateSize[]): GrowthRow[] {
  const least = Math.min(...sizes.map(({ past_orders }) => past_orders))
  const callersOf = [...new Set(runs.map(({ callers }) => callers))]
  return sizes.map(({ past_orders, state_chars }) => {
    const own = runs.filter((run) => run.past_orders === past_orders)
    const cost = (callers: number): GrowthCost => {
      const some = own.filter((run) => run.callers === callers)
      const cost_ratio_each = some.map(({ round, per_second }) => {
        const isFirst = (run: GrowthRun) =>
          run.past_orders === least && run.callers === callers && run.round === round
        return (runs.find(isFirst)?.per_second ?? Number.NaN) / per_second
      })
      return {
        callers,
        per_second: median(some.map(({ per_second }) => per_second)),
        cost_ratio: median(cost_ratio_each),
        cost_ratio_each,
      }
    }
    const orders = own.reduce((sum, run) => sum + run.orders, 0)
    const flagged = own.reduce((sum, run) => sum + run.flagged, 0)
    return {
      past_orders,
      state_chars,
      flagged_share: flagged / orders,
      by_callers: callersOf.map(cost),
    }
  })
}

export function growthLines(rows: GrowthRow[]): string[] {
  const columns = rows[0]?.by_callers ?? []
  return [
    'growth: orders of one profile each, without HTTP; cost to that of the profile with the fewest past orders',
    table(
      [
        'past orders',
        ...columns.flatMap(({ callers }) => [
          `orders/s, ${callers} callers`,
          'cost',
          '(least',
          'most)',
        ]),
        'state chars',
        'flagged %',
      ],
      rows.map((row) => [
        String(row.past_orders),
        ...row.by_callers.flatMap((cost) => [
          whole(cost.per_second),
          ...spread(cost.cost_ratio, cost.cost_ratio_each),
        ]),
        whole(row.state_chars),
        fine(row.flagged_share * 100),
      ]),
    ),
  ]
}

export function costAim(rows: GrowthRow[]): string[] {
  const worst = Math.max(...rows.flatMap((row) => row.by_callers.map((cost) => cost.cost_ratio)))
  if (rows.length === 0) return []
  const text = `${fine(worst)} times the cost with more past orders at most, aim ${AIM_RATIO}`
  return [aimLine(worst <= AIM_RATIO, text)]
}
