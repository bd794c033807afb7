/**
 * Decides whether a till is a service desk, by the share of refunds of its cashiers. The cashier in
 * question is left out, so that own refunds never turn a till into a service desk.
 */
import { decay, round } from '../../behavior/index.ts'
import { HALF_LIVES_MS } from './counts.ts'
import type { CashierParameters } from './parameters.ts'
import type { Role, TillMember, TillState } from './states.ts'

const MEMBERS_MAX = 12

export function emptyTill(since: number): TillState {
  return { v: 1, location: '', location_at: 0, since, members: [] }
}

export function roleAt(
  till: TillState | undefined,
  cashier: string,
  now_ms: number,
  rules: CashierParameters['desk'],
): Role {
  if (till === undefined) return 'till'
  let sales = 0
  let refunds = 0
  for (const member of till.members) {
    if (member.id === cashier) continue
    const left = decay(now_ms - member.at, HALF_LIVES_MS.month)
    sales += member.sales * left
    refunds += member.refunds * left
  }
  const isDesk =
    refunds >= rules.refunds_min && refunds >= rules.refund_share_min * (sales + refunds)
  return isDesk ? 'desk' : 'till'
}

export function addToTill(
  till: TillState,
  cashier: string,
  at_ms: number,
  done: { sales: number; refunds: number },
): TillState {
  if (done.sales === 0 && done.refunds === 0) return till
  const known = till.members.find(({ id }) => id === cashier)
  const before = known ?? { id: cashier, at: at_ms, sales: 0, refunds: 0 }
  const left = decay(at_ms - before.at, HALF_LIVES_MS.month)
  const late = decay(before.at - at_ms, HALF_LIVES_MS.month)
  const member: TillMember = {
    id: cashier,
    at: Math.max(before.at, at_ms),
    sales: round(before.sales * left + done.sales * late),
    refunds: round(before.refunds * left + done.refunds * late),
  }
  return { ...till, members: withMember(till.members, member, MEMBERS_MAX, isSameCashier) }
}

/** Updates the location of the till; an older order does not move it back. */
export function moveTill(till: TillState, location: string, at_ms: number): TillState {
  if (location === till.location || at_ms < till.location_at) return till
  return { ...till, location, location_at: at_ms }
}

const isSameCashier = (a: TillMember, b: TillMember): boolean => a.id === b.id

/** Adds or replaces a member; beyond `max`, it replaces the one with the oldest event. */
export function withMember<M extends { at: number }>(
  members: readonly M[],
  member: M,
  max: number,
  isSame: (a: M, b: M) => boolean,
): readonly M[] {
  const index = members.findIndex((each) => isSame(each, member))
  if (index >= 0) return members.with(index, member)
  if (members.length < max) return [...members, member]
  let oldest = 0
  members.forEach(({ at }, at_index) => {
    if (at < (members[oldest]?.at ?? 0)) oldest = at_index
  })
  return members.with(oldest, member)
}
