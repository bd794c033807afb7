/** The first thing that a reviewer of a cashier action should read. */
import { combine } from '../risk/index.ts'
import type { CashierFraud } from './schema.ts'
import { CASHIER_PARAMETERS } from './scoring/parameters.ts'
import type { ScoredAction } from './scoring/scoring.ts'

/** Signal and finding that made most of the score, with the numbers behind them. */
export function reasonOf(fraud: CashierFraud, measurements: ScoredAction['measurements']): string {
  const [worst] = combine(CASHIER_PARAMETERS.weights, fraud.signals, 0).shares
  if (worst === undefined) return `score ${fraud.risk_score}`
  const { finding, numbers } = measurements[worst.signal]
  const told = Object.entries(numbers).map(([name, value]) => `${name} ${readable(value)}`)
  return `${worst.signal}: ${[finding ?? 'unusual', ...told].join(', ')}`
}

const readable = (value: number | string): number | string =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value
