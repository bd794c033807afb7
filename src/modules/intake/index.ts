/** Accepts batches for the analytics engine: each body once, counted and priced exactly. */
export type { IntakeBatch } from './batch.ts'
export { bodyHash } from './body-hash.ts'
export { type ElementFault, examine } from './examine.ts'
export { createGrouper, type GroupRow, withFingerprint } from './grouper.ts'
export { createGroupingBudget, type GroupOnReceipt } from './grouping-budget.ts'
export { createIntake, type Intake, type Receipt } from './intake.ts'
export { receiptContent, refusedElements } from './receipt.ts'
export { RETRY_MINUTES, sweepReceipts } from './store.ts'
