/** A step that changes its states as always but writes only some of its rows. */
import type { Step } from './step.ts'

/**
 * @param writers the writers of the rows that remain
 * @param updatedAt stored with the states in place of the time of the step, so that retention does not
 *   delete the state of something that happened long ago immediately
 */
export function withRowsOf<Result>(
  step: Step<Result>,
  writers: readonly unknown[],
  updatedAt: Date,
): Step<Result> {
  return {
    ...step,
    apply: (states, answers) => {
      const outcome = step.apply(states, answers)
      return {
        result: outcome.result,
        states: outcome.states.map((state) => ({ ...state, updated_at: updatedAt })),
        rows: outcome.rows.filter(({ writer }) => writers.includes(writer)),
      }
    },
  }
}
