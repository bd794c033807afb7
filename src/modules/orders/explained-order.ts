/** An order with the explanation of its score and the review decisions about it. */
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Scope, type ShownDecision, shownDecision, subjectReader } from '../reviews/index.ts'
import { explainOrder, isOfNewOrganization } from './explanation.ts'
import { parametersOfOrder } from './rules/parameters-of-order.ts'
import { DEFAULT_ORDER_PARAMETERS, type OrderParameters } from './scoring/parameters.ts'
import { findWholeOrders, type WholeOrder } from './store.ts'

export type ExplainedOrder = {
  order: WholeOrder
  signals: ReturnType<typeof explainOrder>
  is_of_new_organization: boolean
  /** Oldest first; each decision replaces the one before it. */
  decisions: ShownDecision[]
}

/**
 * @param name id or `external_order_id`
 * @returns more than one order when several organizations, or both modes, use the name
 */
export async function findExplainedOrders(
  db: Db,
  name: string,
  scope: Scope,
): Promise<ExplainedOrder[]> {
  const byId = isUuid(name) ? await findWholeOrders(db, { id: name }, scope) : []
  const found = [...byId, ...(await findWholeOrders(db, { name }, scope))]
  const about = await subjectReader.read(
    db,
    found.map(({ org_id, id }) => ({ org_id, subject_id: id })),
  )
  const parameters = await Promise.all(found.map((order) => parametersOfOrder(db, order)))
  return found.map((order, index) => ({
    order,
    ...explanationOf(order, parameters[index] ?? DEFAULT_ORDER_PARAMETERS),
    decisions: (about[index]?.decisions ?? []).map(shownDecision),
  }))
}

const explanationOf = (order: WholeOrder, parameters: OrderParameters) => ({
  signals: explainOrder(order, parameters),
  is_of_new_organization: isOfNewOrganization(order, parameters),
})
