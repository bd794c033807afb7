/** An order with everything that explains its score, and what people decided about it. */
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type DecisionRow, type Scope, subjectReader } from '../reviews/index.ts'
import { type ExplainedSignal, explainOrder, isOfNewOrganization } from './explain.ts'
import { parametersOfOrder } from './rules/of-order.ts'
import { DEFAULT_ORDER_PARAMETERS, type OrderParameters } from './scoring/parameters.ts'
import { findWholeOrders, type WholeOrder } from './store.ts'

export type ExplainedOrder = {
  order: WholeOrder
  signals: ExplainedSignal[]
  is_of_new_organization: boolean
  /** In the order in which they were made; a later one changed the one before. */
  decisions: Pick<DecisionRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>[]
}

/**
 * @param name id or `external_order_id`
 * @returns more than one where several organisations, or both modes, know an order by that name
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
    decisions: (about[index]?.decisions ?? []).map(
      ({ decision, decided_at, decided_by, note }) => ({ decision, decided_at, decided_by, note }),
    ),
  }))
}

const explanationOf = (order: WholeOrder, parameters: OrderParameters) => ({
  signals: explainOrder(order.risk, order.measurements, parameters),
  is_of_new_organization: isOfNewOrganization(order, parameters),
})
