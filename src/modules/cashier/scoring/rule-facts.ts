/** The facts of a cashier action that custom rules read. Pure. */

import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { Measurement } from '../../behavior/index.ts'
import { listFacts, type RuleFacts, ruleFacts } from '../../custom-rules/index.ts'
import { recordOf } from '../../risk/index.ts'
import type { Case } from './case.ts'
import { INDEX, type Kind, leftOf, type Window } from './counts.ts'
import type { ActionFacts } from './facts.ts'
import { recentKindOf } from './learn.ts'
import { CASHIER_SIGNALS, type CashierSignal } from './parameters.ts'
import { shiftAt } from './shifts.ts'

/**
 * What rules read of the states. It is stored with every action, because the states are not there anymore
 * when a draft is replayed. Everything that is 0 or unknown is absent.
 */
export type StoredActionFacts = {
  is_known?: true
  shift?: 'open' | 'grace' | 'closed'
  currency?: string
  usual_sale_cents?: number
  actions_shift?: number
  actions_week?: number
  sales_shift?: number
  sales_week?: number
}

/** @param isKnown whether the cashier has an earlier event */
export function storedActionFacts(current: Case, isKnown: boolean): StoredActionFacts {
  const { facts, before, at_ms, currency, parameters } = current
  const kind = facts.action_type === 'cash_pickup' ? 'pickup' : recentKindOf(facts.action_type)
  const stored: StoredActionFacts = {}
  const shift = shiftAt(before.shifts, at_ms, parameters.shifts).state
  const numbers = {
    usual_sale_cents: Math.round(before.sales.mean_cents),
    actions_shift: kind === undefined ? 0 : countOf(current, kind, 'shift'),
    actions_week: kind === undefined ? 0 : countOf(current, kind, 'week'),
    sales_shift: countOf(current, 'sale', 'shift'),
    sales_week: countOf(current, 'sale', 'week'),
  }
  if (isKnown) stored.is_known = true
  if (shift !== 'unknown') stored.shift = shift
  if (currency !== undefined) stored.currency = currency
  for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) {
    if (numbers[name] > 0) stored[name] = numbers[name]
  }
  return stored
}

function countOf({ counts, at_ms }: Case, kind: Kind, window: Window): number {
  const { one } = leftOf(counts.at, at_ms, window)
  return Math.round((counts[window][INDEX[kind]] ?? 0) * one * 100) / 100
}

export type ActionRuleSubject = {
  facts: Pick<
    ActionFacts,
    | 'action_type'
    | 'edge_device_id'
    | 'location'
    | 'amount_cents'
    | 'performed_at_ms'
    | 'local_hour'
    | 'order'
    | 'lists'
    | 'cashier_external_id'
    | 'reason'
  >
  stored: StoredActionFacts
  /** Before rules and lists. */
  found: Readonly<Record<CashierSignal, Measurement>>
  score: number
}

const NO_LISTS = [] as const

/** @param wanted groups of facts that the rules read */
export function actionRuleFacts(
  { facts, stored, found, score }: ActionRuleSubject,
  wanted: ReadonlySet<string>,
): RuleFacts {
  const { order } = facts
  const sources = {
    action: () => ({
      type: facts.action_type,
      amount_cents: facts.amount_cents ?? 0,
      currency: stored.currency ?? '',
      reason: facts.reason ?? '',
      terminal: facts.edge_device_id ?? '',
      store: facts.location.startsWith(STORE) ? facts.location.slice(STORE.length) : '',
      hour: facts.local_hour,
    }),
    order: () => ({
      is_named: order !== undefined,
      is_known: order !== undefined && order !== null,
      amount_cents: order?.amount_cents ?? 0,
      refunded_cents: order?.refunded_cents ?? 0,
      is_cash: order?.is_cash ?? false,
      cashier: order?.cashier ?? '',
      age_minutes: order
        ? Math.max(0, Math.floor((facts.performed_at_ms - order.ordered_at_ms) / MINUTE_MS))
        : 0,
    }),
    cashier: () => ({
      id: facts.cashier_external_id ?? '',
      is_known: stored.is_known === true,
      shift: stored.shift ?? 'unknown',
      usual_sale_cents: stored.usual_sale_cents ?? 0,
      actions_shift: stored.actions_shift ?? 0,
      actions_week: stored.actions_week ?? 0,
      sales_shift: stored.sales_shift ?? 0,
      sales_week: stored.sales_week ?? 0,
    }),
    signals: () => ({
      ...recordOf(CASHIER_SIGNALS, (signal) => found[signal].score),
      score,
      findings: CASHIER_SIGNALS.flatMap((signal) => found[signal].finding ?? []),
    }),
    lists: () => listFacts(facts.lists ?? NO_LISTS),
  }
  return ruleFacts('cashier_action', sources, wanted)
}

/** How the location of a named store begins. */
const STORE = 'location '
