/** Orders, scored as they arrive. */
export { type ExplainedOrder, findExplainedOrders } from './explained-order.ts'
export type { Replay, ReplayExample, ReplayQuery } from './replay.ts'
export { createOrderReviews } from './review-subject.ts'
export { orderRoutes } from './routes.ts'
export {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  readOrderParameters,
} from './scoring/parameters.ts'
export { numbersText } from './sentences.ts'
export { createOrders, type Orders } from './service.ts'
export { soldOrderReader } from './sold-orders.ts'
export { listOrderOwners, sweepOrders } from './store.ts'
