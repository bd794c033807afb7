/**
 * What scoring would say of a cashier against the peers by now: its own functions over the states
 * that it keeps, so that a picture of the peers and the scores of their actions agree.
 */

import { shortKey } from '../scoring/keys.ts'
import type { RateKind } from '../scoring/parameters.ts'
import { CASHIER_PARAMETERS } from '../scoring/parameters.ts'
import type { Peers } from '../scoring/peers.ts'
import { assessRate, comparedInWindows } from '../scoring/rates.ts'
import type {
  CashierState,
  OrganizationCashiersState,
  StoreCashiersState,
} from '../scoring/states.ts'
import { cashierSentence } from '../sentences.ts'
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

/** The other action types that scoring counts as the same thing. */
export function countedWith(actionType: CashierActionType): CashierActionType[] {
  const kind = KIND_OF[actionType]
  if (kind === undefined) return []
  const types = Object.keys(KIND_OF) as CashierActionType[]
  return types.filter((type) => type !== actionType && KIND_OF[type] === kind)
}

/** @returns null for what scoring compares with nobody's, and without a state of the cashier */
export function peerScore(
  actionType: CashierActionType,
  location: string,
  cashierId: string,
  states: {
    cashier: CashierState | undefined
    store: StoreCashiersState | undefined
    organization: OrganizationCashiersState | undefined
  },
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
    cashier: shortKey(cashierId),
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
    sentence: finding === null ? null : cashierSentence(finding, numbers),
    comparisons: comparedInWindows(kind, counts, peers, rates).map(
      ({ window, assessment }): PeerComparison => {
        const of = (name: string) => Number(assessment.numbers[name] ?? 0)
        return {
          window,
          half_life_hours: of('half_life_hours'),
          count: of('count'),
          transactions: of('transactions'),
          share: of('share'),
          peers_share: of('peers_share'),
          peers: of('peers'),
          surprise: of('surprise'),
          strength: assessment.score,
        }
      },
    ),
  }
}
