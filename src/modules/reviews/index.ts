export { adoptReviews } from './cases/adopt.store.ts'
export { causeOf, causesOfOrder } from './cases/cause.ts'
export { caseRoutes } from './cases/console.ts'
export { sweepCases } from './cases/details.store.ts'
export type { CaseFacts } from './cases/join.store.ts'
export { flaggedRows } from './cases/joining.store.ts'
export { countCases } from './cases/queue.store.ts'
export { type Cases, createCases } from './cases/service.ts'
export {
  DEFAULT_SETTINGS as DEFAULT_CASE_SETTINGS,
  readSettings as readCaseSettings,
} from './cases/settings.store.ts'
export { reviewRoutes } from './console.ts'
export { placeOf } from './cursor.ts'
export { countOpenReviews } from './open.store.ts'
export { factsOfDecision } from './order-facts.store.ts'
export { outcomeRoutes } from './outcomes/console.ts'
export { type OutcomeReport, outcomeSchema } from './outcomes/schema.ts'
export { createOutcomes, type Outcomes } from './outcomes/service.ts'
export type { ReviewQuery } from './queue.store.ts'
export {
  createReviews,
  type Review,
  type ReviewDetails,
  type ReviewPage,
  type ReviewSubjects,
  type Reviews,
} from './service.ts'
export type { DecisionCounts, ReviewStatistics } from './statistics/schema.ts'
export {
  findReviewOf,
  insertReviews,
  type LabelRow,
  listPeople,
  type NewReview,
  readLabelsAfter,
  type ShownDecision,
  shownDecision,
  subjectReader,
  sweepReviews,
} from './store.ts'
export type { Label, Labeling, ReviewSubject, Scope, Subject } from './subject.ts'
