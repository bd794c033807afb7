/** Credits: usage, ledger and balance. */
export { type CreditRule, creditsUsedUp, lacksCredits } from './lacks-credits.ts'
export { monthOf } from './months/month.ts'
export { addMonthCosts, advanceMonths, findMonth, type MonthKey } from './months/store.ts'
export type { FundsInCredits, LedgerEntry, LedgerPage } from './schema.ts'
export {
  type Balance,
  type Billing,
  createBilling,
  type Granted,
  type GrantRefused,
  type Posted,
} from './service.ts'
export { insertUsage, recordUsage, type UsageRow, usageWriter } from './store.ts'
export { toCredits, toUnits, UNITS_PER_CREDIT } from './units.ts'
