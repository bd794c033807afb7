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
