/** The documented signals of an order and the flags that they raise, in the order of the contract. */
export const ORDER_SIGNALS = [
  'velocity',
  'amount_anomaly',
  'location_anomaly',
  'device_anomaly',
  'time_anomaly',
  'pattern',
] as const
export type OrderSignal = (typeof ORDER_SIGNALS)[number]

export const FLAG_OF = {
  velocity: 'high_velocity',
  amount_anomaly: 'amount_anomaly',
  location_anomaly: 'location_anomaly',
  device_anomaly: 'device_anomaly',
  time_anomaly: 'time_anomaly',
  pattern: 'pattern_anomaly',
} as const satisfies Record<OrderSignal, string>

/** Returns a value for each signal. As a literal, because names as variables cost more than the values. */
export const ofSignals = <T>(of: (signal: OrderSignal) => T): Record<OrderSignal, T> => ({
  velocity: of('velocity'),
  amount_anomaly: of('amount_anomaly'),
  location_anomaly: of('location_anomaly'),
  device_anomaly: of('device_anomaly'),
  time_anomaly: of('time_anomaly'),
  pattern: of('pattern'),
})
