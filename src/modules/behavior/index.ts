export {
  AMOUNTS_PARAMETERS,
  type AmountContext,
  type AmountPrior,
  type AmountsParameters,
  type AmountsState,
  assessAmount,
  EMPTY_AMOUNTS,
  expectAmount,
  learnAmount,
  learnMoments,
  momentsOf,
} from './amounts.ts'
export {
  assessNewDevices,
  DEVICES_PARAMETERS,
  type DevicesParameters,
  type DevicesState,
  EMPTY_DEVICES,
  isNewDevice,
  linkDevice,
  newDeviceRate,
} from './devices.ts'
export { doubtPlace, forgetDoubtfulPlace, isBackAgain } from './doubtful-place.ts'
export { cellCenter } from './geometry.ts'
export {
  assessHour,
  EMPTY_HOURS,
  HOURS_PARAMETERS,
  type HoursParameters,
  type HoursState,
  learnHour,
} from './hours.ts'
export {
  coverage,
  EMPTY_LABELS,
  forgetLabel,
  type LabelsState,
  labelRisk,
  learnDecided,
  learnLabel,
  learnSeen,
} from './labels.ts'
export {
  type Assessment,
  assessed,
  type Measurement,
  measured,
  QUIET,
  stronger,
} from './measurement.ts'
export type { MomentsState } from './moments.ts'
export { clamp, decay, eventTime, readable, round } from './numbers.ts'
export {
  EMPTY_OUTCOMES,
  forgetOutcome,
  learnOutcome,
  learnSeenOutcome,
  type OutcomesState,
  outcomeRisk,
  outcomesOf,
} from './outcomes.ts'
export {
  assessPaymentChange,
  assessPaymentHopping,
  assessQuantity,
  assessTotal,
  type BasketFact,
  EMPTY_PAYMENTS,
  learnPayment,
  PAYMENTS_PARAMETERS,
  type PaymentMethod,
  type PaymentsParameters,
  type PaymentsState,
} from './payments.ts'
export {
  assessPlace,
  EMPTY_PLACES,
  learnPlace,
  PLACES_PARAMETERS,
  type PlaceFact,
  type PlacesParameters,
  type PlacesState,
} from './places.ts'
export { EMPTY_RARITY, learnRarity, type RarityState } from './rarity.ts'
export { shortHash } from './short-hash.ts'
export { learnSpending, type SpendingState, spendingAt } from './spending.ts'
export { assessTiny } from './tiny-orders.ts'
export { assessTinyRate, learnTinyRate, type TinyRateState } from './tiny-rate.ts'
export { acceptTrend } from './trend.ts'
export {
  assessSharedDevice,
  assessSharedIp,
  EMPTY_USERS,
  learnUser,
  type UsersState,
} from './users.ts'
export {
  assessVelocity,
  EMPTY_VELOCITY,
  FLOOR_FINDING,
  learnVelocity,
  unusualAt,
  VELOCITY_PARAMETERS,
  type VelocityFact,
  type VelocityParameters,
  type VelocityState,
} from './velocity.ts'
export {
  afterWaiting,
  type WaitingAmounts,
  waitWith,
  withoutWaiting,
} from './waiting-amounts.ts'
