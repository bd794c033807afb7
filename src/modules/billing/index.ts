/** Credits: usage, ledger and balance. */
export {
  type Balance,
  type Billing,
  createBilling,
  type FundsInCredits,
  type Granted,
  type GrantRefused,
  type Posted,
} from './service.ts'
export { insertUsage, recordUsage, type UsageRow, usageWriter } from './store.ts'
export { toCredits, toUnits, UNITS_PER_CREDIT } from './units.ts'
