export { createLane, type Lane } from './lane.ts'
export { NotTakenError } from './queue.ts'
export { createStateId, type StateId } from './state-id.ts'
export {
  type ChangedState,
  type Outcome,
  type Read,
  type Reader,
  type Row,
  readFrom,
  rowFor,
  type State,
  type States,
  type Step,
  type Writer,
} from './step.ts'
export { insertsOf, readStates, type StateKey, sweepStates } from './store.ts'
