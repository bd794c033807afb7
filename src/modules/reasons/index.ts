/** The reasons for scores as sentences, for the console, the command line and the review queue. */
export { causeText, shownAdjustment, shownShadow } from './adjustment-reasons.ts'
export { calibrationText } from './calibration.ts'
export { cashierReason } from './cashier-reasons.ts'
export type { ReasonOrder } from './order-amounts.ts'
export { orderReason } from './order-reasons.ts'
export { usualText } from './texts.ts'
