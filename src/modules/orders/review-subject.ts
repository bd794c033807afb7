/**
 * Connects orders to the review queue: finding and describing them, and learning from decisions.
 */

import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Row } from '../../platform/postgres/rows.ts'
import type { StateId, States } from '../../platform/states/index.ts'
import { profileRecord, reputationKeys, riskChangedRow } from '../profiles/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import type { Label, ReviewSubject, Subject } from '../reviews/index.ts'
import { applyDecision } from './apply.ts'
import { caseFactsOfOrder } from './case-facts.ts'
import { idsOf, orderKeys } from './keys.ts'
import { parametersOfOrder } from './rules/parameters-of-order.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import type { OrderStates } from './scoring/states.ts'
import { scoredOrder } from './step.ts'
import { findWholeOrders, type WholeOrder } from './store.ts'

export type OrderReviewDependencies = {
  db: Database
  newId: NewId
  stateId: StateId
  reputation: ReputationStore
}

export function createOrderReviews(deps: OrderReviewDependencies): ReviewSubject {
  const findOne = async (orgId: string, id: string): Promise<WholeOrder | undefined> =>
    (await findWholeOrders(deps.db, { id }, { org_id: orgId }))[0]

  return {
    find: async (name, scope) => {
      const byName = await findWholeOrders(deps.db, { name }, scope)
      const byId = isUuid(name) ? await findWholeOrders(deps.db, { id: name }, scope) : []
      return [...byId, ...byName].map(subjectOf)
    },
    describe: async (orgId, id) => {
      const order = await findOne(orgId, id)
      if (!order) return undefined
      const { request, measurements } = order
      return { ...scoredOrder(order), request, measurements }
    },
    caseFacts: async (orgId, id) => {
      const order = await findOne(orgId, id)
      return order && caseFactsOfOrder(order.request, order.context, order.measurements)
    },
    labeling: async ({ org_id, id }) => {
      const order = await findOne(org_id, id)
      return order && labelingOf(deps, order, await parametersOfOrder(deps.db, order))
    },
  }
}

function subjectOf({ org_id, mode, id, request, risk }: WholeOrder): Subject {
  const { external_order_id: external_id } = request
  return { org_id, mode, id, external_id, risk_score: risk.risk_score, flags: risk.flags }
}

/** @param parameters the ones that scored the order: they define which orders were held back */
function labelingOf(deps: OrderReviewDependencies, order: WholeOrder, parameters: OrderParameters) {
  const keys = orderKeys(deps.stateId, order, order.request)
  return {
    keys: idsOf(keys),
    identities: Object.values(reputationKeys(deps.reputation, order, order.request)),
    was_flagged: order.risk.flagged_for_review || order.risk.flags.length > 0,
    learn: (states: States, label: Label, previous: Label | undefined) => {
      const scored = { ...order, risk_score: order.risk.risk_score }
      const decision = { keys, order: scored, label, previous, states, parameters }
      const { before, next, states: changed } = applyDecision(decision)
      return {
        states: changed,
        rows: levelRows(deps, order, { before, next }, label.decided_at),
        after_seq: before.organization?.orders ?? 0,
      }
    },
  }
}

function levelRows(
  { newId }: OrderReviewDependencies,
  { org_id, mode, profile_id, request }: WholeOrder,
  { before, next }: { before: OrderStates; next: OrderStates },
  now: Date,
): Row[] {
  const { profile } = next
  const external_id = request.external_id
  if (!profile || profile_id === null || external_id === undefined) return []
  const previous_risk_level = before.profile?.risk.level
  const record = profileRecord({ id: profile_id, external_id }, profile, now)
  if (previous_risk_level === undefined || record.risk_level === previous_risk_level) return []
  return [riskChangedRow(newId, { org_id, mode }, { profile: record, previous_risk_level }, now)]
}
