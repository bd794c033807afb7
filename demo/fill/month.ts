/** The month, day by day: what customers and cashiers did, what was decided about it, and what it cost. */
import { readOrderParameters } from '../../src/modules/orders/index.ts'
import type { StoryEvent, Truth } from '../story/event.ts'
import { CREDITS_PER_MONTH, RULE_CHANGES } from '../story/office.ts'
import { REVIEWING } from '../story/reviewing.ts'
import { cashierIdOf, shopOf, THIEF } from '../story/shops.ts'
import { DAY_MS } from '../story/wall-clock.ts'
import type { Filling } from './context.ts'
import { decideOpen, type Truths } from './decisions.ts'
import { tellAll } from './timeline.ts'

const HOUR_MS = 3_600_000

export type Lived = { events: number; decisions: number }

export async function liveMonth(filling: Filling): Promise<Lived> {
  const { story, clock, services, progress } = filling
  const { start, end } = story.span
  const truths = truthsOf(story.events)
  let position = 0
  let decisions = 0
  let day = 0
  await grant(filling, start, OPENING)
  for (const stop of stopsBetween(start, end)) {
    const first = position
    while (position < story.events.length && (story.events[position]?.at ?? end) < stop.at)
      position += 1
    await tellAll(filling, story.events.slice(first, position))
    if (stop.kind === 'review' && stop.at < end - REVIEWING.stop_hours * HOUR_MS) {
      decisions += await decideOpen(filling, stop.at, truths)
    }
    if (stop.kind === 'rules') await changeRules(filling, stop.at)
    if (stop.kind !== 'day') continue
    day += 1
    const at = new Date(stop.at)
    clock.standAt(stop.at)
    if (at.getUTCDate() === 1) await grant(filling, stop.at, at.toISOString().slice(0, 7))
    await services.billing.postUsage(at)
    if (day % PROGRESS_DAYS === 0) progress(`day ${day} of ${story.options.days}`)
  }
  await services.checks.drain()
  clock.standAt(end)
  await services.billing.postUsage(new Date(end))
  return { events: position, decisions }
}

async function grant(filling: Filling, at: number, name: string): Promise<void> {
  const { clock, services, people } = filling
  clock.standAt(at)
  const reason = name === OPENING ? 'Opening balance' : `Plan business, ${name}`
  await services.billing.grantCredits(people.org_id, CREDITS_PER_MONTH, reason, `demo-${name}`)
}

const OPENING = 'opening'
const PROGRESS_DAYS = 10

type Stop = { at: number; kind: 'day' | 'review' | 'rules' | 'end' }

function stopsBetween(start: number, end: number): Stop[] {
  const stops: Stop[] = []
  for (let day = start - (start % DAY_MS); day < end; day += DAY_MS) {
    stops.push({ at: day, kind: 'day' })
    for (const hour of REVIEWING.hours) stops.push({ at: day + hour * HOUR_MS, kind: 'review' })
  }
  for (const { at_share } of RULE_CHANGES)
    stops.push({ at: ruledAt(start, end, at_share), kind: 'rules' })
  const inside = stops.filter(({ at }) => at > start && at < end)
  return [...inside.toSorted((a, b) => a.at - b.at), { at: end, kind: 'end' }]
}

const ruledAt = (start: number, end: number, share: number): number =>
  Math.round(start + share * (end - start))

async function changeRules({ services, clock, people, story }: Filling, at: number): Promise<void> {
  const { start, end } = story.span
  const index = RULE_CHANGES.findIndex(({ at_share }) => ruledAt(start, end, at_share) === at)
  const change = RULE_CHANGES[index]
  const [admin] = people.reviewers
  if (!change || !admin) return
  clock.standAt(at)
  const applying = { base_version: index, note: change.note, by: admin.user_id }
  const owner = { org_id: people.org_id, mode: 'live' } as const
  await services.order_rules.apply(owner, readOrderParameters(change.overrides), applying)
}

/** Orders go by their id. Of actions, reviewers know whose they are: everything flagged of the thief is theft. */
function truthsOf(events: readonly StoryEvent[]): Truths {
  const truths = new Map<string, Truth>()
  for (const event of events) {
    if (event.kind === 'order') truths.set(event.order.external_order_id, event.truth)
  }
  truths.set(cashierIdOf(shopOf(THIEF.shop_id), THIEF.cashier), 'theft')
  return truths
}
