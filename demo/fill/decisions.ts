/** The reviewers at work: twice a day they go through the open reviews and write notes. */
import { createRandom } from '../../src/platform/random.ts'
import type { Truth } from '../story/event.ts'
import { NOTES, REVIEWING } from '../story/office.ts'
import type { FillContext } from './context.ts'

const READ_MAX = 200

export type Truths = ReadonlyMap<string, Truth>

/**
 * @param truths by the external id of the order, or by the id of the cashier
 * @returns the number of decisions
 */
export async function decideReviews(
  { services, clock, people, story }: FillContext,
  at: number,
  truths: Truths,
): Promise<number> {
  const { org_id, reviewers } = people
  const { seed } = story.options
  clock.freezeAt(at)
  const query = { org_id, mode: 'live', state: 'open', order: 'newest', limit: READ_MAX } as const
  const { reviews } = await services.reviews.list(query)
  const random = createRandom(seed, `reviewing ${at}`)
  let decided = 0
  for (const [index, review] of reviews.toReversed().entries()) {
    const own = random.fork(`${review.external_id} ${index}`)
    // Some reviews are left open by both reviewers for good.
    const name = `left ${review.external_id} ${review.created_at.getTime()}`
    if (createRandom(seed, name).chance(REVIEWING.left_share)) continue
    const truth = truths.get(review.external_id) ?? truths.get(review.subject_id) ?? 'honest'
    const reviewer = own.pick(reviewers)
    clock.freezeAt(at + index * REVIEWING.seconds_each * 1000)
    const note = own.chance(REVIEWING.note_share) ? own.pick(NOTES[truth] ?? []) : undefined
    const decision = truth === 'honest' ? ('legitimate' as const) : ('confirmed_fraud' as const)
    const request = { decision, by: reviewer.user_id, ...(note !== undefined && { note }) }
    const result = await services.reviews.decide(review.id, { org_id }, request)
    if (!('refused' in result) && result.changed) decided += 1
  }
  return decided
}
