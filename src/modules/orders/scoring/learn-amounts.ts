/** Learns what a profile usually spends, from orders that are not held back. */
import {
  type AmountContext,
  acceptTrend,
  afterWaiting,
  learnAmount,
  learnSpending,
  waitWith,
  withoutWaiting,
} from '../../behavior/index.ts'
import type { ProfileState } from '../../profiles/index.ts'
import type { OrderFacts } from './facts.ts'

export type Spent = {
  facts: OrderFacts
  at_ms: number
  amount: AmountContext
  /** Whether the amount is unusual for the organization and for the profile. */
  waits: boolean
  /** 0-1, below 1 when other orders of the hour share the vote */
  vote: number
}

type Amounts = Pick<ProfileState, 'amounts' | 'waiting_amounts'>

/** Returns the amounts with the order and with those that have waited for a week. */
export function learnAmounts(
  { amounts, waiting_amounts = [] }: Amounts,
  { facts, at_ms, amount: { prior }, waits, vote }: Spent,
): Amounts {
  const { due, waiting } = afterWaiting(waiting_amounts, at_ms)
  let learned = amounts
  for (const [currency, amount_cents] of due) {
    learned = learnAmount(learned, { currency, amount_cents }, prior, { weight: 1, at_ms })
  }
  if (waits) return amountsOf(learned, waitWith(waiting, facts, at_ms))
  return amountsOf(learnAmount(learned, facts, prior, { weight: vote, at_ms }), waiting)
}

/** Takes the amount of a decided order from those that wait, and learns it if it was legitimate. */
export function decideAmounts(
  profile: ProfileState,
  { facts, at_ms, amount: { prior } }: Pick<Spent, 'facts' | 'at_ms' | 'amount'>,
  isLegitimate: boolean,
): ProfileState {
  const { waiting_amounts = [], ...rest } = profile
  const waiting = withoutWaiting(waiting_amounts, facts, at_ms)
  if (waiting === waiting_amounts) return profile
  const amounts = isLegitimate
    ? learnAmount(profile.amounts, facts, prior, { weight: 1, at_ms })
    : profile.amounts
  return { ...rest, ...amountsOf(amounts, waiting) }
}

/** Takes the present level of a profile as usual after a flagged order proved legitimate. */
export function acceptLevel(profile: ProfileState, currency: string): ProfileState {
  const amounts = profile.amounts.map((moments) =>
    moments.currency === currency ? acceptTrend(moments) : moments,
  )
  return { ...profile, amounts }
}

/** Sums up the amounts of a profile until it is settled. @returns undefined from then on */
export function learnProfileSpending(
  { spending }: ProfileState,
  { facts, at_ms, amount: { who, prior } }: Pick<Spent, 'facts' | 'at_ms' | 'amount'>,
): ProfileState['spending'] | undefined {
  if (who !== 'young') return undefined
  if (prior === undefined) return spending
  const amount = facts.amount_cents / Math.max(1, prior.mean * prior.mean)
  return learnSpending(spending, amount, at_ms)
}

const amountsOf = (
  amounts: ProfileState['amounts'],
  waiting: NonNullable<ProfileState['waiting_amounts']>,
): Amounts => (waiting.length === 0 ? { amounts } : { amounts, waiting_amounts: waiting })
