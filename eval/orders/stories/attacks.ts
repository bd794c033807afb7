/**
 * Attacks on what the scoring takes as usual, each against shops with customers that differ by seed: the
 * first order in review, and what the attack leaves behind for others.
 */
import type { Random } from '../../../src/platform/random.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/time-units.ts'
import { customerOf, type KnownShop, openKnownShop } from './known-shop.ts'

export const REVIEW_SCORE = 50

/** A result that is a mean over shops; undefined numbers mean that no order reached review. */
export type Story = {
  name: string
  /** What `value` counts. */
  unit: string
  value: number
  /** Share of the shops in which the goal of the story is reached, 0-1 */
  reached: number
  goal: string
}

type Played = { value: number; isReached: boolean }

/** Returns the number of the first order in review, counted from 1; Infinity when none is. */
function firstInReview(scores: Iterable<number>): number {
  let number = 0
  for (const score of scores) {
    number += 1
    if (score >= REVIEW_SCORE) return number
  }
  return Infinity
}

const NEWCOMER = customerOf(9_000)

function bustOut(shop: KnownShop, times: number, most: number): Played {
  const first = firstInReview(
    Array.from({ length: 8 }, (_, i) =>
      shop.score({
        profile_id: NEWCOMER,
        fingerprint_hash: 'new device',
        amount_cents: Math.round(shop.usual_cents * times),
        ordered_at_ms: shop.now_ms + i * HOUR_MS,
      }),
    ),
  )
  return { value: first, isReached: first <= most }
}

/** Every order a little more than the one before. @returns the multiple of the usual in review */
function slowRamp(shop: KnownShop, random: Random, factor: number, every_days: number): Played {
  const profile_id = customerOf(random.integer(0, shop.customers - 1))
  const usual_cents = shop.usualOf(profile_id)
  let amount_cents = usual_cents
  for (let order = 1; order <= 150; order += 1) {
    amount_cents = Math.round(amount_cents * factor)
    const ordered_at_ms = shop.now_ms + order * every_days * DAY_MS
    if (shop.score({ profile_id, amount_cents, ordered_at_ms }) < REVIEW_SCORE) continue
    const times = amount_cents / usual_cents
    return { value: times, isReached: times < 4 }
  }
  return { value: Infinity, isReached: false }
}

/** Points that a loyal customer's large order loses after orders of throw-away accounts. */
function poisonedRarity(open: () => KnownShop, random: Random): Played {
  const [quiet, probed] = [open(), open()]
  for (let i = 0; i < 12; i += 1) {
    probed.score({
      profile_id: customerOf(9_100 + i),
      amount_cents: Math.round(probed.usual_cents * 15),
      ordered_at_ms: probed.now_ms + i * HOUR_MS,
    })
  }
  const profile_id = customerOf(random.integer(0, quiet.customers - 1))
  const large = {
    profile_id,
    amount_cents: quiet.usualOf(profile_id) * 7,
    ordered_at_ms: quiet.now_ms + DAY_MS,
  }
  const lost = quiet.score(large) - probed.score(large)
  return { value: lost, isReached: lost <= 5 }
}

function guestsTestCards(shop: KnownShop, random: Random, ip_hash: string | undefined): Played {
  const every_ms = random.between(2_000, 2 * MINUTE_MS)
  const most = ip_hash === undefined ? 45 : 8
  const pace_ms = ip_hash === undefined ? random.between(500, 5_000) : every_ms
  const first = firstInReview(
    Array.from({ length: 45 }, (_, i) =>
      shop.score({
        profile_id: undefined,
        ip_hash,
        amount_cents: random.integer(50, 200),
        ordered_at_ms: shop.now_ms + Math.floor(i * pace_ms),
      }),
    ),
  )
  return { value: first, isReached: first <= most }
}

/** Share of the ordinary orders of a small organization's first months in review, in percent. */
function sparseOrganization(shop: KnownShop, random: Random): Played {
  const days = 90
  let [orders, flagged] = [0, 0]
  for (let day = 0; day < days; day += 1) {
    if (!random.chance(0.5)) continue
    const amount_cents = Math.round(shop.usual_cents * random.lognormal(0.6))
    const at = shop.now_ms + day * DAY_MS
    const profile_id = customerOf(random.integer(0, 30))
    orders += 1
    if (shop.score({ profile_id, amount_cents, ordered_at_ms: at }) >= REVIEW_SCORE) flagged += 1
  }
  return { value: (100 * flagged) / orders, isReached: flagged === 0 }
}

type Plan = Pick<Story, 'name' | 'unit' | 'goal'> & {
  play: (random: Random) => Played
}

const IN_REVIEW = 'first order in review'

const PLANS: readonly Plan[] = [
  {
    name: 'bust-out, 800 times the usual',
    unit: IN_REVIEW,
    goal: 'the first',
    play: (random) => bustOut(openKnownShop(random), 800, 1),
  },
  {
    name: 'bust-out, 10 times the usual',
    unit: IN_REVIEW,
    goal: 'the second at the latest',
    play: (random) => bustOut(openKnownShop(random), 10, 2),
  },
  {
    name: 'slow ramp, 5 % an order, daily',
    unit: 'times the usual',
    goal: 'before 4 times',
    play: (random) => slowRamp(openKnownShop(random), random, 1.05, 1),
  },
  {
    name: 'slow ramp, 3 % an order, daily',
    unit: 'times the usual',
    goal: 'before 4 times',
    play: (random) => slowRamp(openKnownShop(random), random, 1.03, 1),
  },
  {
    name: 'slow ramp, 10 %, every two days',
    unit: 'times the usual',
    goal: 'before 4 times',
    play: (random) => slowRamp(openKnownShop(random), random, 1.1, 2),
  },
  {
    name: 'rarity poisoned by 12 accounts',
    unit: 'points lost',
    goal: '5 at most',
    play: (random) => poisonedRarity(() => openKnownShop(random.fork('shop')), random),
  },
  {
    name: 'guests test cards, one address',
    unit: IN_REVIEW,
    goal: 'the eighth at the latest',
    play: (random) => guestsTestCards(openKnownShop(random), random, 'address'),
  },
  {
    name: 'guests test cards, no key at all',
    unit: IN_REVIEW,
    goal: 'any of 45',
    play: (random) => guestsTestCards(openKnownShop(random), random, undefined),
  },
  {
    name: 'sparse organization, honest',
    unit: '% of its orders in review',
    goal: 'none',
    play: (random) => sparseOrganization(openKnownShop(random, { customers: 3, days: 5 }), random),
  },
]

/** @param shops number of shops for each story */
export function playStories(random: Random, shops: number): Story[] {
  return PLANS.map(({ name, unit, goal, play }) => {
    const played = Array.from({ length: shops }, (_, i) => play(random.fork(`${name} ${i}`)))
    const values = played.map(({ value }) => value).toSorted((a, b) => a - b)
    return {
      name,
      unit,
      goal,
      value: values[shops >> 1] ?? NaN,
      reached: played.filter(({ isReached }) => isReached).length / shops,
    }
  })
}

export const printStories = (stories: readonly Story[]): string =>
  [
    'STORIES: median over shops, and the share of the shops in which the goal is reached',
    ...stories.map(
      ({ name, unit, value, goal, reached }) =>
        `  ${name.padEnd(34)} ${(Number.isFinite(value) ? value.toFixed(1) : 'never').padStart(6)} ${unit.padEnd(26)} goal ${goal.padEnd(24)} ${(100 * reached).toFixed(0).padStart(4)} %`,
    ),
  ].join('\n')
