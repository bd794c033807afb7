export { fade, HALF_LIFE_DAYS, judge, type Opinion, type Reputation, WEIGHT_MAX } from './judge.ts'
export { createReputation, type Identity, type ReputationStore } from './service.ts'
export {
  changeOpinions,
  type OpinionChange,
  type OpinionQuery,
  opinionReader,
  opinionWriter,
  readOpinions,
  sweepOpinions,
} from './store.ts'
