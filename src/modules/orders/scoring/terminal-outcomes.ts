/** The outcomes of a terminal or store, also in states of earlier versions. */
import { EMPTY_OUTCOMES, type OutcomesState, outcomesOf } from '../../behavior/index.ts'
import type { TerminalState } from './states.ts'

export function terminalOutcomes({ outcomes, labels }: TerminalState): OutcomesState {
  return outcomes ?? (labels === undefined ? EMPTY_OUTCOMES : outcomesOf(labels))
}

/** Replaces the outcomes, and with them those of an earlier version. */
export function withOutcomes(
  { v, velocity, amounts, alerts }: TerminalState,
  outcomes: OutcomesState,
): TerminalState {
  return { v, velocity, amounts, outcomes, alerts }
}
