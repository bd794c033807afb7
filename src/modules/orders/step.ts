/**
 * The step of an order: scored against the states of all that it touches, with everything that it
 * leaves behind. A retry finds the stored order and leaves nothing (OP-9).
 */
import { canonicalJson } from '../../platform/canonical-json.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import {
  type Outcome,
  type Row,
  readFrom,
  rowFor,
  type States,
  type Step,
} from '../../platform/states/index.ts'
import { toUnits, usageWriter } from '../billing/index.ts'
import { eventWriter, type OutboxEvent } from '../events/index.ts'
import {
  profileRecord,
  profileWriter,
  type ReputationKeys,
  readsOf,
  riskChangedRow,
  toldBy,
} from '../profiles/index.ts'
import { reviewWriter } from '../reviews/index.ts'
import { applyOrder } from './apply.ts'
import { reasonOf } from './explain.ts'
import type { OrderContext } from './facts.ts'
import { idsOf, type OrderKeys } from './keys.ts'
import type { RulesInForce } from './rules/in-force.ts'
import type { OrderRequest, ScoredOrder } from './schema.ts'
import type { ScoredOrder as Scored } from './scoring/scoring.ts'
import { type OrderRow, orderWriter, type StoredOrder, storedOrderReader } from './store.ts'

export type OrderJob = {
  id: string
  org_id: string
  mode: Mode
  request: OrderRequest
  /** Without reputation and checks, which the step reads itself. */
  context: OrderContext
  keys: OrderKeys
  /** That of `keys`, as the profiles ask for it. */
  device_id: string | undefined
  /** Under which the shared reputation knows device, ip and profile. */
  reputation_keys: ReputationKeys
  ordered_at: Date
  received_at: Date
  credits: number
  /** In force when it arrived. */
  rules: RulesInForce
}

export type OrderStepDependencies = { newId: NewId }

export function orderStep(deps: OrderStepDependencies, job: OrderJob): Step<ScoredOrder> {
  const { org_id, mode, request, keys } = job
  const { external_order_id } = request
  return {
    org_id,
    keys: idsOf(keys),
    identity: `order ${org_id} ${mode} ${external_order_id}`,
    reads: [readFrom(storedOrderReader, { org_id, mode, external_order_id }), ...readsOf(job)],
    apply: (states, [stored, ...answers]) =>
      stored === undefined
        ? score(deps, job, withTold(job, answers), states)
        : { states: [], rows: [], result: answerAgain(stored as StoredOrder, request) },
  }
}

/** What the context takes from others, as far as they say anything. */
function withTold(job: OrderJob, answers: readonly unknown[]): OrderContext {
  const { check_risk, reputation } = toldBy(job, answers, job.received_at)
  const context = { ...job.context }
  if (check_risk > 0) context.check_risk = check_risk
  if (Math.max(reputation.device, reputation.ip, reputation.profile) > 0) {
    context.reputation = reputation
  }
  return context
}

/** @throws AppError when another order was sent under the same id */
function answerAgain(stored: StoredOrder, request: OrderRequest): ScoredOrder {
  if (canonicalJson(stored.request) !== canonicalJson(request)) {
    throw invalidRequest(
      'external_order_id',
      'external_order_id was used before for a different order',
    )
  }
  return scoredOrder(stored)
}

export const scoredOrder = ({ id, request, risk, ordered_at }: StoredOrder): ScoredOrder => ({
  order: {
    id,
    external_order_id: request.external_order_id,
    status: 'pending',
    ordered_at: ordered_at.toISOString(),
  },
  risk,
})

function score(
  deps: OrderStepDependencies,
  job: OrderJob,
  context: OrderContext,
  states: States,
): Outcome<ScoredOrder> {
  const { keys, request, received_at, ordered_at } = job
  const received = { request, context, ordered_at, created_at: received_at }
  const applied = applyOrder(keys, received, states, job.rules.parameters)
  const { before, scored } = applied
  const result = scoredOrder({ ...job, risk: scored.risk })
  return {
    states: applied.states,
    rows: [
      rowFor(orderWriter, orderRow(job, context, scored)),
      rowFor(usageWriter, {
        id: deps.newId(received_at),
        org_id: job.org_id,
        mode: job.mode,
        meter: 'order',
        quantity: 1,
        cost_units: toUnits(job.credits),
        source_id: job.id,
        occurred_at: received_at,
      }),
      ...profileRows(job, before.profile !== undefined),
      ...reviewRows(deps, job, scored),
      ...eventRows(deps, job, scored, result),
    ],
    result,
  }
}

function orderRow(
  job: OrderJob,
  context: OrderContext,
  { risk, measurements, next }: Scored,
): OrderRow {
  return {
    org_id: job.org_id,
    id: job.id,
    mode: job.mode,
    seq: next.organization?.orders ?? 0,
    profile_id: job.keys.profile,
    request: job.request,
    context,
    risk,
    measurements,
    rules_version: job.rules.version,
    ordered_at: job.ordered_at,
    created_at: job.received_at,
  }
}

function profileRows(
  { org_id, mode, keys, request, received_at }: OrderJob,
  isKnown: boolean,
): Row[] {
  const { external_id } = request
  if (isKnown || keys.profile === undefined || external_id === undefined) return []
  const id = keys.profile
  return [rowFor(profileWriter, { org_id, id, mode, external_id, created_at: received_at })]
}

function reviewRows(
  { newId }: OrderStepDependencies,
  { id, org_id, mode, request, received_at, rules }: OrderJob,
  { risk, measurements, alerts }: Scored,
): Row[] {
  const row = (subject: 'order' | 'alert', why: string): Row =>
    rowFor(reviewWriter, {
      id: newId(received_at),
      org_id,
      mode,
      subject,
      subject_id: id,
      external_id: request.external_order_id,
      risk_score: risk.risk_score,
      flags: risk.flags,
      reason: why,
      created_at: received_at,
    })
  const rows = alerts.map((pattern) => row('alert', pattern))
  if (risk.flagged_for_review)
    rows.unshift(row('order', reasonOf(risk, measurements, rules.parameters)))
  return rows
}

function eventRows(
  { newId }: OrderStepDependencies,
  { org_id, mode, keys, request, received_at }: OrderJob,
  { risk, alerts, next, previous_risk_level }: Scored,
  result: ScoredOrder,
): Row[] {
  const rows: Row[] = []
  const add = (type: OutboxEvent['type'], data: unknown) => {
    const id = newId(received_at)
    rows.push(rowFor(eventWriter, { id, org_id, mode, type, data, occurred_at: received_at }))
  }
  if (risk.flagged_for_review) add('order.fraud.detected', result)
  for (const _ of alerts) add('order.fraud.alert', result)
  const { profile } = next
  if (previous_risk_level !== undefined && profile && keys.profile !== undefined) {
    const name = { id: keys.profile, external_id: request.external_id ?? '' }
    const record = profileRecord(name, profile, received_at)
    const changed = { profile: record, previous_risk_level }
    rows.push(riskChangedRow(newId, { org_id, mode }, changed, received_at))
  }
  return rows
}
