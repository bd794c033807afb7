/**
 * Scores a cashier against the peers at the present time. It applies the functions of the scoring to
 * the stored states, so that the comparison agrees with the scores of actions.
 */

import { cashierReason } from '../../reasons/index.ts'
import { CASHIER_PARAMETERS, type RateKind } from '../scoring/parameters.ts'
import type { Peers } from '../scoring/peers.ts'
import { assessRate, comparedInWindows } from '../scoring/rates.ts'
import { shortKey } from '../scoring/short-key.ts'
import type { CashierStates } from '../scoring/states.ts'
import type { CashierActionType, PeerComparison, PeerScore } from './schema.ts'

const KIND_OF: Readonly<Partial<Record<CashierActionType, RateKind>>> = {
  void: 'void',
  refund: 'refund',
  discount_override: 'override',
  price_override: 'override',
  no_sale: 'drawer',
  drawer_open: 'drawer',
  cash_pickup: 'pickup',
}

/** Returns the other action types that the scoring counts together with this one. */
export function countedWith(actionType: CashierActionType): CashierActionType[] {
  const kind = KIND_OF[actionType]
  if (kind === undefined) return []
  const types = Object.keys(KIND_OF) as CashierActionType[]
  return types.filter((type) => type !== actionType && KIND_OF[type] === kind)
}

/** @returns null for a type that is not compared with peers, and without a state of the cashier */
export function peerScore(
  actionType: CashierActionType,
  { location, cashier_id }: { location: string; cashier_id: string },
  states: Omit<CashierStates, 'till'>,
  now: Date,
): PeerScore | null {
  const kind = KIND_OF[actionType]
  const { cashier, store, organization } = states
  if (kind === undefined || cashier === undefined) return null
  const { role } = cashier.place
  const counts = cashier[role]
  if (counts === null) return null
  const peers: Peers = {
    role,
    cashier: shortKey(cashier_id),
    location: shortKey(location),
    now_ms: Math.max(now.getTime(), cashier.latest_at),
    since_ms: store?.since ?? cashier.latest_at,
    store,
    organization,
  }
  const { rates } = CASHIER_PARAMETERS
  const { score, finding, numbers } = assessRate(kind, counts, peers, rates)
  return {
    role,
    strength: score,
    finding,
    sentence: finding === null ? null : cashierReason(finding, numbers, undefined),
    comparisons: comparedInWindows(kind, counts, peers, rates).map(
      ({ window, assessment }): PeerComparison => {
        const numberOf = (name: string) => Number(assessment.numbers[name] ?? 0)
        return {
          window,
          half_life_hours: numberOf('half_life_hours'),
          count: numberOf('count'),
          transactions: numberOf('transactions'),
          share: numberOf('share'),
          peers_share: numberOf('peers_share'),
          peers: numberOf('peers'),
          surprise: numberOf('surprise'),
          strength: assessment.score,
        }
      },
    ),
  }
}
