/** Cashier actions: recorded, scored against peers, and read in the console. */
export { cashierConsoleRoutes } from './reading/console.ts'
export { cashierFinder, findActionsByPart } from './reading/find.store.ts'
export { createCashierReadings } from './reading/readings.ts'
export { ruledActions } from './rescore.ts'
export { createCashierReviews } from './review-subject.ts'
export { cashierRoutes } from './routes.ts'
export { type CashierRequest, cashierSchemas } from './schema.ts'
export { locationOfAction, locationOfSale } from './scoring/cashier-state.ts'
export {
  type ActionFacts,
  type ActionType,
  type MatchedOrder,
  type SaleFacts,
} from './scoring/facts.ts'
export {
  CASHIER_PARAMETERS,
  CASHIER_SIGNALS,
  type CashierSignal,
} from './scoring/parameters.ts'
export { recordSale } from './scoring/sale.ts'
export {
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
export { type Cashier, createCashier } from './service.ts'
export { type CashierKeys, cashierKeys } from './state-keys.ts'
export type { SoldOrder } from './step.ts'
export { sweepActions } from './store.ts'
