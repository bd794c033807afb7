export { type CashierReadings, createCashierReadings } from './reading/readings.ts'
export { createCashierReviews } from './review-subject.ts'
export { type CashierRouteDependencies, cashierRoutes } from './routes.ts'
export {
  ACTION_TYPES,
  type ActionFacts,
  type ActionType,
  type MatchedOrder,
  type SaleFacts,
} from './scoring/facts.ts'
export { locationOfAction, locationOfSale } from './scoring/memory.ts'
export {
  CASHIER_PARAMETERS,
  CASHIER_SIGNALS,
  type CashierParameters,
  type CashierSignal,
} from './scoring/parameters.ts'
export { recordSale } from './scoring/sale.ts'
export {
  CASHIER_FLAGS,
  type CashierFlag,
  type ScoredAction,
  scoreAction,
} from './scoring/scoring.ts'
export type {
  CashierState,
  CashierStates,
  OrganizationCashiersState,
  StoreCashiersState,
  TillState,
} from './scoring/states.ts'
export { type Cashier, type CashierDependencies, createCashier } from './service.ts'
export { type CashierKeys, cashierKeys, cashiersKey } from './state-keys.ts'
export type { SoldOrder, SoldOrderReader } from './step.ts'
export { sweepActions } from './store.ts'
