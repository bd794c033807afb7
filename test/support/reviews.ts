/** Inserts reviews for tests that are not about how these are created. */
import { randomUUID } from 'node:crypto'
import { insertReviews, type NewReview } from '../../src/modules/reviews/index.ts'
import { createIds } from '../../src/platform/ids.ts'
import type { Db } from '../../src/platform/postgres/db.ts'

const newId = createIds()

export async function addReview(
  db: Db,
  orgId: string,
  given: Partial<NewReview> = {},
): Promise<NewReview> {
  const created_at = given.created_at ?? new Date()
  const review: NewReview = {
    org_id: orgId,
    id: newId(created_at),
    mode: 'live',
    subject: 'order',
    subject_id: randomUUID(),
    external_id: `order-${randomUUID()}`,
    risk_score: 60,
    flags: ['high_velocity'],
    reason: 'Ordered 9 times within an hour',
    created_at,
    ...given,
  }
  const joining = {
    amount_cents: 4990,
    currency: 'EUR',
    customer: null,
    country: null,
    causes: [`order:${review.external_id}`],
    case_id: newId(created_at),
  }
  await insertReviews([{ ...review, ...joining }]).execute(db)
  return review
}
