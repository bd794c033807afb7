export { cursorOf, placeOf, REVIEW_ORDERS, type ReviewOrder } from './page.ts'
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
  REVIEW_STATES,
  type ReviewQuery,
  type ReviewState,
  readLabelsAfter,
  reviewWriter,
  subjectReader,
  sweepReviews,
} from './store.ts'
export type { Label, Labelling, ReviewSubject, Scope, Subject } from './subject.ts'
