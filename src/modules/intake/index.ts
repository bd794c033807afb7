/** Batches that are stored by the analytics engine: taken in once, counted and priced exactly. */
export { bodyHash } from './body-hash.ts'
export { type ElementFault, examine } from './examine.ts'
export {
  createIntake,
  type Intake,
  type IntakeBatch,
  type IntakeOptions,
  type Receipt,
} from './intake.ts'
export { RETRY_MINUTES, sweepReceipts } from './store.ts'
