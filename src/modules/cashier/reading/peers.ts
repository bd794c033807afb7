/** Rows of the comparison of cashiers, and their medians. */
import { recordOf } from '../../risk/index.ts'
import { CASHIER_PARAMETERS } from '../scoring/parameters.ts'
import type { CashierRow, ShiftRow } from './period.store.ts'
import type { PeerMedians, PeerRow, PeerScore } from './schema.ts'
import { hoursOf, shiftsOf } from './shifts.ts'

/** Returns the most conspicuous cashiers first: by strength, then by flagged actions. */
export function peerRows(
  cashiers: readonly CashierRow[],
  shifts: readonly ShiftRow[],
  scoreOf: (cashierId: string) => PeerScore | null,
  until: Date,
): PeerRow[] {
  const byCashier = new Map<string, ShiftRow[]>()
  for (const event of shifts) {
    const events = byCashier.get(event.cashier_id)
    if (events) events.push(event)
    else byCashier.set(event.cashier_id, [event])
  }
  return cashiers
    .map((cashier) =>
      peerRow(
        cashier,
        byCashier.get(cashier.cashier_id) ?? [],
        scoreOf(cashier.cashier_id),
        until.getTime(),
      ),
    )
    .toSorted(
      (a, b) =>
        (b.score?.strength ?? 0) - (a.score?.strength ?? 0) ||
        b.flagged - a.flagged ||
        (b.highest_score ?? -1) - (a.highest_score ?? -1) ||
        b.count - a.count ||
        (a.cashier_external_id < b.cashier_external_id ? -1 : 1),
    )
}

const MEDIANS = [
  'count',
  'per_day',
  'per_shift',
  'per_hour',
  'amount_sum_cents',
  'amount_median_cents',
] as const

export const mediansOf = (rows: readonly PeerRow[]): PeerMedians =>
  recordOf(MEDIANS, (name) => median(rows.flatMap((row) => row[name] ?? [])))

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const high = sorted[Math.floor(sorted.length / 2)]
  const low = sorted[Math.ceil(sorted.length / 2) - 1]
  return high === undefined || low === undefined ? null : (low + high) / 2
}

function peerRow(
  { low, medium, high, critical, last_ms, ...cashier }: CashierRow,
  events: readonly ShiftRow[],
  score: PeerScore | null,
  until_ms: number,
): PeerRow {
  const spans = shiftsOf(events, until_ms, CASHIER_PARAMETERS.shifts.longest_hours)
  const hours = hoursOf(spans, until_ms)
  return {
    ...cashier,
    levels: { low, medium, high, critical },
    per_day: cashier.active_days === 0 ? 0 : cashier.count / cashier.active_days,
    shifts: spans.length === 0 ? null : spans.length,
    shift_hours: spans.length === 0 ? null : hours,
    per_shift: spans.length === 0 ? null : cashier.count / spans.length,
    per_hour: hours === 0 ? null : cashier.count / hours,
    last_performed_at: last_ms === null ? null : new Date(last_ms).toISOString(),
    score,
  }
}
