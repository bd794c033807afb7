/**
 * The events while the demo is served: the simulated days of the stores and of the web shop, and some
 * additional events of every kind, so that the live tail moves and the queue grows.
 */
import { createRandom, type Random } from '../src/platform/random.ts'
import { shopOnline } from '../world/online.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '../world/time.ts'
import type { ReplayContext } from './fill/context.ts'
import { replayEvents } from './fill/replay.ts'
import { sendLogsOf, sendVisit } from './fill/telemetry.ts'
import { visitAt, visitsOf } from './story/browsers.ts'
import { visitorCheck } from './story/checks.ts'
import type { StoryEvent } from './story/event.ts'
import { intrude } from './story/frauds.ts'
import { orderEvent } from './story/requests.ts'
import { continueStory } from './story/story.ts'

export type Live = {
  simulatedUntil(): number
  stop(): Promise<void>
}

const TICK_MS = 4000
/** A demo that was stopped for longer has a gap. */
const GAP_MAX_MS = DAY_MS
const LOG_STEP_MS = 3 * HOUR_MS
/** The volume of logs, compared with the story. */
const LOGS_FACTOR = 6
const PER_MINUTE = { orders: 3, visits: 2.5, checks: 1.2, intrusions: 0.1 } as const
/** Additional orders are numbered beyond those of the story, one per second of the day. */
const FIRST_NUMBER = 1000

/** Replays the time since the demo was stopped, at most a day. Returns the number of events. */
export async function catchUp(context: ReplayContext, since: number): Promise<number> {
  const { clock, story } = context
  const { seed, scale } = story.options
  const end = clock.now().getTime()
  const span = { start: Math.max(since, end - GAP_MAX_MS), end }
  if (span.end - span.start < MINUTE_MS) return 0
  const events = continueStory(story, span)
  try {
    await replayEvents(context, events)
    for (let start = span.start; start < end; start += LOG_STEP_MS) {
      const step = { start, end: Math.min(end, start + LOG_STEP_MS) }
      await clock.runAt(step.end, () => sendLogsOf(context, step, scale))
    }
    const random = createRandom(seed, `browsers ${span.start}`)
    for (const visit of visitsOf(random, { span, scale })) {
      await clock.runAt(visit.at, () => sendVisit(context, visit))
    }
  } finally {
    clock.follow()
  }
  return events.length
}

/** @param random draws the additional events */
export function continueLive(context: ReplayContext, random: Random, since: number): Live {
  const { stores, clock, story } = context
  // Live events get the time of the system, so that they are the latest ones.
  const now: ReplayContext = { ...context, clock: { ...clock, runAt: (_at, work) => work() } }
  let until = since
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const schedule = () => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = tick().finally(schedule)
    }, TICK_MS)
    timer.unref()
  }
  const tick = async () => {
    const span = { start: until, end: clock.now().getTime() }
    if (span.end <= span.start) return
    const own = random.fork(`${span.start}`)
    try {
      await replayEvents(now, [...continueStory(story, span), ...additional(own, context, span)])
      await sendLogsOf(context, span, story.options.scale * LOGS_FACTOR)
      for (let left = countIn(own, span, PER_MINUTE.visits); left > 0; left -= 1) {
        const index = Math.floor(span.end / 1000) + left
        const visit = visitAt(own, { begin: span.end - MINUTE_MS, index, passed: 1 })
        await sendVisit(context, visit)
      }
    } catch (error) {
      stores.log.warn({ err: error }, 'the demo skipped live events')
    }
    until = span.end
  }
  schedule()
  return {
    simulatedUntil: () => until,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

const countIn = (random: Random, { start, end }: Span, perMinute: number): number =>
  random.poisson(((end - start) / MINUTE_MS) * perMinute)

function additional(random: Random, { story }: ReplayContext, span: Span): StoryEvent[] {
  const { chain } = story
  let index = 0
  const many = (perMinute: number, create: (at: number, number: number) => StoryEvent[]) =>
    Array.from({ length: countIn(random, span, perMinute) }, () => {
      const at = Math.round(random.between(span.start, span.end))
      const number = FIRST_NUMBER + Math.floor(((at % DAY_MS) + index * DAY_MS) / 1000)
      index += 1
      return create(at, number)
    }).flat()
  const season = chain.seasonOf(span.start)
  return [
    ...many(PER_MINUTE.orders, (at, number) => {
      const customer = random.pick(chain.customers)
      const [order] = shopOnline(random, { chain, season, customer }, at)
      return order ? [orderEvent(chain, { ...order, number })] : []
    }),
    ...many(PER_MINUTE.checks, (at) => [visitorCheck(random, at)]),
    ...many(PER_MINUTE.intrusions, (at, number) =>
      intrude(random, chain, { customer: random.pick(chain.customers), at, number }),
    ),
  ].toSorted((a, b) => a.at - b.at)
}
