export type { ExplainedOpinion, Explanation } from './explanation.ts'
export {
  fade,
  HALF_LIFE_DAYS,
  judge,
  type Opinion,
  type Reputation,
  type SharingRule,
} from './judge.ts'
export {
  createReputationOperator,
  type NamedIdentity,
  type ReputationOperator,
} from './operator.ts'
export { createReputation, emailOf, type ReputationStore } from './service.ts'
export {
  changeOpinions,
  type OpinionChange,
  opinionWriter,
  readOpinions,
  sweepOpinions,
} from './store.ts'
