/** A replay of the month with other order rules, as an example for the rules lab. */
import { readOrderParameters } from '../../src/modules/orders/index.ts'
import { TRIED_RULES } from '../story/office.ts'
import type { FillContext } from './context.ts'

/** The service carries the replay out when it serves. */
export async function startRulesReplay(context: FillContext): Promise<void> {
  const { services, clock, people, story } = context
  const [admin] = people.reviewers
  if (!admin) return
  const { start, end } = story.span
  clock.freezeAt(end)
  const parameters = readOrderParameters(TRIED_RULES)
  const replay = { parameters, from: new Date(start), to: new Date(end), by: admin.user_id }
  await services.rules_replays.start({ org_id: people.org_id, mode: 'live' }, replay)
}
