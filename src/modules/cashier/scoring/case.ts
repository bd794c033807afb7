/** One action with all inputs of its signals. */
import type { Counts } from './counts.ts'
import type { ActionFacts } from './facts.ts'
import type { CashierParameters } from './parameters.ts'
import type { Peers } from './peers.ts'
import type { CashierState, Rise } from './states.ts'

export type Case = {
  facts: ActionFacts
  /** Time of the action; never in the future. */
  at_ms: number
  /** State of the cashier before the action. */
  before: CashierState
  /** Counts of the cashier in the present role, including the action. */
  counts: Counts
  /** Rise of the rate of this kind of action, including it; undefined without a baseline. */
  rise: Rise | undefined
  peers: Peers
  /** ISO 4217, undefined while unknown. */
  currency: string | undefined
  parameters: CashierParameters
}
