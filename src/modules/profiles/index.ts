export { profileRecord } from './record.ts'
export {
  EMPTY_RISK,
  forgetRiskDecision,
  learnCheckRisk,
  learnOrderScore,
  learnRiskDecision,
  type ProfileRisk,
  type RiskEntry,
  riskOf,
  type ScoredEvent,
} from './risk.ts'
export { riskChangedRow } from './risk-changed.ts'
export { profileRoutes } from './routes.ts'
export { createProfiles, type Profiles } from './service.ts'
export {
  type AlertsState,
  type DeviceState,
  type IpState,
  isCustomer,
  NEW_DEVICE,
  NEW_IP,
  newProfile,
  PROFILE_TYPES,
  type ProfileState,
  type ProfileType,
  usedBy,
} from './state.ts'
export {
  CHECK_RISK_MIN,
  type CheckRisk,
  noteCheckRisks,
  profileWriter,
  sweepCheckRisks,
} from './store.ts'
export { type ReputationKeys, readsOf, reputationKeys, toldBy } from './told.ts'
export {
  assessFlaggedDevice,
  type ProfileFacts,
  type Upserted,
  upsertProfile,
} from './upsert.ts'
