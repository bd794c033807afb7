/** The state of a case follows from what members did with it, and from the time. Pure. */
import { HOUR_MS } from '../../../platform/time-units.ts'
import { riskLevel } from '../../risk/index.ts'
import type { ReviewTables } from '../tables.ts'
import { readCause } from './cause.ts'
import type { CaseRecord, CaseState } from './schema.ts'

export type CaseRow = ReviewTables['cases']

export function stateOf(
  {
    closed_at,
    waits_until,
    assignee_id,
  }: Pick<CaseRow, 'closed_at' | 'waits_until' | 'assignee_id'>,
  now: Date,
): CaseState {
  if (closed_at !== null) return 'closed'
  if (waits_until !== null && waits_until > now) return 'waiting'
  return assignee_id === null ? 'open' : 'in_work'
}

/** The clock runs from the first item on, also while the case waits. */
const dueAt = ({ first_at }: Pick<CaseRow, 'first_at'>, slaHours: number): Date =>
  new Date(first_at.getTime() + slaHours * HOUR_MS)

export function recordOf(row: CaseRow, slaHours: number, now: Date): CaseRecord {
  const due = dueAt(row, slaHours)
  const { id, mode, risk_score, amount_cents, currency, is_mixed, customer, country } = row
  const { items, open_items, frauds, assignee_id, closed_by, outcome, reason_code, version } = row
  return {
    id,
    mode,
    state: stateOf(row, now),
    cause: readCause(row.cause),
    risk_score,
    risk_level: riskLevel(risk_score),
    amount_cents,
    currency,
    is_mixed,
    customer,
    country,
    items,
    open_items,
    frauds,
    first_at: row.first_at.toISOString(),
    last_at: row.last_at.toISOString(),
    due_at: due.toISOString(),
    is_overdue: (row.closed_at ?? now) > due,
    assignee_id,
    waits_until: row.waits_until?.toISOString() ?? null,
    is_escalated: row.escalated_at !== null,
    closed_at: row.closed_at?.toISOString() ?? null,
    closed_by,
    outcome,
    reason_code,
    version,
  }
}
