/** A replay of the month with other rules, for whoever opens the rules lab. */
import { readOrderParameters } from '../../src/modules/orders/index.ts'
import { TRIED_RULES } from '../story/office.ts'
import type { Filling } from './context.ts'

/** It is run by the service as soon as that serves, as every replay is. */
export async function tryRules({ services, clock, people, story }: Filling): Promise<void> {
  const [admin] = people.reviewers
  if (!admin) return
  const { start, end } = story.span
  clock.standAt(end)
  await services.rules_replays.start(
    { org_id: people.org_id, mode: 'live' },
    {
      parameters: readOrderParameters(TRIED_RULES),
      from: new Date(start),
      to: new Date(end),
      by: admin.user_id,
    },
  )
}
