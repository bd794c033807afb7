export {
  AMOUNTS_PARAMETERS,
  type AmountAssessment,
  type AmountContext,
  type AmountFact,
  type AmountPrior,
  type AmountsParameters,
  type AmountsState,
  assessAmount,
  EMPTY_AMOUNTS,
  type Expectation,
  expectAmount,
  learnAmount,
  learnMoments,
  type MomentsState,
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
export { cellCentre } from './geometry.ts'
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
  type Outcome,
  silentOrders,
} from './labels.ts'
export { type Assessment, type Measurement, measured } from './measurement.ts'
export { clamp, DAY_MS, decay, eventTime, HOUR_MS, MINUTE_MS, readable, round } from './numbers.ts'
export { forgetOdds, learnOdds, type OddsState, oddsRisk } from './odds.ts'
export {
  assessPaymentChange,
  assessPaymentHopping,
  assessQuantity,
  assessTotal,
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
export { assessTiny } from './tiny.ts'
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
  type VelocityHabit,
  type VelocityParameters,
  type VelocityState,
} from './velocity.ts'
