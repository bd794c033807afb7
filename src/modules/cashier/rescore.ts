/** Scores stored cashier actions again with drafted rules, from their stored signals and facts. */
import type { Measurement } from '../behavior/index.ts'
import {
  ADJUSTED_FINDINGS,
  type Amount,
  type CompiledRules,
  type Rescored,
  type RuledSubject,
} from '../custom-rules/index.ts'
import { recordOf, riskLevel } from '../risk/index.ts'
import { reasonOf } from './explain.ts'
import { newestActions, readActions, type StoredAction } from './rescore.store.ts'
import { adjustAction } from './scoring/adjusted.ts'
import { CASHIER_PARAMETERS, CASHIER_SIGNALS, type CashierSignal } from './scoring/parameters.ts'
import { flagsOf } from './scoring/scoring.ts'
import { amountOf } from './store.ts'

export const ruledActions: RuledSubject = {
  rescore: async function* (db, query, custom) {
    for await (const action of readActions(db, query)) yield rescored(action, custom)
  },
  newest: newestActions,
}

function rescored(action: StoredAction, custom: CompiledRules): Rescored {
  const { id, request, fraud, created_at, decision } = action
  const { measurements, risk_score } = scoreAgain(action, custom)
  const signals = recordOf(CASHIER_SIGNALS, (signal) => measurements[signal].score)
  const flags = flagsOf(signals, CASHIER_PARAMETERS)
  const now = { risk_score, risk_level: riskLevel(risk_score), signals, flags }
  const isFlagged = flags.length > 0
  return {
    id,
    external_id: request.cashier_external_id,
    created_at,
    score_then: fraud.risk_score,
    score_now: risk_score,
    was_flagged: fraud.flags.length > 0,
    is_flagged: isFlagged,
    amount: amountAtStake(action),
    decision,
    reason: () =>
      isFlagged ? reasonOf(now, measurements) : reasonOf(fraud, action.measurements.signals),
  }
}

function scoreAgain(
  { request, measurements, performed_at }: StoredAction,
  custom: CompiledRules,
): ReturnType<typeof adjustAction> {
  const { context, signals, before = {}, facts: stored = {} } = measurements
  const found = recordOf(
    CASHIER_SIGNALS,
    (signal): Measurement => before[signal] ?? unadjusted(signals, signal),
  )
  const facts = {
    ...context,
    order: context.order,
    action_type: request.action_type,
    edge_device_id: request.edge_device_id,
    amount_cents: amountOf(request),
    performed_at_ms: performed_at.getTime(),
    cashier_external_id: request.cashier_external_id,
    reason: request.reason,
  }
  return adjustAction({ facts, found, stored }, custom, CASHIER_PARAMETERS)
}

/** Actions of an earlier version of the program lack the signals from before a list raised one. */
function unadjusted(
  signals: Readonly<Record<CashierSignal, Measurement>>,
  signal: CashierSignal,
): Measurement {
  const found = signals[signal]
  return ADJUSTED_FINDINGS.has(found.finding) ? { ...found, score: 0, finding: null } : found
}

function amountAtStake({ request, measurements }: StoredAction): Amount | undefined {
  const cents = amountOf(request)
  const currency = measurements.facts?.currency ?? measurements.context.order?.currency
  return cents === undefined || currency === undefined ? undefined : { cents, currency }
}
