/**
 * The step of an order: scores it against all states that it touches and collects the rows to
 * write. A retry finds the stored order and writes nothing (OP-9).
 */

import { canonicalJson } from '../../platform/canonical-json.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Row, rowFor } from '../../platform/postgres/rows.ts'
import { type Outcome, readFrom, type States, type Step } from '../../platform/states/index.ts'
import { type Payer, toUnits, usageWriter } from '../billing/index.ts'
import { eventWriter, type OutboxEvent } from '../events/index.ts'
import {
  knownRisk,
  profileRecord,
  profileWriter,
  type ReputationKeys,
  riskChangedRow,
  riskReads,
} from '../profiles/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import { flaggedRows } from '../reviews/index.ts'
import { applyOrder } from './apply.ts'
import { caseFactsOfOrder } from './case-facts.ts'
import { reasonOf } from './explanation.ts'
import type { OrderContext } from './facts.ts'
import { idsOf, type OrderKeys } from './keys.ts'
import type { ActiveRules } from './rules/active-rules.ts'
import type { OrderRequest, ScoredOrder } from './schema.ts'
import type { ScoredOrder as Scored } from './scoring/scoring.ts'
import { type OrderRow, orderWriter, type StoredOrder, storedOrderReader } from './store.ts'

export type OrderJob = Payer & {
  id: string
  request: OrderRequest
  /** Without reputation and check risk, which the step reads. */
  context: OrderContext
  keys: OrderKeys
  /** Same as `keys.device`; `riskReads` of the profiles expects it here. */
  device_id: string | undefined
  /** Keys of device, IP address and profile in the shared reputation. */
  reputation_keys: ReputationKeys
  ordered_at: Date
  received_at: Date
  credits: number
  /** Rules that were active when the order arrived. */
  rules: ActiveRules
}

export type OrderStepDependencies = {
  newId: NewId
  reputation: Pick<ReputationStore, 'judge' | 'reader'>
}

export function orderStep(deps: OrderStepDependencies, job: OrderJob): Step<ScoredOrder> {
  const { org_id, mode, request, keys } = job
  const { external_order_id } = request
  return {
    org_id,
    keys: idsOf(keys),
    identity: `order ${org_id} ${mode} ${external_order_id}`,
    reads: [
      readFrom(storedOrderReader, { org_id, mode, external_order_id }),
      ...riskReads(deps.reputation, job),
    ],
    apply: (states, [stored, ...answers]) =>
      stored === undefined
        ? score(deps, job, withKnownRisk(deps, job, answers), states)
        : { states: [], rows: [], result: storedAnswer(stored as StoredOrder, request) },
  }
}

/** Adds check risk and reputation to the context when they are above 0. */
function withKnownRisk(
  deps: OrderStepDependencies,
  job: OrderJob,
  answers: readonly unknown[],
): OrderContext {
  const { check_risk, reputation } = knownRisk(deps.reputation, job, answers, job.received_at)
  const context = { ...job.context }
  if (check_risk > 0) context.check_risk = check_risk
  if (Math.max(reputation.device, reputation.ip, reputation.profile) > 0) {
    context.reputation = reputation
  }
  return context
}

/** @throws AppError when the same id was used for a different order */
function storedAnswer(stored: StoredOrder, request: OrderRequest): ScoredOrder {
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
  const applied = applyOrder(keys, received, states, job.rules)
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
        key_id: job.key_id,
        meter: 'order',
        quantity: 1,
        cost_units: toUnits(job.credits),
        source_id: job.id,
        occurred_at: received_at,
      }),
      ...profileRows(job, before.profile !== undefined),
      ...reviewRows(deps, job, context, scored),
      ...eventRows(deps, job, scored, result),
    ],
    result,
  }
}

function orderRow(
  job: OrderJob,
  context: OrderContext,
  { risk, measurements, adjustments, shadows, next }: Scored,
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
    adjustments,
    shadows,
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
  context: OrderContext,
  { risk, measurements, alerts }: Scored,
): Row[] {
  if (!risk.flagged_for_review && alerts.length === 0) return []
  const review = (subject: 'order' | 'alert', why: string) => ({
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
  const reviews = alerts.map((pattern) => review('alert', pattern))
  if (risk.flagged_for_review) {
    reviews.unshift(review('order', reasonOf({ request, risk, measurements }, rules.parameters)))
  }
  const facts = caseFactsOfOrder(request, context, measurements)
  return flaggedRows(reviews, facts, () => newId(received_at))
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
