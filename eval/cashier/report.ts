/** The results of the cashier evaluation as text. */
import type { Alarms, CashierEvaluation } from './evaluate.ts'

export function printCashier(result: CashierEvaluation): string {
  const { thefts, honest, warm_up, seeds } = result
  const sizes = Object.entries(result.state_bytes).map(([kind, bytes]) => `${kind} ${bytes}`)
  return [
    `${result.stores} stores, ${result.days} days, seeds ${seeds.join(', ')}: ${result.sales} sales, ${result.actions} actions`,
    '',
    `${'theft'.padEnd(18)} times thieves  <=7 d <=30 d <=60 d  median days`,
    ...thefts.map((each) =>
      [
        each.kind.padEnd(18),
        String(each.times).padStart(5),
        String(each.thieves).padStart(7),
        share(each.within_7_days),
        share(each.within_30_days),
        share(each.within_60_days),
        (each.median_days === null ? '-' : each.median_days.toFixed(1)).padStart(12),
      ].join(' '),
    ),
    '',
    'Honest cashiers:',
    ...alarms('after the first three weeks', honest),
    ...alarms('in the first three weeks', warm_up),
    '',
    `States written per sale: ${result.state_writes_per_sale.toFixed(2)}; largest, in bytes: ${sizes.join(', ')}`,
    `Without the simulation, ${result.microseconds_per_event.toFixed(1)} microseconds per event`,
  ].join('\n')
}

const share = (value: number): string => value.toFixed(2).padStart(6)

function alarms(when: string, tally: Alarms): string[] {
  const flags = Object.entries(tally.by_flag).map(([flag, rate]) => `${flag} ${rate.toFixed(2)}`)
  return [
    `  ${when}: ${tally.shifts} shifts, ${tally.flagged_shifts_per_1000.toFixed(2)} of 1,000 with a flag, ${tally.flags_per_1000_shifts.toFixed(2)} flags per 1,000`,
    `    by flag: ${flags.length === 0 ? 'none' : flags.join(', ')}; cashiers ever flagged: ${(100 * tally.cashiers_share).toFixed(1)} %`,
  ]
}
