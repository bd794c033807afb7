/**
 * The step of a cashier action: scores it against the states of cashier, till and peers, and returns
 * all rows and states to write. A retry returns the stored action and writes nothing (OP-52).
 */

import type { NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import { type Row, rowFor } from '../../platform/postgres/rows.ts'
import {
  type ChangedState,
  type Outcome,
  type Reader,
  readFrom,
  type States,
  type Step,
} from '../../platform/states/index.ts'
import type { RulesInEffect } from '../custom-rules/index.ts'
import { eventWriter } from '../events/index.ts'
import { notificationWriter, ruleAlerts } from '../notifications/index.ts'
import { flaggedRows } from '../reviews/index.ts'
import type { ListMatch } from '../risk/index.ts'
import { recordOf } from '../risk/index.ts'
import { caseFactsOfAction } from './case-facts.ts'
import { reasonOf } from './explain.ts'
import type { CashierRequest, RecordedAction } from './schema.ts'
import type { ActionFacts, MatchedOrder } from './scoring/facts.ts'
import { CASHIER_SIGNALS, type CashierParameters } from './scoring/parameters.ts'
import { type ScoredAction, scoreAction } from './scoring/scoring.ts'
import type { CashierStates } from './scoring/states.ts'
import type { CashierKeys } from './state-keys.ts'
import {
  type ActionContext,
  actionWriter,
  amountOf,
  type OrderName,
  refundedReader,
  type StoredAction,
  storedActionReader,
  type WholeAction,
} from './store.ts'

/** Facts about the order that an action names. */
export type SoldOrder = {
  cashier_external_id: string | undefined
  amount_cents: number
  currency: string
  is_cash: boolean
  ordered_at: Date
}

export type SoldOrderReader = Reader<OrderName, SoldOrder | undefined>

export type ActionJob = {
  id: string
  org_id: string
  mode: Mode
  request: CashierRequest
  keys: CashierKeys & { organization: string }
  /** Undefined when the request has no performed_at. */
  action_hash: string | undefined
  location: string
  /** Entries of the organization's lists that the action matches. */
  lists: readonly ListMatch[]
  local_hour: number
  performed_at: Date
  received_at: Date
  /** Rules that were in effect when the action arrived. */
  rules: RulesInEffect
}

export type ActionStepDependencies = {
  newId: NewId
  soldOrders: SoldOrderReader
  parameters: CashierParameters
}

export function actionStep(deps: ActionStepDependencies, job: ActionJob): Step<RecordedAction> {
  const { org_id, mode, keys, action_hash, request } = job
  const { order_external_id } = request
  const reads: Step<RecordedAction>['reads'][number][] = []
  const owner = { org_id, mode }
  if (action_hash !== undefined) reads.push(readFrom(storedActionReader, { ...owner, action_hash }))
  if (order_external_id !== undefined) {
    const name = { ...owner, external_order_id: order_external_id }
    reads.push(readFrom(deps.soldOrders, name), readFrom(refundedReader, name))
  }
  const identity = identityOf(job)
  return {
    org_id,
    keys: Object.values(keys).filter((id) => id !== undefined),
    ...(identity !== undefined && { identity }),
    reads,
    apply: (states, answers) => {
      const [stored, ...rest] = action_hash === undefined ? [undefined, ...answers] : answers
      return stored === undefined
        ? record(deps, job, rest, states)
        : { states: [], rows: [], result: recordedAction(stored as StoredAction) }
    },
  }
}

/** Actions on one order are serialized, so that a refund sees the refunds before it. */
function identityOf({ org_id, mode, request, action_hash }: ActionJob): string | undefined {
  const { order_external_id } = request
  if (order_external_id !== undefined) {
    return `actions on order ${org_id} ${mode} ${order_external_id}`
  }
  return action_hash === undefined ? undefined : `cashier action ${org_id} ${action_hash}`
}

export const recordedAction = ({
  id,
  request,
  fraud,
  performed_at,
}: StoredAction): RecordedAction => ({
  action: {
    id,
    action_type: request.action_type,
    amount_cents: request.amount_cents ?? null,
    performed_at: performed_at.toISOString(),
  },
  fraud,
})

function record(
  deps: ActionStepDependencies,
  job: ActionJob,
  [sold, refunded]: readonly unknown[],
  states: States,
): Outcome<RecordedAction> {
  const { request, keys, received_at, location, local_hour, lists } = job
  const order = matchedOrder(request, sold as SoldOrder | undefined, Number(refunded ?? 0))
  const context: ActionContext = {
    location,
    local_hour,
    ...(order !== undefined && { order }),
    ...(lists.length > 0 && { lists }),
  }
  const before = statesAt(keys, states)
  const facts = factsOf(job, context)
  const scored = scoreAction(
    facts,
    before,
    received_at.getTime(),
    deps.parameters,
    job.rules.custom,
  )
  const result = recordedAction({ ...job, fraud: scored.fraud })
  return {
    states: changedStates(keys, before, scored.next, received_at),
    rows: [
      rowFor(actionWriter, {
        org_id: job.org_id,
        id: job.id,
        mode: job.mode,
        cashier_id: keys.cashier,
        action_hash: job.action_hash,
        request,
        fraud: scored.fraud,
        measurements: storedMeasurements(job, context, scored),
        performed_at: job.performed_at,
        created_at: received_at,
      }),
      ...(scored.is_detected ? detectionRows(deps, job, { scored, context, result }) : []),
      ...alertRows(job, scored),
    ],
    result,
  }
}

function storedMeasurements(
  { rules: { version, custom } }: ActionJob,
  context: ActionContext,
  { measurements: signals, adjustments, before, shadows, rule_facts: facts }: ScoredAction,
): WholeAction['measurements'] {
  return {
    context,
    signals,
    ...(adjustments.length > 0 && { adjustments }),
    ...(before && { before: changedSignals(before, signals) }),
    ...(shadows.length > 0 && { shadows }),
    ...(custom.of('cashier_action').length > 0 && { rules_version: version }),
    ...(Object.keys(facts).length > 0 && { facts }),
  }
}

const changedSignals = (
  before: ScoredAction['measurements'],
  after: ScoredAction['measurements'],
): Partial<ScoredAction['measurements']> =>
  Object.fromEntries(
    CASHIER_SIGNALS.flatMap((signal) =>
      before[signal].score === after[signal].score ? [] : [[signal, before[signal]]],
    ),
  )

const alertRows = (
  { id, org_id, mode, keys, received_at }: ActionJob,
  { fraud, adjustments }: ScoredAction,
): Row[] =>
  ruleAlerts({
    org_id,
    mode,
    adjustments,
    identity: keys.cashier,
    noun: 'cashier action',
    score: fraud.risk_score,
    link: `/cashiers/actions/${id}`,
    at: received_at,
  }).map((alert) => rowFor(notificationWriter, alert))

function factsOf({ keys, request, performed_at }: ActionJob, context: ActionContext): ActionFacts {
  return {
    cashier_id: keys.cashier,
    action_type: request.action_type,
    edge_device_id: request.edge_device_id,
    location: context.location,
    amount_cents: amountOf(request),
    performed_at_ms: performed_at.getTime(),
    local_hour: context.local_hour,
    order: context.order,
    ...(context.lists && { lists: context.lists }),
    cashier_external_id: request.cashier_external_id,
    reason: request.reason,
  }
}

function matchedOrder(
  { order_external_id, cashier_external_id }: CashierRequest,
  sold: SoldOrder | undefined,
  refunded_cents: number,
): MatchedOrder | null | undefined {
  if (order_external_id === undefined) return undefined
  if (sold === undefined) return null
  const isSame = sold.cashier_external_id === cashier_external_id
  const other = sold.cashier_external_id === undefined ? 'unknown' : 'other'
  return {
    cashier: isSame ? 'same' : other,
    amount_cents: sold.amount_cents,
    currency: sold.currency,
    refunded_cents,
    is_cash: sold.is_cash,
    ordered_at_ms: sold.ordered_at.getTime(),
  }
}

const KINDS = {
  cashier: 'cashier',
  till: 'till',
  store: 'cashier_store',
  organization: 'cashier_organization',
} as const

const MEMBERS = Object.keys(KINDS) as (keyof typeof KINDS)[]

function statesAt(keys: ActionJob['keys'], states: States): CashierStates {
  const at = (id: string | undefined) => (id === undefined ? undefined : states.get(id))
  return recordOf(MEMBERS, (member) => at(keys[member])) as CashierStates
}

function changedStates(
  keys: ActionJob['keys'],
  before: CashierStates,
  next: CashierStates,
  updated_at: Date,
): ChangedState[] {
  return MEMBERS.flatMap((member) => {
    const [id, value] = [keys[member], next[member]]
    if (id === undefined || value === undefined || value === before[member]) return []
    return [{ id, kind: KINDS[member], value, updated_at }]
  })
}

function detectionRows(
  { newId }: ActionStepDependencies,
  { id, org_id, mode, request, received_at }: ActionJob,
  {
    scored: { fraud, measurements },
    context,
    result,
  }: { scored: ScoredAction; context: ActionContext; result: RecordedAction },
): Row[] {
  const owner = { org_id, mode }
  const review = {
    ...owner,
    id: newId(received_at),
    subject: 'cashier_action' as const,
    subject_id: id,
    external_id: request.cashier_external_id,
    risk_score: fraud.risk_score,
    flags: fraud.flags,
    reason: reasonOf(fraud, measurements),
    created_at: received_at,
  }
  return [
    rowFor(eventWriter, {
      ...owner,
      id: newId(received_at),
      type: 'cashier.fraud.detected',
      data: result,
      occurred_at: received_at,
    }),
    ...flaggedRows([review], caseFactsOfAction(request, context), () => newId(received_at)),
  ]
}
