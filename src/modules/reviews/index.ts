export { reviewRoutes } from './console.ts'
export { placeOf } from './cursor.ts'
export { countOpenReviews } from './open.store.ts'
export type { ReviewQuery } from './queue.store.ts'
export {
  createReviews,
  type Review,
  type ReviewDetails,
  type ReviewPage,
  type Reviews,
} from './service.ts'
export {
  findReviewOf,
  insertReviews,
  type LabelRow,
  listPeople,
  type NewReview,
  readLabelsAfter,
  reviewWriter,
  type ShownDecision,
  shownDecision,
  subjectReader,
  sweepReviews,
} from './store.ts'
export type { Label, Labeling, ReviewSubject, Scope, Subject } from './subject.ts'
