/** Orders, scored as they arrive. */
export { type ExplainedOrder, findExplainedOrders } from './explained-order.ts'
export { createOrderReading, type OrderReading } from './reading/service.ts'
export { ORDER_DECISIONS } from './reading/store.ts'
export type { ReplayQuery } from './replay.ts'
export { replayResult } from './replay-counts.ts'
export type {
  Replay,
  ReplayExample,
  ReplayResult,
  RulesReplay,
  RulesReplayPage,
} from './replays/schema.ts'
export {
  createRulesReplays,
  REPLAYS_WAITING_MAX,
  type RulesReplays,
} from './replays/service.ts'
export { sweepRulesReplays } from './replays/store.ts'
export { createOrderReviews } from './review-subject.ts'
export { orderRoutes } from './routes.ts'
export type { RulesApplied, RulesShown, RulesVersion, RulesVersionPage } from './rules/schema.ts'
export { type ApplyResult, createOrderRules, type OrderRules } from './rules/service.ts'
export { ORDER_FLAGS } from './schema.ts'
export {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  RulesFault,
  readOrderParameters,
} from './scoring/parameters.ts'
export { numbersText } from './sentences.ts'
export { createOrders, type Orders } from './service.ts'
export { soldOrderReader } from './sold-orders.ts'
export { listOrderOwners, sweepOrders } from './store.ts'
