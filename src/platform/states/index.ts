export { withRowsOf } from './kept-rows.ts'
export { createLane, type Lane, type LaneOptions } from './lane.ts'
export { NotTakenError } from './queue.ts'
export { createStateId, type StateId } from './state-id.ts'
export {
  type ChangedState,
  type Outcome,
  type Read,
  type Reader,
  readFrom,
  type State,
  type States,
  type Step,
} from './step.ts'
export { readStates, type StateKey, sweepStates } from './store.ts'
