/** One action with everything its signals look at. */
import type { Counts } from './counts.ts'
import type { ActionFacts } from './facts.ts'
import type { CashierParameters } from './parameters.ts'
import type { Peers } from './peers.ts'
import type { CashierState } from './states.ts'

export type Case = {
  facts: ActionFacts
  /** When it was performed; never in the future. */
  at_ms: number
  /** The cashier before the action. */
  before: CashierState
  /** Counts of the cashier in the role at hand, with the action. */
  counts: Counts
  peers: Peers
  /** ISO 4217, undefined while none is known */
  currency: string | undefined
  parameters: CashierParameters
}
