/**
 * What goes on while somebody looks: the shops as their days are told, and beside them a little of
 * everything, so that the live tail moves and the queue grows.
 */
import { createRandom, type Random } from '../src/platform/random.ts'
import type { Telling } from './fill/context.ts'
import { sendBatch, sendVisit } from './fill/telemetry.ts'
import { tellAll } from './fill/timeline.ts'
import { visitAt, visitsOf } from './story/browsers.ts'
import { disposableCheck } from './story/checks.ts'
import type { Span, StoryEvent } from './story/event.ts'
import { intrude, nowNumber } from './story/frauds.ts'
import { logsOf } from './story/logs.ts'
import { orderOf, webOrderId } from './story/online.ts'
import { tellOn } from './story/story.ts'

export type Live = {
  /** Until when it was told. */
  toldUntil(): number
  stop(): Promise<void>
}

const TICK_MS = 4000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A demonstration that was away for longer has a gap. */
const GAP_MAX_MS = 24 * HOUR_MS
const LOG_BATCH_MAX = 1000
const LOG_STEP_MS = 3 * HOUR_MS
/** Of what is logged in the story. */
const LOGS_TIMES = 6

const SECONDS_OF_DAY = 86_400

const PER_MINUTE = { orders: 3, visits: 2.5, checks: 1.2, intrusions: 0.1 } as const

/** What would have happened since it was last told, a day at most. */
export async function catchUp(telling: Telling, since: number): Promise<number> {
  const { clock, story } = telling
  const until = clock.now().getTime()
  const span = { start: Math.max(since, until - GAP_MAX_MS), end: until }
  if (span.end - span.start < MINUTE_MS) return 0
  const events = tellOn(story, span)
  try {
    await tellAll(telling, events)
    for (let from = span.start; from < span.end; from += LOG_STEP_MS) {
      const step = { start: from, end: Math.min(span.end, from + LOG_STEP_MS) }
      await clock.runAt(step.end, () => sendLogs(telling, step, 1))
    }
    const random = createRandom(story.options.seed, `browsers ${span.start}`)
    for (const visit of visitsOf(random, { span, scale: story.options.scale })) {
      await clock.runAt(visit.at, () => sendVisit(telling, visit))
    }
  } finally {
    clock.follow()
  }
  return events.length
}

/** @param random decides what happens besides; only the time says when */
export function goOn(telling: Telling, random: Random, since: number): Live {
  const { stores, clock } = telling
  let told = since
  let ticks = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const plan = () => {
    if (isStopped) return
    timer = setTimeout(() => {
      running = tick().finally(plan)
    }, TICK_MS)
    timer.unref()
  }
  const tick = async () => {
    const span = { start: told, end: clock.now().getTime() }
    if (span.end <= span.start) return
    ticks += 1
    try {
      const own = random.fork(`${ticks}`)
      await tellNow(telling, [...tellOn(telling.story, span), ...besides(own, telling, span)])
      await sendLogs(telling, span, LOGS_TIMES)
      for (let left = own.poisson(perTick(span, PER_MINUTE.visits)); left > 0; left -= 1) {
        const index = Math.floor(span.end / 1000) + left
        const visit = visitAt(own, { begin: span.end - MINUTE_MS, index, passed: 1 })
        await sendVisit(telling, visit)
      }
    } catch (error) {
      stores.log.warn({ err: error }, 'the demonstration could not go on for a moment')
    }
    told = span.end
  }
  plan()
  return {
    toldUntil: () => told,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

const perTick = ({ start, end }: Span, perMinute: number): number =>
  ((end - start) / MINUTE_MS) * perMinute

/** One after another and by the clock of the system: what is new comes last. */
async function tellNow(telling: Telling, events: readonly StoryEvent[]): Promise<void> {
  const { clock } = telling
  const following = {
    ...telling,
    clock: { ...clock, runAt: <T>(_at: number, work: () => Promise<T>) => work() },
  }
  await tellAll(following, events)
}

function besides(random: Random, { story }: Telling, span: Span): StoryEvent[] {
  const events: StoryEvent[] = []
  const at = () => Math.round(random.between(span.start, span.end))
  const times = (perMinute: number) => random.poisson(perTick(span, perMinute))
  for (let left = times(PER_MINUTE.orders); left > 0; left -= 1) {
    const when = at()
    const external_order_id = webOrderId(when, nowNumber(when) + left * SECONDS_OF_DAY)
    const order = orderOf(random, random.pick(story.customers), { at: when, external_order_id })
    events.push({ at: when, truth: 'honest', kind: 'order', order })
  }
  for (let left = times(PER_MINUTE.checks); left > 0; left -= 1)
    events.push(disposableCheck(random, at()))
  for (let left = times(PER_MINUTE.intrusions); left > 0; left -= 1) {
    events.push(...intrude(random, random.pick(story.customers), at()))
  }
  return events.toSorted((a, b) => a.at - b.at)
}

async function sendLogs(telling: Telling, { start, end }: Span, times: number): Promise<void> {
  const { story } = telling
  const { seed, scale } = story.options
  const random = createRandom(seed, `logs ${start}`)
  const entries = logsOf(random, {
    from: start,
    until: end,
    story: story.span,
    scale: scale * times,
  })
  for (let first = 0; first < entries.length; first += LOG_BATCH_MAX) {
    await sendBatch(telling, entries.slice(first, first + LOG_BATCH_MAX))
  }
}
