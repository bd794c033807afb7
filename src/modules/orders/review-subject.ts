/** What the review queue has to know of orders, and what a decision about one teaches the states. */

import type { NewId } from '../../platform/ids.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Row, StateId, States } from '../../platform/states/index.ts'
import { profileRecord, reputationKeys, riskChangedRow } from '../profiles/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import type { Label, ReviewSubject, Subject } from '../reviews/index.ts'
import { applyDecision } from './apply.ts'
import { idsOf, orderKeys } from './keys.ts'
import { parametersOfOrder } from './rules/of-order.ts'
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
    labelling: async ({ org_id, id }) => {
      const order = await findOne(org_id, id)
      return order && labellingOf(deps, order, await parametersOfOrder(deps.db, order))
    },
  }
}

function subjectOf({ org_id, mode, id, request, risk }: WholeOrder): Subject {
  const { external_order_id: external_id } = request
  return { org_id, mode, id, external_id, risk_score: risk.risk_score, flags: risk.flags }
}

/** @param parameters those that scored it: whether it was held back is for them to say */
function labellingOf(
  deps: OrderReviewDependencies,
  order: WholeOrder,
  parameters: OrderParameters,
) {
  const keys = orderKeys(deps.stateId, order, order.request)
  return {
    keys: idsOf(keys),
    identities: Object.values(reputationKeys(deps.reputation, order, order.request)),
    learn: (states: States, label: Label, previous: Label | undefined) => {
      const decided = { ...order, risk_score: order.risk.risk_score }
      const {
        before,
        next,
        states: changed,
      } = applyDecision(keys, decided, label, previous, states, parameters)
      return {
        states: changed,
        rows: levelRows(deps, order, before, next, label.decided_at),
        after_seq: before.organization?.orders ?? 0,
      }
    },
  }
}

function levelRows(
  { newId }: OrderReviewDependencies,
  { org_id, mode, profile_id, request }: WholeOrder,
  before: OrderStates,
  next: OrderStates,
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
