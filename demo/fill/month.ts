/**
 * Replays the month day by day: what customers and cashiers did, the decisions about it, and what it
 * cost.
 */
import { readOrderParameters } from '../../src/modules/orders/index.ts'
import { DAY_MS, HOUR_MS, startOfDay } from '../../world/time.ts'
import type { StoryEvent, Truth } from '../story/event.ts'
import { CREDITS_PER_MONTH, REVIEWING, RULE_CHANGES } from '../story/office.ts'
import { cashierIdOf, storeOf, THIEF } from '../story/stores.ts'
import type { FillContext } from './context.ts'
import { decideReviews, type Truths } from './decisions.ts'
import { replayEvents } from './replay.ts'

const OPENING = 'opening'
const PROGRESS_DAYS = 10

export async function replayMonth(
  context: FillContext,
): Promise<{ events: number; decisions: number }> {
  const { story, clock, services, progress } = context
  const { start, end } = story.span
  const truths = truthsOf(story.events)
  let position = 0
  let decisions = 0
  let day = 0
  await grant(context, start, OPENING)
  for (const stop of stopsBetween(start, end)) {
    const first = position
    while ((story.events[position]?.at ?? Infinity) < stop.at) position += 1
    await replayEvents(context, story.events.slice(first, position))
    if (stop.kind === 'review' && stop.at < end - REVIEWING.stop_hours * HOUR_MS) {
      decisions += await decideReviews(context, stop.at, truths)
    }
    if (stop.kind === 'rules') await changeRules(context, stop.at)
    if (stop.kind !== 'day') continue
    day += 1
    const at = new Date(stop.at)
    clock.freezeAt(stop.at)
    if (at.getUTCDate() === 1) await grant(context, stop.at, at.toISOString().slice(0, 7))
    await services.billing.postUsage(at)
    if (day % PROGRESS_DAYS === 0) progress(`Day ${day} of ${story.options.days}`)
  }
  await services.checks.drain()
  clock.freezeAt(end)
  await services.billing.postUsage(new Date(end))
  return { events: position, decisions }
}

async function grant(context: FillContext, at: number, name: string): Promise<void> {
  const { clock, services, people } = context
  clock.freezeAt(at)
  const reason = name === OPENING ? 'Opening balance' : `Plan business, ${name}`
  await services.billing.grantCredits(people.org_id, CREDITS_PER_MONTH, reason, `demo-${name}`)
}

type Stop = { at: number; kind: 'day' | 'review' | 'rules' | 'end' }

function stopsBetween(start: number, end: number): Stop[] {
  const stops: Stop[] = RULE_CHANGES.map(({ at_share }) => ({
    at: changedAt(start, end, at_share),
    kind: 'rules',
  }))
  for (let day = startOfDay(start); day < end; day += DAY_MS) {
    stops.push({ at: day, kind: 'day' })
    for (const hour of REVIEWING.hours) stops.push({ at: day + hour * HOUR_MS, kind: 'review' })
  }
  const inside = stops.filter(({ at }) => at > start && at < end)
  return [...inside.toSorted((a, b) => a.at - b.at), { at: end, kind: 'end' }]
}

const changedAt = (start: number, end: number, share: number): number =>
  Math.round(start + share * (end - start))

async function changeRules(context: FillContext, at: number): Promise<void> {
  const { services, clock, people, story } = context
  const { start, end } = story.span
  const index = RULE_CHANGES.findIndex(({ at_share }) => changedAt(start, end, at_share) === at)
  const change = RULE_CHANGES[index]
  const [admin] = people.reviewers
  if (!change || !admin) return
  clock.freezeAt(at)
  const applying = { base_version: index, note: change.note, by: admin.user_id }
  const owner = { org_id: people.org_id, mode: 'live' } as const
  await services.order_rules.apply(owner, readOrderParameters(change.overrides), applying)
}

/** Orders are found by their ids, and every flagged action of the thief counts as a theft. */
function truthsOf(events: readonly StoryEvent[]): Truths {
  const truths = new Map<string, Truth>()
  for (const event of events) {
    if (event.kind === 'order') truths.set(event.order.external_order_id, event.truth)
  }
  return truths.set(cashierIdOf(storeOf(THIEF.store_id), THIEF.cashier), 'theft')
}
