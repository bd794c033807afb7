export { cursorOf, placeOf, REVIEW_ORDERS, type ReviewOrder } from './page.ts'
export { REVIEW_STATES, type ReviewQuery, type ReviewState } from './queue/store.ts'
export {
  createReviews,
  type DecideRefusal,
  type Review,
  type ReviewDetails,
  type ReviewPage,
  type ReviewSubjects,
  type Reviews,
} from './service.ts'
export {
  type DecisionRow,
  findReviewOf,
  insertReviews,
  type LabelRow,
  listPeople,
  type NewReview,
  readLabelsAfter,
  reviewWriter,
  subjectReader,
  sweepReviews,
} from './store.ts'
export type { Label, Labelling, ReviewSubject, Scope, Subject } from './subject.ts'
