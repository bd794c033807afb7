/** The two reviewers at work: twice a day they go through what waits, and write down why. */
import { createRandom } from '../../src/platform/random.ts'
import type { Truth } from '../story/event.ts'
import { NOTES, REVIEWING } from '../story/reviewing.ts'
import type { Filling } from './context.ts'

const READ_MAX = 200

export type Truths = ReadonlyMap<string, Truth>

/** @param truths by the id of the order, or of the action */
export async function decideOpen(
  { services, clock, people, story }: Filling,
  at: number,
  truths: Truths,
): Promise<number> {
  const { org_id, reviewers } = people
  clock.standAt(at)
  const query = { org_id, mode: 'live', state: 'open', order: 'newest', limit: READ_MAX } as const
  const { reviews } = await services.reviews.list(query)
  const random = createRandom(story.options.seed, `reviewing ${at}`)
  let decided = 0
  for (const [index, review] of reviews.toReversed().entries()) {
    const own = random.fork(`${review.external_id} ${index}`)
    const name = `${review.external_id} ${review.created_at.getTime()}`
    if (isLeft(story.options.seed, name)) continue
    const truth = truths.get(review.external_id) ?? truths.get(review.subject_id) ?? 'honest'
    const reviewer = own.pick(reviewers)
    clock.standAt(at + index * REVIEWING.seconds_each * 1000)
    const note = own.chance(REVIEWING.note_share) ? own.pick(NOTES[truth]) : undefined
    const decision = truth === 'honest' ? 'legitimate' : 'confirmed_fraud'
    const done = await services.reviews.decide(
      review.id,
      { org_id },
      { decision, by: reviewer.user_id, ...(note !== undefined && { note }) },
    )
    if (!('refused' in done) && done.changed) decided += 1
  }
  return decided
}

/** Whoever sees it leaves it to somebody else. */
const isLeft = (seed: number, name: string): boolean =>
  createRandom(seed, `left ${name}`).chance(REVIEWING.left_share)
