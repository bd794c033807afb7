/** The month of Northwind Supermarkets: everything that is told to the service one by one, by time. */
import { createRandom } from '../../src/platform/random.ts'
import { runChecks } from './checks.ts'
import { type Customer, inventCustomers } from './customers.ts'
import { isWithin, type Span, type StoryEvent, type StoryOptions } from './event.ts'
import { defraud } from './frauds.ts'
import { orderOnline, signUp } from './online.ts'
import { liveDay } from './shifts.ts'
import { SHOPS } from './shops.ts'
import { DAY_MS } from './wall-clock.ts'

export type Story = {
  options: StoryOptions
  span: Span
  customers: readonly Customer[]
  events: readonly StoryEvent[]
}

/** The same options tell the same story. */
export function tell(options: StoryOptions): Story {
  const { seed, scale } = options
  const { span, customers } = recall(options)
  const random = createRandom(seed, 'northwind')
  const about = { customers, span, scale }
  const ordinary = daysOf(about, seed, span)
  const online = ordinary.filter(
    (event) =>
      event.kind === 'order' && event.order.order_type === 'online' && event.at >= span.start,
  )
  const events = [
    ...signUp(random.fork('sign-up'), about),
    ...ordinary,
    ...runChecks(random.fork('checks'), about),
    ...defraud(random.fork('frauds'), { customers, orders: online, span }),
  ]
  return { options, span, customers, events: byTime(events, span) }
}

/** The story without its events, which were told before. */
export function recall(options: StoryOptions): Story {
  const { seed, end, days, scale } = options
  const customers = inventCustomers(createRandom(seed, 'northwind').fork('customers'), scale)
  return { options, span: { start: end - days * DAY_MS, end }, customers, events: [] }
}

/**
 * How it goes on after the end, day by day as before: shops and the web shop. A day begins the same
 * however often it is told, so what was told of it is not told otherwise.
 */
export function tellOn(
  { options, span, customers }: Omit<Story, 'events'>,
  next: Span,
): StoryEvent[] {
  return byTime(daysOf({ customers, span, scale: options.scale }, options.seed, next), next)
}

type About = { customers: readonly Customer[]; span: Span; scale: number }

/** Whole days of UTC, those at the ends included. */
function daysOf(
  { customers, span, scale }: About,
  seed: number,
  { start, end }: Span,
): StoryEvent[] {
  const events: StoryEvent[] = []
  // The evening of a place may belong to the day before.
  for (let day = start - (start % DAY_MS) - DAY_MS; day < end + DAY_MS; day += DAY_MS) {
    const passed = (day - span.start) / (span.end - span.start)
    for (const shop of SHOPS) {
      const random = createRandom(seed, `${shop.id} ${day}`)
      events.push(...liveDay(random, { shop, day, passed, scale, customers }))
    }
    const random = createRandom(seed, `online ${day}`)
    events.push(...orderOnline(random, { customers, span, scale, day }))
  }
  return events
}

const byTime = (events: readonly StoryEvent[], span: Span): StoryEvent[] =>
  events.filter(({ at }) => isWithin(span, at)).toSorted((a, b) => a.at - b.at)
