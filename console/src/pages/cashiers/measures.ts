import type {
  CashierPeers,
  PeerComparison,
  PeerRow,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { amountText, numberText, percentText } from '../../components/index.ts'

export type Measure = {
  id: string
  label: string
  valueOf: (row: PeerRow) => number | null
  /** The usual value among the cashier's peers. */
  usualOf: (row: PeerRow, peers: CashierPeers) => number | null
  text: (value: number, peers: CashierPeers) => string
}

const shareOf = (window: PeerComparison['window'], halfLife: string): Measure => {
  const of = ({ score }: PeerRow) => score?.comparisons.find((each) => each.window === window)
  return {
    id: `share_${window}`,
    label: `Share of transactions, ${halfLife}`,
    valueOf: (row) => of(row)?.share ?? null,
    usualOf: (row) => of(row)?.peers_share ?? null,
    text: (value) => percentText(value),
  }
}

const numberOf = (
  id: 'count' | 'per_day' | 'per_shift' | 'per_hour' | 'amount_sum_cents' | 'amount_median_cents',
  label: string,
): Measure => ({
  id,
  label,
  valueOf: (row) => row[id],
  usualOf: (_row, { medians }) => medians[id],
  text: (value, { currency }) =>
    id.startsWith('amount') ? amountText(value, currency) : numberText(value),
})

export const MEASURES: readonly Measure[] = [
  shareOf('week', 'half-life 7 days'),
  shareOf('month', 'half-life 30 days'),
  shareOf('shift', 'half-life 4 hours'),
  numberOf('count', 'Count'),
  numberOf('per_shift', 'Count per shift'),
  numberOf('per_hour', 'Count per hour on shift'),
  numberOf('per_day', 'Count per active day'),
  numberOf('amount_sum_cents', 'Total amount'),
  numberOf('amount_median_cents', 'Median amount'),
]

/** The measure that the address names if any cashier has it, otherwise the first one that has values. */
export function measureOf(id: string, { cashiers }: CashierPeers): Measure | undefined {
  const isKnown = (measure: Measure) => cashiers.some((row) => measure.valueOf(row) !== null)
  return MEASURES.find((measure) => measure.id === id && isKnown(measure)) ?? MEASURES.find(isKnown)
}
