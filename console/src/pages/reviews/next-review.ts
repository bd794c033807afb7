import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'

type Row = Pick<ReviewItem, 'id' | 'subject_id'>

/** @returns id of the review to open when a decided one leaves the list; '' after the last one */
export function afterDeciding(items: readonly Row[], decided: Row): string {
  const at = items.findIndex(({ id }) => id === decided.id)
  const isLeft = ({ subject_id }: Row) => subject_id !== decided.subject_id
  const next = items.slice(at + 1).find(isLeft) ?? items.slice(0, Math.max(0, at)).findLast(isLeft)
  return next?.id ?? ''
}
