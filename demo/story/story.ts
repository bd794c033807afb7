/** The month of Northwind Supermarkets: every single request to the service, by time. */
import { createRandom } from '../../src/platform/random.ts'
import type { Order } from '../../world/events.ts'
import { daysIn, simulateDay } from '../../world/simulate.ts'
import { DAY_MS, isWithin, type Span } from '../../world/time.ts'
import { createNorthwind, type Northwind } from './chain.ts'
import { createProfiles, runChecks } from './checks.ts'
import type { StoryEvent, StoryOptions } from './event.ts'
import { attackStory } from './frauds.ts'
import { requestsOf } from './requests.ts'

export type Story = {
  options: StoryOptions
  span: Span
  chain: Northwind
  events: readonly StoryEvent[]
}

/** The same options produce the same story. */
export function simulateStory(options: StoryOptions): Story {
  const story = openStory(options)
  const { span, chain } = story
  const random = createRandom(options.seed, 'story')
  const forms = { customers: chain.customers, span, scale: options.scale }
  const days = daysIn(span).map((day) => simulateDay(chain, day))
  const clean = days
    .flat()
    .filter((event): event is Order => event.type === 'order' && isWithin(span, event.at))
  const events = [
    ...createProfiles(random.fork('profiles'), forms),
    ...days.flatMap((day) => requestsOf(chain, day)),
    ...runChecks(random.fork('checks'), forms),
    ...attackStory(random.fork('frauds'), { chain, clean, span }),
  ]
  return { ...story, events: byTime(events, span) }
}

/** The story without its events. */
export function openStory(options: StoryOptions): Story {
  const { end, days } = options
  const span = { start: end - days * DAY_MS, end }
  return { options, span, chain: createNorthwind(options), events: [] }
}

/**
 * What customers and cashiers do in any span, also after the end of the story. A calendar day is the
 * same however often it is simulated, so events that were already replayed do not change.
 */
export const continueStory = ({ chain }: Pick<Story, 'chain'>, span: Span): StoryEvent[] =>
  byTime(
    daysIn(span).flatMap((day) => requestsOf(chain, simulateDay(chain, day))),
    span,
  )

const byTime = (events: readonly StoryEvent[], span: Span): StoryEvent[] =>
  events.filter(({ at }) => isWithin(span, at)).toSorted((a, b) => a.at - b.at)
