export { profileRecord } from './record.ts'
export {
  forgetRiskDecision,
  learnOrderScore,
  learnRiskDecision,
  riskOf,
} from './risk.ts'
export { riskChangedRow } from './risk-changed.ts'
export { knownRisk, type ReputationKeys, reputationKeys, riskReads } from './risk-reads.ts'
export { profileRoutes } from './routes.ts'
export { type ProfileRequest, profileSchemas } from './schema.ts'
export { createProfiles, type Profiles } from './service.ts'
export {
  type AlertsState,
  type DeviceState,
  type IpState,
  isCustomer,
  NEW_DEVICE,
  NEW_IP,
  newProfile,
  type ProfileState,
  type ProfileType,
  usedBy,
} from './state.ts'
export {
  CHECK_RISK_MIN,
  type CheckRisk,
  profileWriter,
  sweepCheckRisks,
  upsertCheckRisks,
} from './store.ts'
export { assessFlaggedDevice } from './upsert.ts'
