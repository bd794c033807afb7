/**
 * Amounts that are unusual for the organization and for a profile. They become part of what is
 * usual for the profile after a week without a decision, or once they are decided to be legitimate;
 * otherwise the first order of a fraudster would excuse the next ones.
 */
import { MINUTE_MS, WEEK_MS } from '../../platform/time-units.ts'

export type WaitingAmount = readonly [currency: string, amount_cents: number, minute: number]

/** At most three, oldest first; later ones are not waited for. */
export type WaitingAmounts = readonly WaitingAmount[]

type Amount = { readonly currency: string; readonly amount_cents: number }

const WAITING_MAX = 3

export function waitWith(state: WaitingAmounts, fact: Amount, at_ms: number): WaitingAmounts {
  if (fact.amount_cents <= 0 || state.length >= WAITING_MAX) return state
  return [...state, [fact.currency, fact.amount_cents, minuteOf(at_ms)]]
}

/** Separates the amounts that have waited for a week. */
export function afterWaiting(
  state: WaitingAmounts,
  at_ms: number,
): { due: WaitingAmounts; waiting: WaitingAmounts } {
  const isDue = ([, , minute]: WaitingAmount) => at_ms - minute * MINUTE_MS >= WEEK_MS
  if (!state.some(isDue)) return { due: [], waiting: state }
  return { due: state.filter(isDue), waiting: state.filter((amount) => !isDue(amount)) }
}

/** Removes the amount of a decided order. @returns the same state when it does not wait */
export function withoutWaiting(
  state: WaitingAmounts,
  { currency, amount_cents }: Amount,
  at_ms: number,
): WaitingAmounts {
  const minute = minuteOf(at_ms)
  const index = state.findIndex(
    (each) => each[0] === currency && each[1] === amount_cents && each[2] === minute,
  )
  return index < 0 ? state : state.filter((_, i) => i !== index)
}

const minuteOf = (at_ms: number): number => Math.floor(at_ms / MINUTE_MS)
