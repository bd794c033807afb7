/** Names of what the scoring of orders tells, in words. */
const SIGNALS: Readonly<Record<string, string>> = {
  velocity: 'Velocity',
  amount_anomaly: 'Amount',
  location_anomaly: 'Location',
  device_anomaly: 'Device',
  time_anomaly: 'Time of day',
  pattern: 'Pattern',
}

export const ORDER_FLAGS = [
  'high_velocity',
  'amount_anomaly',
  'location_anomaly',
  'device_anomaly',
  'time_anomaly',
  'pattern_anomaly',
] as const

/** `amount_anomaly` as "amount anomaly". */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ')

export const signalName = (signal: string): string =>
  Object.hasOwn(SIGNALS, signal) ? (SIGNALS[signal] ?? signal) : wordsOf(signal)

/** `2 hours 14:00`: the hour by the wall clock of a place. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
