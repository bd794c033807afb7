export { createCountries } from './countries.ts'
export { type ExplainedOrder, findExplainedOrders } from './explained-order.ts'
export type { RulesLearning } from './learning/schema.ts'
export { createRulesLearner, type RulesLearner } from './learning/service.ts'
export { orderConsoleRoutes } from './reading/console.ts'
export { findOrdersByPart, findProfilesByPart } from './reading/find.store.ts'
export { createOrderReading } from './reading/service.ts'
export { findReplayBacklog } from './replays/backlog.store.ts'
export { replayResult } from './replays/replay-counts.ts'
export type {
  AmountsByCurrency,
  ComparedResult,
  ReplayExample,
  ReplayResult,
  RulesReplay,
  RulesReplayPage,
  SubjectExample,
  SubjectResult,
} from './replays/schema.ts'
export {
  createRulesReplays,
  type RulesReplays,
} from './replays/service.ts'
export { sweepRulesReplays } from './replays/store.ts'
export { createOrderReviews } from './review-subject.ts'
export { orderRoutes } from './routes.ts'
export { rulesConsoleRoutes } from './rules/console.ts'
export type { RulesApplied, RulesShown } from './rules/schema.ts'
export { orderRuleSections } from './rules/sections.ts'
export { type ApplyResult, createOrderRules, type OrderRules } from './rules/service.ts'
export { type OrderRequest, orderSchemas } from './schema.ts'
export {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  readOrderParameters,
} from './scoring/parameters.ts'
export { createOrders, type Orders } from './service.ts'
export { soldOrderReader } from './sold-orders.ts'
export { listOrderOwners, sweepOrders } from './store.ts'
export { storedForm } from './stored-form.ts'
